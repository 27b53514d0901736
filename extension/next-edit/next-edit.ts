// Next edits in the editor: asks the server after the user's edits, offers what it finds, and goes there and applies it
// on Tab. offer.ts has the states, triggers.ts the times.
import {
  CancellationTokenSource,
  commands,
  DiagnosticSeverity,
  Disposable,
  languages,
  type TextDocument,
  type TextDocumentChangeEvent,
  TextDocumentChangeReason,
  window,
  workspace,
} from 'vscode';
import {
  dismissEditNotification,
  type NextEdit,
  type NextEditTrigger,
  nextEditRequest,
} from '../../language-server/protocol/next-edit.ts';
import type { Client } from '../client.ts';
import { documentSelector, section } from '../config.ts';
import type { DocumentModes } from '../document-mode.ts';
import type { AnsweredRequest, GhostText } from '../ghost-text.ts';
import { announce } from './announce.ts';
import { applyIn, goTo } from './apply.ts';
import { type EditView, fileOf, isInView, isTabFree } from './edit-view.ts';
import { insertedCommand, insertionAt } from './insertion.ts';
import type { DocumentPosition, EditOffer } from './offer.ts';
import { Patience } from './patience.ts';
import { announcement } from './texts.ts';
import { Triggers } from './triggers.ts';

/** After an edit was applied, Tab waits for the next one, which was found ahead; a server that is busy may need longer. */
const longestWaitMs = 1000;

/** Learns of each request, and of each edit that was shown or applied. */
export interface EditObserver {
  asked(request: AnsweredRequest): void;
  shown(of: { languageId: string }, latencyMs: number): void;
  applied(of: { languageId: string }, characters: number): void;
}

export class NextEdits implements Disposable {
  private readonly patience = new Patience();
  private readonly triggers = new Triggers((trigger) => void this.ask(trigger), this.patience);
  private readonly subscriptions: Disposable;
  private request: CancellationTokenSource | null = null;
  /** Where the last edit was made. */
  private lastEdit: DocumentPosition = { uri: '', line: 0, character: 0 };
  private errors = 0;
  private latencyMs = 0;
  private isApplying = false;
  /** Tab was pressed before the next answer came. */
  private isTabWaiting = false;
  private waitingTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly client: Client,
    private readonly modes: DocumentModes,
    private readonly ghostText: GhostText,
    private readonly offer: EditOffer,
    private readonly view: EditView,
    private readonly observer: EditObserver,
  ) {
    const show = () => this.show();
    this.subscriptions = Disposable.from(
      view,
      commands.registerCommand('hearth.takeEdit', (pressed?: { key: string }) => this.take(pressed?.key === 'tab')),
      commands.registerCommand('hearth.dismissEdit', () => this.dismiss()),
      commands.registerCommand(insertedCommand, (characters: number) => this.applied(characters)),
      workspace.onDidChangeTextDocument((event) => this.changed(event)),
      workspace.onDidSaveTextDocument((document) => isActive(document) && this.triggers.saved()),
      workspace.onDidCloseTextDocument(({ uri }) => this.offer.edit?.uri === uri.toString() && this.withdraw()),
      workspace.onDidChangeConfiguration(() => !this.isOn && this.withdraw()),
      window.onDidChangeTextEditorSelection(({ textEditor: { document, selection } }) => {
        if (isActive(document) && !this.isApplying) this.triggers.cursorMoved(selection.active.line);
        show();
      }),
      window.onDidChangeActiveTextEditor(show),
      window.onDidChangeVisibleTextEditors(show),
      window.onDidChangeTextEditorVisibleRanges(show),
      languages.onDidChangeDiagnostics(() => this.problemsChanged()),
      ghostText.onOffering(show),
      modes.onChange(show),
      new Disposable(() => this.stop()),
    );
  }

  dispose(): void {
    this.subscriptions.dispose();
  }

  /** Call when a suggestion was accepted. */
  accepted(): void {
    this.triggers.accepted();
  }

  private get isOn(): boolean {
    return workspace.getConfiguration(section).get('nextEdit') !== 'off';
  }

  private changed({ document, contentChanges, reason }: TextDocumentChangeEvent): void {
    const [change] = contentChanges;
    if (!change || this.isApplying) return;
    const uri = document.uri.toString();
    this.offer.follow(uri, contentChanges, document.version);
    if (isActive(document) && this.isOn && languages.match(documentSelector, document) > 0) {
      this.cancel();
      const line = change.range.start.line + change.text.split('\n').length - 1;
      this.lastEdit = { uri, line, character: 0 };
      const isUndo = reason === TextDocumentChangeReason.Undo || reason === TextDocumentChangeReason.Redo;
      this.triggers.edited(line, isUndo);
    }
    this.show();
  }

  private async ask(trigger: NextEditTrigger): Promise<void> {
    const basis = this.lastEdit;
    this.cancel();
    const request = new CancellationTokenSource();
    this.request = request;
    try {
      const edit = await this.answerTo(trigger, request);
      if (this.request !== request) return;
      this.offer.set(edit && isCurrent(edit) ? edit : null, basis);
    } catch (error) {
      if (this.request !== request) return;
      this.client.log.warn(`A request for a next edit was not answered: ${String(error)}`);
      this.offer.withdraw();
    }
    this.show();
    const { isTabWaiting } = this;
    this.isTabWaiting = false;
    if (isTabWaiting) await this.take();
  }

  /** Null also where none may be asked for: with several cursors or a selection, or in a file that gets no suggestions. */
  private async answerTo(trigger: NextEditTrigger, { token }: CancellationTokenSource): Promise<NextEdit | null> {
    const editor = window.activeTextEditor;
    if (!editor || !this.isOn || editor.selections.length > 1 || !editor.selection.isEmpty) return null;
    const { document, selection } = editor;
    const { mode } = this.modes.of(document);
    const { health, problem } = this.client.status;
    if (mode !== 'automatic' || problem === 'server' || health === 'starting') return null;
    const { line, character } = selection.active;
    const place = { uri: document.uri.toString(), version: document.version, position: { line, character } };
    const asked = { document, position: selection.active, time: new Date() };
    const { edit, reason, latencyMs } = await this.client.request(nextEditRequest, { ...place, trigger, mode }, token);
    if (!token.isCancellationRequested) this.observer.asked({ ...asked, reason, latencyMs });
    this.latencyMs = latencyMs;
    return edit;
  }

  /** Goes to the edit, or applies it if it is near or the cursor is there. */
  private async take(isTab = false): Promise<void> {
    const editor = window.activeTextEditor;
    const { edit } = this.offer;
    if (!editor) return;
    // VS Code learns a moment late where the cursor is: Tab may have been meant for it.
    if (isTab && !isTabFree(this.offer, editor)) return void (await commands.executeCommand('tab'));
    const { line, character } = editor.selection.active;
    const cursor = { uri: editor.document.uri.toString(), line, character };
    const step = this.offer.step(cursor, edit !== null && isInView(editor, edit));
    if (step === 'wait') this.isTabWaiting = true;
    if (edit && step === 'go') await this.go(edit);
    if (edit && step === 'apply') await this.apply(edit);
  }

  private async go(edit: NextEdit): Promise<void> {
    this.offer.jumped();
    const { document, selection } = await goTo(edit);
    this.show();
    if (insertionAt(this.offer, document, selection.active))
      await commands.executeCommand('editor.action.inlineSuggest.trigger');
  }

  private async apply(edit: NextEdit): Promise<void> {
    this.isApplying = true;
    const isDone = await applyIn(edit).finally(() => {
      this.isApplying = false;
    });
    if (!isDone) return this.withdraw();
    this.lastEdit = { uri: edit.uri, ...edit.range.start };
    this.applied(edit.changes.reduce((sum, { text }) => sum + text.length, 0));
  }

  /** The one that follows is asked for at once. */
  private applied(characters: number): void {
    const languageId = window.activeTextEditor?.document.languageId;
    if (languageId !== undefined) this.observer.applied({ languageId }, characters);
    this.offer.applied();
    this.patience.note('applied');
    clearTimeout(this.waitingTimer);
    this.waitingTimer = setTimeout(() => this.waitNoLonger(), longestWaitMs);
    this.show();
    this.triggers.applied();
  }

  /** Tab is Tab again, although no answer has come. */
  private waitNoLonger(): void {
    if (this.offer.state.kind !== 'applied') return;
    this.offer.withdraw();
    this.show();
  }

  /** Esc: the edit goes, and does not come again. */
  private dismiss(): void {
    const { edit } = this.offer;
    if (edit) this.client.notify(dismissEditNotification, edit);
    this.patience.note('dismissed');
    this.withdraw();
  }

  private withdraw(): void {
    this.stop();
    this.offer.withdraw();
    this.show();
  }

  private stop(): void {
    clearTimeout(this.waitingTimer);
    this.triggers.stop();
    this.cancel();
  }

  private cancel(): void {
    this.request?.cancel();
    this.request = null;
    this.isTabWaiting = false;
  }

  private problemsChanged(): void {
    const document = window.activeTextEditor?.document;
    const before = this.errors;
    const problems = document ? languages.getDiagnostics(document.uri) : [];
    this.errors = problems.filter(({ severity }) => severity === DiagnosticSeverity.Error).length;
    if (this.errors > before && this.offer.state.kind === 'none') this.triggers.newProblem();
  }

  private show(): void {
    const editor = window.activeTextEditor;
    // A suggestion at the cursor has precedence: one thing at a time.
    const mayShow = this.offer.isChained || !this.ghostText.isOffering;
    if (mayShow && this.offer.release() && this.offer.edit && editor) {
      announce(announcement(this.offer.edit, fileOf(this.offer.edit, editor)));
      this.observer.shown({ languageId: editor.document.languageId }, this.latencyMs);
    }
    this.view.show(this.offer);
  }
}

function isActive(document: TextDocument): boolean {
  return window.activeTextEditor?.document === document;
}

/** Whether the document is as it was when the edit was found. */
function isCurrent({ uri, version }: NextEdit): boolean {
  return workspace.textDocuments.some((each) => each.uri.toString() === uri && each.version === version);
}
