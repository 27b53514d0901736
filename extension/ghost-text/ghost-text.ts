// The provider of inline completions: it requests them from the server, and tells the server when the cursor has moved
// away. The library of the language client also has a provider. But ours answers from the first key on, even while the
// server is starting, and learns why there is no suggestion.
import {
  type CancellationToken,
  type Command,
  commands,
  Disposable,
  EventEmitter,
  type InlineCompletionContext,
  type InlineCompletionItem,
  type InlineCompletionItemProvider,
  InlineCompletionTriggerKind,
  languages,
  Position,
  Range,
  type TextDocument,
  type TextEditor,
  window,
} from 'vscode';
import type { InlineCompletionList } from 'vscode-languageclient/node';
import {
  type CompletionExtras,
  type CompletionOutcome,
  type CursorParams,
  cursorNotification,
  type GrownParams,
  type LeaveParams,
  leaveNotification,
  type VersionedPosition,
} from '../../language-server/protocol/messages.ts';
import type { Reason } from '../../language-server/protocol/reasons.ts';
import type { Client } from '../connection/client.ts';
import { documentSelector, messageSelector } from '../settings/config.ts';
import type { DocumentModes } from '../settings/document-mode.ts';
import { canTriggerOnlyOurs, triggerOnlyOurs } from './trigger-only-ours.ts';

/**
 * The command that VS Code runs when the user accepts a suggestion. Its arguments are the document's language id and
 * the number of characters that the user did not have to type.
 */
export const acceptedCommand = 'hearth.accepted';
const requestMethod = 'textDocument/inlineCompletion';
/** While this context key is set, Esc runs hearth.dismiss, which hides the suggestion and tells the server. */
const offeringKey = 'hearth.isOffering';
// The server reads the text around a cursor that has rested for this long. That is longer than the pause between two
// keys, so that moving through a file costs nothing, and shorter than a person takes to begin typing.
const restMs = 200;

/** A request for a suggestion and its outcome. A request that did not reach the server has no timings. */
export interface AnsweredRequest {
  document: TextDocument;
  position: Position;
  time: Date;
  reason: Reason;
  latencyMs: number;
  timings?: CompletionOutcome['timings'];
  items?: InlineCompletionItem[];
}

/** What ghost text must know about the next edit that is offered. */
export interface EditsAtCursor {
  /** The next edit that the user has just jumped to, if it only inserts text at this position; otherwise null. */
  insertionAt(document: TextDocument, position: Position): InlineCompletionItem | null;
  /** Whether the user goes from edit to edit with Tab, and so does not expect Tab to accept a suggestion. */
  isChained(): boolean;
}

/** The suggestion that is shown at the cursor. */
interface Offered {
  document: TextDocument;
  version: number;
  position: Position;
  /** The part of the suggestion after the position. */
  text: string;
}

export class GhostText implements InlineCompletionItemProvider, Disposable {
  private readonly subscriptions: Disposable;
  private offered: Offered | null = null;
  private readonly offeringEmitter = new EventEmitter<void>();
  /** Fires when isOffering has changed. */
  readonly onOffering = this.offeringEmitter.event;
  private restTimer: NodeJS.Timeout | undefined;
  private hasBeenAsked = false;

  constructor(
    private readonly client: Client,
    private readonly modes: DocumentModes,
    private readonly edits: EditsAtCursor,
    private readonly onRequest: (request: AnsweredRequest) => void,
  ) {
    let wasReady = false;
    void this.answerFirstKeys();
    void client.running().then(() => this.answerFirstKeys());
    this.subscriptions = Disposable.from(
      languages.registerInlineCompletionItemProvider([...documentSelector, ...messageSelector], this),
      commands.registerCommand('hearth.dismiss', () => this.dismiss()),
      client.onGrown((grown) => this.askAgain(grown)),
      modes.onChange(() => this.modesChanged()),
      window.onDidChangeActiveTextEditor(() => this.cursorMoved()),
      window.onDidChangeTextEditorSelection(() => this.cursorMoved()),
      // A newly loaded model has an empty cache, so it reads the text around the cursor at once.
      client.onStatus(({ health }) => {
        if (health === 'ready' && !wasReady) this.cursorMoved();
        wasReady = health === 'ready';
      }),
      this.offeringEmitter,
      new Disposable(() => clearTimeout(this.restTimer)),
    );
  }

  /** Whether there is a suggestion at the cursor. */
  get isOffering(): boolean {
    return this.offered !== null;
  }

  dispose(): void {
    this.subscriptions.dispose();
  }

  async provideInlineCompletionItems(
    document: TextDocument,
    position: Position,
    context: InlineCompletionContext,
    token: CancellationToken,
  ): Promise<InlineCompletionItem[]> {
    this.hasBeenAsked = true;
    const startedAt = performance.now();
    const request = { document, position, time: new Date() };
    const { version } = document;
    const isInvoked = context.triggerKind === InlineCompletionTriggerKind.Invoke;
    const answerNothing = (reason: Reason) => {
      // After a cancelled request, the next one sets `offered`.
      if (!token.isCancellationRequested) this.setOffered(null);
      this.onRequest({ ...request, reason, latencyMs: performance.now() - startedAt });
      return [];
    };
    const edit = this.edits.insertionAt(document, position);
    if (edit || (this.edits.isChained() && !isInvoked)) {
      this.setOffered(null);
      return edit ? [edit] : [];
    }
    const { mode, reason } = this.modes.of(document);
    // In these cases nothing is sent to the server.
    if (mode === 'off' || (mode === 'manual' && !isInvoked)) return answerNothing(reason);
    if (this.client.status.problem === 'server') return answerNothing('no-server');
    const cancelled = new Promise<undefined>((resolve) => token.onCancellationRequested(() => resolve(undefined)));
    const server = await Promise.race([this.client.running(), cancelled]);
    if (!server) return answerNothing('still-loading');
    const params = server.code2ProtocolConverter.asInlineCompletionParams(document, position, context);
    const extras: CompletionExtras = { mode };
    try {
      type Answer = InlineCompletionList & CompletionOutcome;
      const answer = await server.sendRequest<Answer>(requestMethod, { ...params, ...extras }, token);
      const items = answer.items.map((item) => server.protocol2CodeConverter.asInlineCompletionItem(item));
      for (const item of items) item.command = onAccept(item, document, position);
      this.onRequest({ ...request, ...answer, items });
      const text = items[0] && textAfterCursor(items[0], position);
      if (!token.isCancellationRequested) this.setOffered(text ? { document, version, position, text } : null);
      return items;
    } catch (error) {
      if (token.isCancellationRequested) return answerNothing('superseded');
      this.client.log.warn(`A request for a suggestion was not answered: ${String(error)}`);
      return answerNothing('no-server');
    }
  }

  /** Esc hides the suggestion. The server stops computing the text, and does not offer it again at this place. */
  private async dismiss(): Promise<void> {
    const { offered } = this;
    this.setOffered(null);
    if (offered) this.leave(offered.document, { version: offered.version, position: plain(offered.position) });
    await commands.executeCommand('editor.action.inlineSuggest.hide');
  }

  /** Hides the suggestion if its document no longer gets suggestions automatically. */
  private async modesChanged(): Promise<void> {
    const { offered } = this;
    if (!offered || this.modes.of(offered.document).mode === 'automatic') return;
    this.setOffered(null);
    this.leave(offered.document);
    await commands.executeCommand('editor.action.inlineSuggest.hide');
  }

  /** Requests the suggestion again because the server has reported that its text has grown. */
  private async askAgain({ uri, version, position }: GrownParams): Promise<void> {
    const { offered } = this;
    const editor = window.activeTextEditor;
    const isShown = offered?.document.uri.toString() === uri && offered.version === version;
    if (!isShown || editor?.document !== offered.document || editor.document.version !== version) return;
    if (!editor.selection.active.isEqual(new Position(position.line, position.character))) return;
    await triggerOnlyOurs();
  }

  /** Requests a suggestion if the user typed something before VS Code knew about this provider. */
  private async answerFirstKeys(): Promise<void> {
    const editor = window.activeTextEditor;
    const hasTyped = editor !== undefined && editor.document.version > 1;
    if (canTriggerOnlyOurs && hasTyped && !this.hasBeenAsked) await triggerOnlyOurs();
  }

  /** Typing also moves the cursor, but does not end the suggestion: a new request follows. */
  private cursorMoved(): void {
    const { offered } = this;
    const editor = window.activeTextEditor;
    if (offered && (editor?.document !== offered.document || hasLeft(editor, offered))) {
      this.setOffered(null);
      if (canTriggerOnlyOurs && editor && hasMovedOverSuggestion(editor, offered)) void triggerOnlyOurs();
      else this.leave(offered.document);
    }
    clearTimeout(this.restTimer);
    this.restTimer = setTimeout(() => this.reportCursor(), restMs);
  }

  /** Lets the server read the text around the cursor before the next key is pressed. */
  private reportCursor(): void {
    const editor = window.activeTextEditor;
    if (!editor?.selection.isEmpty) return;
    const { mode } = this.modes.of(editor.document);
    if (mode !== 'automatic') return;
    const position = plain(editor.selection.active);
    const params: CursorParams = { uri: editor.document.uri.toString(), position, mode };
    this.client.notify(cursorNotification, params);
  }

  /** Tells the server that a suggestion is no longer shown. dismissed: its place, if the user has dismissed it. */
  private leave(document: TextDocument, dismissed?: VersionedPosition): void {
    const params: LeaveParams = { uri: document.uri.toString(), ...(dismissed && { dismissed }) };
    this.client.notify(leaveNotification, params);
  }

  private setOffered(offered: Offered | null): void {
    const hasChanged = (offered === null) !== (this.offered === null);
    this.offered = offered;
    if (!hasChanged) return;
    void commands.executeCommand('setContext', offeringKey, offered !== null);
    this.offeringEmitter.fire();
  }
}

/** Whether the cursor has moved while the document stayed the same. After a change, VS Code sends a new request. */
function hasLeft({ document, selection }: TextEditor, { version, position }: Offered): boolean {
  return document.version === version && !selection.active.isEqual(position);
}

/**
 * Whether the cursor has moved over text with which the suggestion begins, such as a closing quote. The rest of the
 * suggestion then fits at the new place.
 */
function hasMovedOverSuggestion({ document, selection: { active, isEmpty } }: TextEditor, offered: Offered): boolean {
  const { position, text } = offered;
  if (document !== offered.document || !isEmpty || active.line !== position.line || !active.isAfter(position))
    return false;
  return text.startsWith(document.getText(new Range(position, active)));
}

/** The position as a plain object. In JSON, a vscode.Position is whatever its toJSON() returns. */
function plain({ line, character }: Position): VersionedPosition['position'] {
  return { line, character };
}

/** The command that VS Code runs when the user accepts the item. */
export function onAccept(item: InlineCompletionItem, { languageId }: TextDocument, position: Position): Command {
  const replacedCharacters = item.range ? item.range.end.character - position.character : 0;
  const characters = textAfterCursor(item, position).length - replacedCharacters;
  return { title: '', command: acceptedCommand, arguments: [languageId, characters] };
}

/**
 * The part of an item after the cursor. The item begins before the cursor if it continues the suggest widget's entry.
 */
export function textAfterCursor({ insertText, range }: InlineCompletionItem, { character }: Position): string {
  const text = typeof insertText === 'string' ? insertText : insertText.value;
  return text.slice(character - (range?.start.character ?? character));
}
