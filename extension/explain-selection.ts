// "Explain Selection": the answer streams into a page beside the code. One explanation at a time: a new one, the Stop
// button or closing the page ends the one before.
import { basename } from 'node:path';
import {
  CancellationTokenSource,
  type Disposable,
  env,
  l10n,
  type Range,
  type TextDocument,
  type TextEditor,
  ViewColumn,
  type WebviewPanel,
  window,
  workspace,
} from 'vscode';
import { type ExplainParams, type ExplainResult, explainRequest } from '../language-server/protocol.ts';
import type { Client } from './client.ts';
import { type Ask, ExplainConversation, type Selection } from './explain-conversation.ts';
import { renderMarkdown } from './explain-markdown.ts';
import { explainPage, type PageMessage, type PageState } from './explain-page.ts';

/** A 1.5B model at 8 bits a weight is just below, and so is a 3B model at 4 bits. */
const smallModelBytes = 2e9;

export class ExplainSelection implements Disposable {
  private lastId = 0;
  private panel: WebviewPanel | undefined;
  private title = '';
  private conversation: ExplainConversation | undefined;

  constructor(private readonly client: Client) {}

  async run(): Promise<void> {
    const editor = window.activeTextEditor;
    if (!editor || editor.selection.isEmpty) {
      void window.showInformationMessage(l10n.t('Select the code that Hearth should explain.'));
      return;
    }
    this.conversation?.stop();
    this.title = pageTitle(editor);
    this.conversation = new ExplainConversation(selectionOf(editor), this.ask, () => this.show());
    this.panel ??= this.createPanel();
    this.panel.reveal(undefined, true);
    await this.conversation.run();
  }

  dispose(): void {
    this.conversation?.stop();
    this.panel?.dispose();
  }

  private readonly ask: Ask = async (asked, onText, signal) => {
    const params: ExplainParams = { ...asked, id: ++this.lastId };
    const cancellation = new CancellationTokenSource();
    signal.addEventListener('abort', () => cancellation.cancel(), { once: true });
    const chunks = this.client.onExplainChunk(({ id, text }) => {
      if (id === params.id) onText(text);
    });
    try {
      return await this.client.request<ExplainResult>(explainRequest, params, cancellation.token);
    } finally {
      chunks.dispose();
      cancellation.dispose();
    }
  };

  private createPanel(): WebviewPanel {
    const place = { viewColumn: ViewColumn.Beside, preserveFocus: true };
    const options = { enableScripts: true, enableFindWidget: true, localResourceRoots: [] };
    const panel = window.createWebviewPanel('hearth.explanation', l10n.t('Explanation'), place, options);
    panel.webview.onDidReceiveMessage((message: PageMessage) => this.act(message));
    panel.onDidDispose(() => {
      this.panel = undefined;
      this.conversation?.stop();
    });
    panel.webview.html = explainPage();
    return panel;
  }

  private async act(message: PageMessage): Promise<void> {
    const { conversation } = this;
    if (message.action === 'ready') this.show();
    if (message.action === 'stop') conversation?.stop();
    if (message.action === 'continue') await conversation?.run();
    if (message.action === 'retry') await conversation?.retry();
    if (message.action === 'ask') await conversation?.followUp(message.question);
    if (message.action === 'copy' && conversation) {
      await env.clipboard.writeText(conversation.answer);
      conversation.say(l10n.t('Copied.'));
    }
  }

  private show(): void {
    if (!this.conversation) return;
    const { turns, note, hint, actions } = this.conversation.state;
    const state: PageState = {
      title: this.title,
      turns: turns.map(({ question = '', answer }) => ({ question, html: renderMarkdown(answer) })),
      note,
      hint: [hint, this.modelHint()].join(' ').trim(),
      actions,
    };
    void this.panel?.webview.postMessage(state);
  }

  private modelHint(): string {
    const { model } = this.client.status;
    const isSmall = model !== undefined && model.fileBytes < smallModelBytes;
    return isSmall ? l10n.t('A model this small often makes mistakes: check what it says.') : '';
  }
}

function selectionOf({ document, selection }: TextEditor): Selection {
  return {
    // The sides of a diff and the cells of a notebook add to the path of the file, whose name says if it holds secrets.
    uri: document.uri.with({ query: '', fragment: '' }).toString(),
    text: document.getText(selection),
    languageId: document.languageId,
    firstLine: selection.start.line + 1,
  };
}

function pageTitle({ document, selection }: TextEditor): string {
  const cell = cellNumber(document);
  const parts = [fileName(document), ...(cell > 0 ? [l10n.t('cell {0}', cell)] : []), lineNumbers(selection)];
  return parts.join(', ');
}

/** A path inside the workspace; of anything else, such as the old side of a diff, the name. */
function fileName({ uri }: TextDocument): string {
  const path = workspace.asRelativePath(uri);
  return path === uri.fsPath ? basename(path) : path;
}

/** Counted from 1; 0: not in a notebook. */
function cellNumber(document: TextDocument): number {
  const cells = workspace.notebookDocuments.flatMap((notebook) => notebook.getCells());
  const cell = cells.find((each) => each.document === document);
  return cell ? cell.index + 1 : 0;
}

function lineNumbers({ start, end }: Range): string {
  // Whole lines are selected up to the start of the next.
  const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
  if (last === start.line) return l10n.t('line {0}', last + 1);
  return l10n.t('lines {0}–{1}', start.line + 1, last + 1);
}
