// The next edits of one window: remembers what was edited, answers the client's requests, and looks ahead for the edit
// after the one that is offered, so that it is there when that one has been applied.
import { setTimeout as sleep } from 'node:timers/promises';
import type { LongText } from '../documents/long-text.ts';
import type { DocumentChange, OpenDocument } from '../documents/open-document.ts';
import { promptPlace } from '../prompt/document-path.ts';
import type { CursorParams, Settings } from '../protocol/messages.ts';
import type { Eagerness, NextEdit, NextEditAnswer, NextEditParams } from '../protocol/next-edit.ts';
import type { Reason } from '../protocol/reasons.ts';
import { hasSecretName } from '../protocol/secret-names.ts';
import type { EditorWindow } from '../related-code/related-code.ts';
import { hasSecret } from '../secrets/secrets.ts';
import { DismissedEdits } from './decision/dismissed-edits.ts';
import { gates } from './decision/gates.ts';
import {
  after,
  type EditModel,
  type FoundEdit,
  findEdit,
  readAhead,
  type SearchedDocument,
  type Workspace,
} from './edit-search.ts';
import { EditHistory, maxChars } from './history/edit-history.ts';
import type { PastEdit } from './text/text-edit.ts';

/** Where the model comes from. Never a team's server: what was edited stays on this machine. */
export interface EngineSource {
  ready(): Promise<EditModel | null>;
}

/** Running, or ended with what it found in which documents. */
interface Search {
  controller: AbortController;
  result: Promise<{ workspace: Workspace; found: FoundEdit | Reason }>;
}

/** A search in the documents as they will be when the offered edit has been applied. */
interface Foreseen extends Search {
  document: SearchedDocument;
}

type Wanted = Exclude<Eagerness, 'off'>;

// Other documents in which an edit may follow: those that were edited last.
const maxOthers = 6;
const editorLimitMs = 300;
/** After the client has said that the cursor rests: before it asks, and seldom between two keys. */
const restMs = 100;
const none: string[] = [];

export class NextEdits {
  private readonly history: EditHistory;
  private readonly dismissed = new DismissedEdits();
  private readonly editedMs = new Map<string, number>();
  private search: Search | null = null;
  private reading: AbortController | null = null;
  /** Behind the last change. */
  private cursor = 0;
  /** The document that was changed last, if the model has not read it since. */
  private unread: string | null = null;
  private ahead: Foreseen | null = null;

  constructor(
    private readonly editor: EditorWindow,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.history = new EditHistory(now);
  }

  /** Call with each change of a document; and after the last one of an edit, changed(). */
  record(change: DocumentChange): void {
    this.history.record(change);
    this.dismissed.follow(change);
    this.editedMs.set(change.uri, this.now());
    this.cursor = change.edit.start + change.edit.text.length;
  }

  /** Ends the search in the text before, and, unless the change is the edit that was foreseen, also the one ahead of it. */
  changed({ uri, text }: OpenDocument): void {
    this.search?.controller.abort();
    this.reading?.abort();
    this.unread = null;
    if (this.isForeseen(uri, text)) return;
    this.stopAhead();
    this.unread = uri;
  }

  /** Call when the cursor rests: after a change, the model reads what it will need to answer the next request. */
  rest({ uri, mode }: Pick<CursorParams, 'uri' | 'mode'>, source: EngineSource, settings: Settings): void {
    const document = this.open(uri);
    if (!document || this.unread !== uri) return;
    this.unread = null;
    const { version } = document;
    if (this.refusal({ version, ...(mode && { mode }) }, document, settings) !== null) return;
    this.reading = new AbortController();
    // The request that comes reports an error.
    this.readAtRest(document, source, this.reading.signal).catch(() => undefined);
  }

  dismiss(edit: NextEdit): void {
    const document = this.open(edit.uri);
    if (document?.version !== edit.version) return;
    const [start, end] = [edit.range.start, edit.range.end].map((position) => document.offsetAt(position));
    this.dismissed.add(edit.uri, { start: start ?? 0, end: end ?? 0, text: edit.newText });
  }

  forget(uri: string): void {
    this.history.forget(uri);
    this.dismissed.forget(uri);
    this.editedMs.delete(uri);
  }

  /** Call when next edits are turned off, or the window has closed. */
  clear(): void {
    this.history.clear();
    this.search?.controller.abort();
    this.reading?.abort();
    this.unread = null;
    this.stopAhead();
  }

  /** Rejects with the engine's errors. */
  async provide(
    params: NextEditParams,
    source: EngineSource,
    settings: Settings,
    signal: AbortSignal,
  ): Promise<Omit<NextEditAnswer, 'latencyMs'>> {
    const nothing = (reason: Reason) => ({ reason, edit: null });
    const document = this.open(params.uri);
    const refusal = this.refusal(params, document, settings);
    if (refusal !== null || !document || settings.nextEdit === 'off') return nothing(refusal ?? 'off');
    const { controller, result } = this.takeAhead(document) ?? this.begin(params, document, source, settings.nextEdit);
    this.search?.controller.abort();
    this.search = { controller, result };
    signal.addEventListener('abort', () => controller.abort(), { once: true });
    const { workspace, found } = await result;
    if (signal.aborted || controller.signal.aborted) return nothing('superseded');
    if (typeof found === 'string') return nothing(found);
    const target = this.open(found.document.uri);
    if (!target?.text.equals(found.document.text)) return nothing('superseded');
    this.lookAhead(after(workspace, found), source, settings.nextEdit);
    return { reason: 'edit-offered', edit: onScreen(found, target) };
  }

  private refusal(
    { mode, version }: Pick<NextEditParams, 'mode' | 'version'>,
    document: OpenDocument | undefined,
    settings: Settings,
  ) {
    const wanted = mode ?? settings.mode;
    if (wanted !== 'automatic') return wanted;
    if (!document || document.version !== version) return 'superseded';
    if (hasSecretName(document.uri) || hasSecret(document.text)) return 'secrets-file';
    if (document.text.length > maxChars) return 'too-long';
    return this.history.isBulk ? 'bulk-change' : null;
  }

  private async readAtRest(document: OpenDocument, source: EngineSource, signal: AbortSignal): Promise<void> {
    await sleep(restMs, undefined, { signal, ref: false });
    const model = await source.ready();
    const searched = this.searched(document);
    if (model && !signal.aborted) await readAhead(model, searched, this.cursor, this.past([searched]), signal);
  }

  private begin({ position }: NextEditParams, document: OpenDocument, source: EngineSource, eagerness: Wanted): Search {
    return this.start(() => this.workspace(document, document.offsetAt(position)), source, eagerness);
  }

  /** Looks for the edit that follows when the offered one has been applied. */
  private lookAhead(workspace: Workspace, source: EngineSource, eagerness: Wanted): void {
    this.stopAhead();
    const [document] = workspace.documents;
    const search = this.start(() => workspace, source, eagerness);
    search.result.catch(() => undefined); // whoever takes it reports the error
    if (document) this.ahead = { ...search, document };
  }

  private start(workspaceOf: () => Workspace | Promise<Workspace>, source: EngineSource, eagerness: Wanted): Search {
    const controller = new AbortController();
    const { signal } = controller;
    const search = async () => {
      const workspace = await workspaceOf();
      const find = async (): Promise<FoundEdit | Reason> => {
        if (workspace.history.length === 0) return 'no-edits';
        const models = await source.ready();
        if (!models) return 'no-model';
        return await findEdit(models, workspace, gates[eagerness], this.dismissed, signal);
      };
      return { workspace, found: await find() };
    };
    return { controller, result: search() };
  }

  /** The search that has looked ahead to this text. */
  private takeAhead({ uri, text }: OpenDocument): Search | null {
    const { ahead } = this;
    if (!this.isForeseen(uri, text)) return null;
    this.ahead = null;
    return ahead;
  }

  private isForeseen(uri: string, text: LongText): boolean {
    return this.ahead?.document.uri === uri && this.ahead.document.text.equals(text);
  }

  private stopAhead(): void {
    this.ahead?.controller.abort();
    this.ahead = null;
  }

  /** The document and others that may be used, with what was edited in them. */
  private async workspace(document: OpenDocument, cursor: number): Promise<Workspace> {
    const others = await this.others(document);
    const documents = [document, ...others].map((each) => this.searched(each));
    return { documents, cursor, history: this.past(documents) };
  }

  private past(documents: readonly SearchedDocument[]): PastEdit[] {
    const byUri = new Map(documents.map((each) => [each.uri, each]));
    const edits = this.history.edits((uri) => byUri.get(uri)?.text);
    return edits.map(({ uri, before, after: now }) => ({ path: byUri.get(uri)?.path ?? '', before, after: now }));
  }

  /** Only those that the editor shares: neither excluded, nor ignored by git, nor of an untrusted workspace. */
  private async others({ uri }: OpenDocument): Promise<OpenDocument[]> {
    const isUsable = (each: OpenDocument) =>
      each.uri !== uri && !hasSecretName(each.uri) && each.text.length <= maxChars && !hasSecret(each.text);
    const edited = (each: OpenDocument) => this.editedMs.get(each.uri) ?? Number.NEGATIVE_INFINITY;
    const usable = this.editor.openDocuments().filter(isUsable);
    const last = usable.sort((a, b) => (edited(a) < edited(b) ? 1 : -1)).slice(0, maxOthers);
    if (last.length === 0) return [];
    const question = { uri, positions: [], documents: last.map((each) => each.uri) };
    const answer = this.editor.related(question).then(
      ({ shared }) => shared,
      () => none,
    );
    const shared = await Promise.race([answer, sleep(editorLimitMs, none, { ref: false })]);
    return last.filter((each) => shared.includes(each.uri));
  }

  private searched({ uri, languageId, text }: OpenDocument): SearchedDocument {
    const { path } = promptPlace(uri, languageId, this.editor.folders());
    return { uri, languageId, path, text };
  }

  private open(uri: string): OpenDocument | undefined {
    return this.editor.openDocuments().find((each) => each.uri === uri);
  }
}

/** With positions instead of offsets. */
function onScreen(found: FoundEdit, target: OpenDocument): NextEdit {
  const range = ({ start, end }: { start: number; end: number }) => ({
    start: target.positionAt(start),
    end: target.positionAt(end),
  });
  const changes = found.changes.map((change) => ({ range: range(change), text: change.text }));
  const { text: newText, oldText, probability } = found;
  return { uri: target.uri, version: target.version, range: range(found), oldText, newText, changes, probability };
}
