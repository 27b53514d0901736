// "Explain Selection": the answer streams into a page beside the code. One explanation at a time: a new one, the Stop
// button or closing the page ends the one before.
import {
  CancellationTokenSource,
  commands,
  type Disposable,
  type TextEditor,
  ViewColumn,
  type WebviewPanel,
  window,
  workspace,
} from 'vscode';
import { type ExplainParams, type ExplainResult, explainRequest } from '../language-server/protocol.ts';
import type { Client } from './client.ts';
import { type ExplainState, explainPage, type PageMessage } from './explain-page.ts';
import { withoutHtml } from './without-html.ts';

export class ExplainSelection implements Disposable {
  private id = 0;
  private panel: WebviewPanel | undefined;
  private state: ExplainState = { html: '', note: '', isRunning: false };
  private running: CancellationTokenSource | undefined;

  constructor(private readonly client: Client) {}

  async run(): Promise<void> {
    const editor = window.activeTextEditor;
    if (!editor || editor.selection.isEmpty) {
      void window.showInformationMessage('Select the code that Hearth should explain.');
      return;
    }
    this.running?.cancel();
    const cancellation = new CancellationTokenSource();
    this.running = cancellation;
    this.open(pageTitle(editor));
    this.show({ html: '', note: 'Thinking…', isRunning: true });
    await this.explain(editor, cancellation);
    cancellation.dispose();
  }

  dispose(): void {
    this.running?.cancel();
    this.panel?.dispose();
  }

  private async explain({ document, selection }: TextEditor, cancellation: CancellationTokenSource): Promise<void> {
    const isCurrent = () => this.running === cancellation;
    const params: ExplainParams = {
      id: ++this.id,
      uri: document.uri.toString(),
      text: document.getText(selection),
      languageId: document.languageId,
    };
    const answer = new RenderedAnswer((html) => {
      if (isCurrent() && this.state.isRunning) this.show({ ...this.state, html });
    });
    const chunks = this.client.onExplainChunk((chunk) => {
      if (chunk.id === params.id) answer.append(chunk.text);
    });
    try {
      const result = await this.client.request<ExplainResult>(explainRequest, params, cancellation.token);
      // The result holds the whole text, so a chunk that came late or not at all does no harm.
      const html = await render(result.text);
      if (isCurrent()) this.show({ html, note: resultNote(result), isRunning: false });
    } catch (error) {
      const note = cancellation.token.isCancellationRequested ? 'Stopped.' : (error as Error).message;
      if (isCurrent()) this.show({ ...this.state, note, isRunning: false });
    } finally {
      chunks.dispose();
    }
  }

  private open(title: string): void {
    const panel = this.panel ?? this.createPanel();
    this.panel = panel;
    panel.webview.html = explainPage(title);
    panel.reveal(undefined, true);
  }

  private createPanel(): WebviewPanel {
    const place = { viewColumn: ViewColumn.Beside, preserveFocus: true };
    const panel = window.createWebviewPanel('hearth.explanation', 'Explanation', place, {
      enableScripts: true,
      enableFindWidget: true,
    });
    panel.webview.onDidReceiveMessage((message: PageMessage) => {
      if (message === 'ready') this.show(this.state);
      if (message === 'stop') this.running?.cancel();
    });
    panel.onDidDispose(() => {
      this.panel = undefined;
      this.running?.cancel();
    });
    return panel;
  }

  private show(state: ExplainState): void {
    this.state = state;
    void this.panel?.webview.postMessage(state);
  }
}

/** Renders a growing answer, one rendering at a time and always of the newest text. */
class RenderedAnswer {
  private text = '';
  private isRendering = false;

  constructor(private readonly onHtml: (html: string) => void) {}

  append(text: string): void {
    this.text += text;
    if (!this.isRendering) void this.renderAll();
  }

  private async renderAll(): Promise<void> {
    this.isRendering = true;
    for (let rendered = ''; rendered !== this.text; ) {
      rendered = this.text;
      this.onHtml(await render(rendered));
    }
    this.isRendering = false;
  }
}

/** By VS Code's own Markdown renderer. */
async function render(markdown: string): Promise<string> {
  return await commands.executeCommand<string>('markdown.api.render', withoutHtml(markdown));
}

function pageTitle({ document, selection: { start, end } }: TextEditor): string {
  // Whole lines are selected up to the start of the next.
  const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
  const lines = last === start.line ? `line ${last + 1}` : `lines ${start.line + 1}–${last + 1}`;
  return `${workspace.asRelativePath(document.uri)}, ${lines}`;
}

function resultNote({ text, finishReason, timings }: ExplainResult): string {
  if (text.trim() === '') return 'The model has nothing to say about this code.';
  const seconds = ((timings.prefillMs + timings.decodeMs) / 1000).toFixed(1);
  const ending = { stop: '', length: ', cut off at the limit', cancelled: ', stopped' }[finishReason];
  return `${timings.completionTokens} tokens in ${seconds} s${ending}`;
}
