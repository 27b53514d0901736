// "Explain Selection": streams the explanation into a page beside the code. Only one explanation runs at a time. It
// ends when another one starts, when the user presses Stop, or when the page closes.
import {
  CancellationTokenSource,
  commands,
  type Disposable,
  env,
  l10n,
  ViewColumn,
  type WebviewPanel,
  window,
} from 'vscode';
import { type ExplainParams, explainRequest } from '../../language-server/protocol/messages.ts';
import type { Client } from '../connection/client.ts';
import { type Ask, ExplainConversation } from './explain-conversation.ts';
import type { renderMarkdown } from './explain-markdown.ts';
import { explainPage, type PageMessage, type PageState } from './explain-page.ts';
import { pageTitle, selectionOf } from './explain-source.ts';

/** A model with a smaller file counts as small, such as 1.5B with 8 bits per weight, or 3B with 4 bits. */
const smallModelBytes = 2e9;

export class ExplainSelection implements Disposable {
  private lastId = 0;
  private panel: WebviewPanel | undefined;
  private title = '';
  private conversation: ExplainConversation | undefined;
  private render: typeof renderMarkdown = () => '';

  constructor(private readonly client: Client) {}

  async run(): Promise<void> {
    const editor = window.activeTextEditor;
    if (!editor || editor.selection.isEmpty) {
      void window.showInformationMessage(l10n.t('Select the code that Hearth should explain.'));
      return;
    }
    const [title, selection] = [pageTitle(editor), selectionOf(editor)];
    // The Markdown library is imported only now, so that it does not delay the start of the extension.
    this.render = (await import('./explain-markdown.ts')).renderMarkdown;
    this.panel ??= this.createPanel();
    this.panel.reveal(undefined, true);
    this.title = title;
    const previous = this.conversation;
    this.conversation = new ExplainConversation(selection, this.ask, () => this.show());
    const running = this.conversation.run();
    // The previous answer is stopped only after the new one has begun. If no answer were running in between, the page
    // would send the question that waits in its input.
    previous?.stop();
    await running;
  }

  dispose(): void {
    this.conversation?.stop();
    this.panel?.dispose();
  }

  private readonly ask: Ask = async (paramsWithoutId, onText, signal) => {
    const params: ExplainParams = { ...paramsWithoutId, id: ++this.lastId };
    const cancellation = new CancellationTokenSource();
    signal.addEventListener('abort', () => cancellation.cancel(), { once: true });
    const chunks = this.client.onExplainChunk(({ id, text }) => {
      if (id === params.id) onText(text);
    });
    try {
      const answer = await this.client.request(explainRequest, params, cancellation.token);
      void commands.executeCommand('setContext', 'hearth.hasExplained', true); // a step of the walkthrough
      return answer;
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
      turns: turns.map(({ question = '', answer }) => ({ question, html: this.render(answer) })),
      note,
      hint: [hint, this.modelHint()].join(' ').trim(),
      actions,
    };
    void this.panel?.webview.postMessage(state);
  }

  private modelHint(): string {
    const { status } = this.client;
    const model = status.explainModel ?? status.model;
    const isSmall = model !== undefined && model.device !== 'server' && model.fileBytes < smallModelBytes;
    return isSmall ? l10n.t('A model this small often makes mistakes: check what it says.') : '';
  }
}
