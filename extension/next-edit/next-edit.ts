// Next edits in the editor: offers the edit that the server finds, and at Tab jumps to it or applies it.
// offered-edit.ts has the states of an offer, triggers.ts decides when to ask, and questions.ts asks.
import {
  commands,
  Disposable,
  languages,
  type TextDocument,
  type TextDocumentChangeEvent,
  TextDocumentChangeReason,
  type TextEditor,
  window,
  workspace,
} from 'vscode';
import {
  dismissEditNotification,
  type NextEdit,
  type NextEditTrigger,
} from '../../language-server/protocol/next-edit-messages.ts';
import type { Client } from '../connection/client.ts';
import type { AnsweredRequest, GhostText } from '../ghost-text/ghost-text.ts';
import { documentSelector } from '../settings/config.ts';
import type { DocumentModes } from '../settings/document-mode.ts';
import { applyIn, endOfEdit, goTo } from './apply.ts';
import { announce, type EditView, isTabFree, stepIn } from './edit-view.ts';
import { insertedCommand, insertionIn, insertsAtCursor } from './insertion.ts';
import type { DocumentLine, EditOffer } from './offered-edit.ts';
import { Patience } from './patience.ts';
import { isTurnedOn, Questions } from './questions.ts';
import { allChanges } from './rebase.ts';
import { Triggers } from './triggers.ts';

/** After an edit was applied, Tab waits for the next one this long. The server has searched ahead, but may be busy. */
const longestWaitMs = 1000;

/** Is told of each request, and of each edit that was shown or applied. */
export interface EditObserver {
  asked(request: AnsweredRequest): void;
  shown(languageId: string, latencyMs: number): void;
  applied(languageId: string, characters: number): void;
}

export class NextEdits implements Disposable {
  private readonly patience = new Patience();
  private readonly triggers = new Triggers((trigger) => void this.ask(trigger), this.patience);
  private readonly subscriptions: Disposable;
  private readonly questions: Questions;
  /** The line of the last edit, whether the user typed it or Tab applied it. */
  private lastEdit: DocumentLine = { uri: '', line: 0 };
  private isApplying = false;
  private waitingTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly client: Client,
    private readonly modes: DocumentModes,
    private readonly ghostText: GhostText,
    private readonly offer: EditOffer,
    private readonly view: EditView,
    private readonly observer: EditObserver,
  ) {
    this.questions = new Questions(client, modes, (request) => observer.asked(request));
    const show = () => this.show();
    this.subscriptions = Disposable.from(
      view,
      commands.registerCommand('hearth.takeEdit', (pressed?: { key: string }) => this.take(pressed?.key === 'tab')),
      commands.registerCommand('hearth.dismissEdit', () => this.dismiss()),
      commands.registerCommand(insertedCommand, (characters: number) => this.applied(characters)),
      workspace.onDidChangeTextDocument((event) => this.changed(event)),
      workspace.onDidSaveTextDocument((document) => isActive(document) && this.triggers.saved()),
      workspace.onDidCloseTextDocument(({ uri }) => this.offer.edit?.uri === uri.toString() && this.withdraw()),
      window.onDidChangeTextEditorSelection(({ textEditor: { document, selection } }) => {
        if (isActive(document) && !this.isApplying) this.triggers.cursorMoved(selection.active.line);
        show();
      }),
      window.onDidChangeActiveTextEditor(show),
      window.onDidChangeVisibleTextEditors(show),
      window.onDidChangeTextEditorVisibleRanges(show),
      languages.onDidChangeDiagnostics(() => this.problemsChanged()),
      ghostText.onOffering(show),
      modes.onChange(() => this.modesChanged()),
      new Disposable(() => this.stop()),
    );
  }

  dispose(): void {
    this.subscriptions.dispose();
  }

  /** Call when the user has accepted a suggestion. */
  accepted(): void {
    this.triggers.accepted();
  }

  private changed({ document, contentChanges, reason }: TextDocumentChangeEvent): void {
    const [change] = contentChanges;
    // Output channels, for example, change whenever something is logged.
    if (!change || this.isApplying || languages.match(documentSelector, document) === 0) return;
    const uri = document.uri.toString();
    const isPartOfEdit = this.offer.follow(uri, contentChanges, document.version);
    if (isActive(document) && isTurnedOn()) {
      this.questions.cancel();
      const line = change.range.start.line + change.text.split('\n').length - 1;
      this.lastEdit = { uri, line };
      const isUndo = reason === TextDocumentChangeReason.Undo || reason === TextDocumentChangeReason.Redo;
      // The user is typing the offered edit. Another answer would replace the rest of the edit.
      if (isPartOfEdit) this.triggers.stop();
      else this.triggers.edited(line, isUndo);
    }
    this.show();
  }

  private async ask(trigger: NextEditTrigger): Promise<void> {
    const basis = this.lastEdit;
    const edit = await this.questions.ask(trigger);
    if (edit === undefined) return;
    const hasTabWaited = this.offer.set(edit, basis);
    this.show();
    if (hasTabWaited) await this.take();
  }

  /** Applies the edit if the cursor is at it or near it; otherwise goes there. */
  private async take(isTab = false): Promise<void> {
    const editor = window.activeTextEditor;
    const { edit } = this.offer;
    if (!editor) return;
    // VS Code updates the context keys a moment late, so this Tab may have been meant to indent.
    if (isTab && !isTabFree(this.offer, editor)) return void (await commands.executeCommand('tab'));
    const step = stepIn(this.offer, editor);
    if (step === 'wait') this.offer.tabWaits();
    if (edit && step === 'go') await this.go(edit);
    if (edit && step === 'apply') await this.apply(edit);
  }

  private async go(edit: NextEdit): Promise<void> {
    this.offer.jumped();
    const editor = await goTo(edit);
    this.show();
    this.showAsGhostText(editor);
  }

  /** Does nothing unless the user has jumped to the edit and it only inserts text at the cursor. */
  private showAsGhostText(editor: TextEditor): void {
    if (insertionIn(this.offer, editor)) void commands.executeCommand('editor.action.inlineSuggest.trigger');
  }

  private async apply(edit: NextEdit): Promise<void> {
    this.isApplying = true;
    const isDone = await applyIn(edit).finally(() => {
      this.isApplying = false;
    });
    if (!isDone) return this.withdraw();
    this.lastEdit = { uri: edit.uri, line: endOfEdit(edit).line };
    this.applied(allChanges(edit).reduce((sum, { text }) => sum + text.length, 0));
  }

  /** Call when the edit was applied. Asks at once for the edit that follows from it. */
  private applied(characters: number): void {
    const languageId = window.activeTextEditor?.document.languageId;
    if (languageId !== undefined) this.observer.applied(languageId, characters);
    this.offer.applied();
    this.patience.note('applied');
    clearTimeout(this.waitingTimer);
    this.waitingTimer = setTimeout(() => this.stopWaiting(), longestWaitMs);
    this.show();
    this.triggers.applied();
  }

  /** If no answer has come in time, Tab gets its usual meaning back. */
  private stopWaiting(): void {
    if (this.offer.state.kind !== 'applied') return;
    this.offer.withdraw();
    this.show();
  }

  /** Esc: the edit disappears, and the server does not offer it again. */
  private dismiss(): void {
    const { edit } = this.offer;
    if (edit) this.client.notify(dismissEditNotification, edit);
    this.patience.note('dismissed');
    this.withdraw();
  }

  /** Withdraws the edit if one of its documents no longer gets suggestions automatically. */
  private modesChanged(): void {
    const uris = [...this.offer.uris, this.lastEdit.uri];
    const concerned = workspace.textDocuments.filter(({ uri }) => uris.includes(uri.toString()));
    const isWanted = isTurnedOn() && concerned.every((document) => this.modes.of(document).mode === 'automatic');
    if (isWanted) this.show();
    else this.withdraw();
  }

  private withdraw(): void {
    const editor = window.activeTextEditor;
    const isGhostText = editor !== undefined && insertionIn(this.offer, editor) !== null;
    this.stop();
    this.offer.withdraw();
    this.show();
    if (isGhostText) void commands.executeCommand('editor.action.inlineSuggest.hide');
  }

  private stop(): void {
    clearTimeout(this.waitingTimer);
    this.triggers.stop();
    this.questions.cancel();
  }

  private problemsChanged(): void {
    if (this.questions.hasMoreErrors() && this.offer.state.kind === 'none') this.triggers.newProblem();
  }

  private show(): void {
    const editor = window.activeTextEditor;
    // Only one thing is shown at a time, and a suggestion at the cursor takes precedence.
    const mayShow = this.offer.isChained || !this.ghostText.isOffering;
    if (mayShow && this.offer.release() && this.offer.edit && editor) {
      announce(this.offer, this.offer.edit, editor);
      this.observer.shown(editor.document.languageId, this.questions.latencyMs);
      if (insertsAtCursor(this.offer.edit, editor)) this.offer.jumped();
      this.showAsGhostText(editor);
    }
    this.view.show(this.offer);
  }
}

function isActive(document: TextDocument): boolean {
  return window.activeTextEditor?.document === document;
}
