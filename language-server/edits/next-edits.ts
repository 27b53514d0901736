// The next edits of one window: remembers what was edited, answers the client's requests, and looks ahead: when the cursor
// rests, for the edit that the client will ask for, and then for the one after it, so that it is there when that one has
// been applied.
import { setTimeout as sleep } from 'node:timers/promises';
import type { DocumentChange, OpenDocument } from '../documents/open-document.ts';
import { promptPlace } from '../prompt/document-path.ts';
import type { CursorParams, Settings } from '../protocol/messages.ts';
import type { Eagerness, NextEdit, NextEditAnswer, NextEditParams } from '../protocol/next-edit-messages.ts';
import type { Reason } from '../protocol/reasons.ts';
import { hasSecretName } from '../protocol/secret-names.ts';
import type { EditorWindow } from '../related-code/related-code.ts';
import { hasSecret } from '../secrets/secrets.ts';
import { DismissedEdits } from './decision/dismissed-edits.ts';
import { gates } from './decision/unwanted-edit.ts';
import {
  after,
  type EditModel,
  type FoundEdit,
  findEdit,
  type SearchedDocument,
  type Workspace,
} from './edit-search.ts';
import { EditHistory, maxChars } from './history/edit-history.ts';
import { changesOf, type PastEdit, type TextEdit } from './text/text-edit.ts';

/** Where the model comes from. Never a team's server: what was edited stays on this machine. */
export interface EngineSource {
  ready(): Promise<EditModel | null>;
}

/** Running, or ended with what it found in which documents. */
interface Search {
  controller: AbortController;
  result: Promise<{ workspace: Workspace; found: FoundEdit | Reason }>;
}

type Wanted = Exclude<Eagerness, 'off'>;

/** A search that nobody has asked for yet: in the documents as they are, or as they will be with the offered edit. */
interface Foreseen extends Search {
  document: SearchedDocument;
  eagerness: Wanted;
  /** Where it is asked for; absent behind an offered edit, since the editor then says where the cursor is. */
  cursor?: number;
}

// Other documents in which an edit may follow: those that were edited last.
const maxOthers = 6;
const editorLimitMs = 300;
/** After the client has said that the cursor rests: long before it asks, and seldom between two keys. */
const restMs = 100;
const none: string[] = [];

export class NextEdits {
  private readonly history: EditHistory;
  private readonly dismissed = new DismissedEdits();
  private readonly editedMs = new Map<string, number>();
  private search: Search | null = null;
  private resting: AbortController | null = null;
  /** The document that was changed last, if nothing has been looked for since. */
  private unsearched: string | null = null;
  private ahead: Foreseen | null = null;

  constructor(
    private readonly editor: EditorWindow,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.history = new EditHistory(now);
  }

  /**
   * Call with all changes of an edit. It ends the search in the text before and, unless it is the one that was foreseen, also
   * the search ahead of it.
   */
  changed(document: OpenDocument, changes: readonly DocumentChange[]): void {
    const isOffered = this.isForeseen(document);
    for (const change of changes) {
      this.history.record(change, isOffered);
      this.dismissed.follow(change);
    }
    this.editedMs.set(document.uri, this.now());
    this.search?.controller.abort();
    this.resting?.abort();
    this.unsearched = null;
    if (isOffered) return;
    this.stopAhead();
    this.unsearched = document.uri;
  }

  /** Call when the cursor rests: after a change, the next request there is answered ahead. */
  rest(params: CursorParams, source: EngineSource, settings: Settings): void {
    const document = this.open(params.uri);
    if (!document || this.unsearched !== params.uri || settings.nextEdit === 'off') return;
    this.unsearched = null;
    const { version } = document;
    if (this.refusal({ version, ...(params.mode && { mode: params.mode }) }, document, settings) !== null) return;
    this.resting = new AbortController();
    const { signal } = this.resting;
    const cursor = document.offsetAt(params.position);
    // The request that comes reports an error.
    this.searchAtRest(document, cursor, source, settings.nextEdit, signal).catch(() => undefined);
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
    this.dismissed.clear();
    this.search?.controller.abort();
    this.resting?.abort();
    this.unsearched = null;
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
    if (signal.aborted) return nothing('superseded');
    this.resting?.abort();
    this.unsearched = null;
    const cursor = document.offsetAt(params.position);
    const { controller, result } =
      this.takeAhead(document, cursor, settings.nextEdit) ??
      this.start(() => this.workspace(document, cursor), source, settings.nextEdit);
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
    return this.history.isBulk(document.uri) ? 'bulk-change' : null;
  }

  /** A model that writes edits is asked only when the client asks: that costs more than a pause is worth. */
  private async searchAtRest(
    document: OpenDocument,
    cursor: number,
    source: EngineSource,
    eagerness: Wanted,
    signal: AbortSignal,
  ): Promise<void> {
    await sleep(restMs, undefined, { signal, ref: false });
    const model = await source.ready();
    if (!model || model.editFormat || signal.aborted) return;
    this.foresee(this.searched(document), () => this.workspace(document, cursor), source, eagerness, cursor);
  }

  /** Looks for the edit that follows when the offered one has been applied. */
  private lookAhead(workspace: Workspace, source: EngineSource, eagerness: Wanted): void {
    this.stopAhead();
    const [document] = workspace.documents;
    if (document) this.foresee(document, () => workspace, source, eagerness);
  }

  private foresee(
    document: SearchedDocument,
    workspaceOf: () => Workspace | Promise<Workspace>,
    source: EngineSource,
    eagerness: Wanted,
    cursor?: number,
  ): void {
    const search = this.start(workspaceOf, source, eagerness);
    search.result.catch(() => undefined); // whoever takes it reports the error
    this.ahead = { ...search, document, eagerness, ...(cursor !== undefined && { cursor }) };
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

  /** The search that has looked ahead to this text; one from elsewhere, or for another setting, ends. */
  private takeAhead(document: OpenDocument, cursor: number, eagerness: Wanted): Search | null {
    const { ahead } = this;
    if (!ahead || !this.isForeseen(document)) return null;
    this.ahead = null;
    if ((ahead.cursor ?? cursor) === cursor && ahead.eagerness === eagerness) return ahead;
    ahead.controller.abort();
    return null;
  }

  private isForeseen({ uri, text }: Pick<OpenDocument, 'uri' | 'text'>): boolean {
    return this.ahead?.document.uri === uri && this.ahead.document.text.equals(text);
  }

  private stopAhead(): void {
    this.ahead?.controller.abort();
    this.ahead = null;
  }

  /** The document and others that may be used, with what was edited in them. */
  private async workspace(document: OpenDocument, cursor: number): Promise<Workspace> {
    const others = await this.others(document);
    const all = [document, ...others].map((each) => this.searched(each));
    // A path identifies a document, but those without a file have one path in each language.
    const documents = all.filter(({ path }, i) => all.findIndex((each) => each.path === path) === i);
    return { documents, cursor, history: this.past(documents) };
  }

  private past(documents: readonly SearchedDocument[]): PastEdit[] {
    const byUri = new Map(documents.map((each) => [each.uri, each]));
    const edits = this.history.edits((uri) => byUri.get(uri)?.text);
    return edits.map(({ uri, ...edit }) => ({ path: byUri.get(uri)?.path ?? '', ...edit }));
  }

  /** Only those that the editor shares: neither excluded, nor ignored by git, nor of an untrusted workspace. */
  private async others({ uri }: OpenDocument): Promise<OpenDocument[]> {
    const isUsable = (each: OpenDocument) =>
      each.uri !== uri && !hasSecretName(each.uri) && each.text.length <= maxChars && !hasSecret(each.text);
    const edited = (each: OpenDocument) => this.editedMs.get(each.uri) ?? -1;
    // Of those that were not edited, the ones that were opened last come first.
    const usable = this.editor.openDocuments().filter(isUsable).reverse();
    const last = usable.sort((a, b) => edited(b) - edited(a)).slice(0, maxOthers);
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
  const placed = (change: TextEdit) => ({ range: range(change), text: change.text });
  const text = target.text.toString();
  const also = found.also.flatMap((edit) => changesOf(edit, text)).map(placed);
  const changes = found.changes.map(placed);
  const { text: newText, oldText, probability } = found;
  const edit = {
    uri: target.uri,
    version: target.version,
    range: range(found),
    oldText,
    newText,
    changes,
    probability,
  };
  return also.length === 0 ? edit : { ...edit, also };
}
