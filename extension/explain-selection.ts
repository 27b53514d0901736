// "Explain Selection": the answer streams into a virtual Markdown document, shown by VS Code's own preview beside the
// code. One explanation at a time: a new one, or Cancel, ends the one before.
import {
  CancellationTokenSource,
  commands,
  type Disposable,
  ProgressLocation,
  type TextEditor,
  window,
  workspace,
} from 'vscode';
import { type ExplainParams, type ExplainResult, explainRequest } from '../language-server/protocol.ts';
import type { Client } from './client.ts';
import { explanationText } from './explanation-text.ts';
import type { VirtualDocuments } from './virtual-documents.ts';

// The preview renders the whole document on each change: ten times a second is smooth and cheap.
const refreshMs = 100;

export class ExplainSelection implements Disposable {
  private id = 0;
  private running: CancellationTokenSource | undefined;

  constructor(
    private readonly client: Client,
    private readonly documents: VirtualDocuments,
  ) {}

  async run(): Promise<void> {
    const editor = window.activeTextEditor;
    if (!editor || editor.selection.isEmpty) {
      void window.showInformationMessage('Select the code that Hearth should explain.');
      return;
    }
    this.running?.cancel();
    const cancellation = new CancellationTokenSource();
    this.running = cancellation;
    const options = { location: ProgressLocation.Notification, title: 'Hearth explains…', cancellable: true };
    await window.withProgress(options, async (_progress, token) => {
      token.onCancellationRequested(() => cancellation.cancel());
      await this.explain(editor, cancellation);
    });
    cancellation.dispose();
  }

  dispose(): void {
    this.running?.cancel();
  }

  private async explain(editor: TextEditor, cancellation: CancellationTokenSource): Promise<void> {
    const id = ++this.id;
    const { document, selection } = editor;
    const params: ExplainParams = { id, text: document.getText(selection), languageId: document.languageId };
    const title = `${workspace.asRelativePath(document.uri)}, lines ${selection.start.line + 1}–${selection.end.line + 1}`;
    const page = new Page(this.documents, `Explanation ${id}.md`, title);
    const chunks = this.client.onExplainChunk((chunk) => {
      if (chunk.id === id) page.append(chunk.text);
    });
    try {
      await commands.executeCommand('markdown.showPreviewToSide', page.show());
      page.finish(await this.client.request<ExplainResult>(explainRequest, params, cancellation.token));
    } catch (error) {
      page.fail(cancellation.token.isCancellationRequested ? 'Cancelled.' : (error as Error).message);
    } finally {
      chunks.dispose();
    }
  }
}

/** The document of one explanation while it grows. */
class Page {
  private text = '';
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly documents: VirtualDocuments,
    private readonly name: string,
    private readonly title: string,
  ) {}

  show(footer = '') {
    clearTimeout(this.timer);
    this.timer = undefined;
    return this.documents.set(this.name, explanationText(this.title, this.text, footer));
  }

  append(text: string): void {
    this.text += text;
    this.timer ??= setTimeout(() => this.show(), refreshMs);
  }

  /** The result holds the whole text, so a chunk that came late or not at all does no harm. */
  finish({ text, finishReason, timings }: ExplainResult): void {
    this.text = text;
    const seconds = ((timings.prefillMs + timings.decodeMs) / 1000).toFixed(1);
    const ending = { stop: '', length: ', cut off at the limit', cancelled: ', cancelled' }[finishReason];
    this.show(`${timings.completionTokens} tokens in ${seconds} s${ending}`);
  }

  fail(message: string): void {
    this.show(message);
  }
}
