// The next edits of one window: remembers what the user edits, and answers the client's requests. Searches begin before
// the client asks, so that the answer is ready in time. One search runs at a time:
//
//           a change             the cursor rests            100 ms later                 the client asks
//   idle ─────────────> changed ──────────────────> resting ──────────────> foreseen ────────────────────────> asked
//                                                                              ^      an edit is found: the       │
//                                                                              └───── next search begins ─────────┘
//
// `foreseen`: the client has not asked, but the search has begun. Every change leads to `changed`, unless it applies
// the offered edit. Every request leads to `asked`. Leaving a state ends its search, unless the client asks exactly
// the question that was foreseen.
import { setTimeout as sleep } from 'node:timers/promises';
import type { LongText } from '../documents/long-text.ts';
import type { DocumentChange, OpenDocument } from '../documents/open-document.ts';
import type { CursorParams, Mode, Settings } from '../protocol/messages.ts';
import type { NextEdit, NextEditAnswer, NextEditParams } from '../protocol/next-edit-messages.ts';
import type { Reason } from '../protocol/reasons.ts';
import { hasSecretName } from '../protocol/secret-names.ts';
import type { EditorWindow } from '../related-code/related-code.ts';
import { hasSecret } from '../secrets/secrets.ts';
import { DismissedEdits } from './decision/dismissed-edits.ts';
import { gates } from './decision/unwanted-edit.ts';
import { type EditModel, findEdit } from './edit-search.ts';
import { EditHistory, maxChars } from './history/edit-history.ts';
import { aboveNextLine } from './text/inserted-lines.ts';
import { changesOf, type TextEdit } from './text/text-edit.ts';
import { after, type FoundEdit, OpenDocuments, type Workspace } from './workspace.ts';

/** Loads the model, which is never on a team's server: the history of edits stays on this machine. */
export interface EngineSource {
  /** Null if there is no model. */
  ready(): Promise<EditModel | null>;
}

/** What a search looks for: an edit that follows in this text and is at least as probable as the gate. */
interface Question {
  uri: string;
  text: LongText;
  gate: number;
  /** Null if the text is the one after an offered edit: only the editor knows where the cursor will be then. */
  cursor: number | null;
}

interface Search extends Question {
  /** Ends the search. */
  work: AbortController;
  result: Promise<{ workspace: Workspace; found: FoundEdit | Reason }>;
}

type State =
  | { kind: 'idle' }
  | { kind: 'changed'; uri: string }
  | { kind: 'resting'; work: AbortController }
  | ({ kind: 'foreseen' | 'asked' } & Search);

/**
 * How long the cursor rests before a search begins: longer than most pauses between keys, and before the client asks.
 */
const restMs = 100;

export class NextEdits {
  private readonly history: EditHistory;
  private readonly dismissed = new DismissedEdits();
  private readonly documents: OpenDocuments;
  private state: State = { kind: 'idle' };

  constructor(
    editor: EditorWindow,
    private readonly engines: EngineSource,
    private readonly settings: () => Pick<Settings, 'nextEdit' | 'mode'>,
  ) {
    this.history = new EditHistory();
    this.documents = new OpenDocuments(editor, this.history);
  }

  /** Call with all changes of one edit in the editor. */
  changed(document: OpenDocument, changes: readonly DocumentChange[]): void {
    const isOffered = this.isForeseen(document);
    for (const made of changes) {
      // New lines are no edit of the line before, which may have one of its own.
      const change = isOffered ? { ...made, edit: aboveNextLine(made.edit, made.before) } : made;
      this.history.record(change, isOffered);
      this.dismissed.follow(change);
    }
    this.documents.noteEdit(document.uri);
    if (!isOffered) this.enter({ kind: 'changed', uri: document.uri });
  }

  /** Call when the cursor rests. */
  rest({ uri, position, mode }: CursorParams): void {
    const document = this.documents.of(uri);
    if (!document || this.state.kind !== 'changed' || this.state.uri !== uri) return;
    const gate = this.gateIn(document, mode);
    if (typeof gate === 'string') return;
    const work = new AbortController();
    this.enter({ kind: 'resting', work });
    // If the search fails, the next request reports the error.
    this.searchAtRest(document, document.offsetAt(position), gate, work.signal).catch(() => undefined);
  }

  dismiss({ uri, version, range, newText }: NextEdit): void {
    const document = this.documents.of(uri);
    // Any editor may send this, so the text may be anything; each later search would fail on it.
    if (document?.version !== version || typeof newText !== 'string') return;
    const [start, end] = [document.offsetAt(range.start), document.offsetAt(range.end)];
    this.dismissed.add(uri, aboveNextLine({ start, end, text: newText }, document.text));
  }

  forget(uri: string): void {
    this.history.forget(uri);
    this.dismissed.forget(uri);
    this.documents.forget(uri);
  }

  /** Call when next edits are turned off, or the window has closed. */
  clear(): void {
    this.history.clear();
    this.dismissed.clear();
    this.enter({ kind: 'idle' });
  }

  /** Rejects with the engine's errors. */
  async provide(
    { uri, version, position, mode }: NextEditParams,
    signal: AbortSignal,
  ): Promise<Omit<NextEditAnswer, 'latencyMs'>> {
    const nothing = (reason: Reason) => ({ reason, edit: null });
    const document = this.documents.of(uri);
    if (document?.version !== version || signal.aborted) return nothing('superseded');
    const gate = this.gateIn(document, mode);
    if (typeof gate === 'string') return nothing(gate);
    const cursor = document.offsetAt(position);
    const search = this.foreseen(document, cursor, gate) ?? this.searchIn(document, cursor, gate);
    this.enter({ ...search, kind: 'asked' });
    signal.addEventListener('abort', () => search.work.abort(), { once: true });
    const { workspace, found } = await search.result;
    if (search.work.signal.aborted) return nothing('superseded');
    if (typeof found === 'string') return nothing(found);
    const target = this.documents.of(found.document.uri);
    if (!target?.text.equals(found.document.text)) return nothing('superseded');
    const next = after(workspace, found);
    const [changed] = next.documents;
    if (changed) this.enter({ ...this.begin({ ...changed, gate, cursor: null }, next), kind: 'foreseen' });
    return { reason: 'edit-offered', edit: withPositions(found, target) };
  }

  private enter(next: State): void {
    const [ended, begun] = [this.state, next].map((state) => ('work' in state ? state.work : undefined));
    this.state = next;
    if (ended !== begun) ended?.abort();
  }

  /** The probability that an edit needs, or the reason why the document gets no next edits. */
  private gateIn({ uri, text }: OpenDocument, mode: Mode = this.settings().mode): number | Reason {
    const { nextEdit } = this.settings();
    if (mode !== 'automatic') return mode;
    if (nextEdit === 'off') return 'off';
    if (hasSecretName(uri) || hasSecret(text)) return 'secrets-file';
    if (text.length > maxChars) return 'too-long';
    return this.history.isBulk(uri) ? 'bulk-change' : gates[nextEdit];
  }

  /** Does nothing for a model that writes edits: that costs too much at every pause, so it happens only on request. */
  private async searchAtRest(document: OpenDocument, cursor: number, gate: number, signal: AbortSignal): Promise<void> {
    await sleep(restMs, undefined, { signal, ref: false });
    const model = await this.engines.ready();
    if (!model || model.editFormat || model.editAdapter || signal.aborted) return;
    this.enter({ ...this.searchIn(document, cursor, gate), kind: 'foreseen' });
  }

  private searchIn(document: OpenDocument, cursor: number, gate: number): Search {
    const { uri, text } = document;
    return this.begin({ uri, text, gate, cursor }, this.documents.workspace(document, cursor));
  }

  private begin(question: Question, workspaceOrPromise: Workspace | Promise<Workspace>): Search {
    const work = new AbortController();
    const search = async () => {
      const workspace = await workspaceOrPromise;
      const find = async (): Promise<FoundEdit | Reason> => {
        if (workspace.history.length === 0) return 'no-edits';
        const model = await this.engines.ready();
        if (!model) return 'no-model';
        return await findEdit(model, workspace, question.gate, this.dismissed, work.signal);
      };
      return { workspace, found: await find() };
    };
    const result = search();
    result.catch(() => undefined); // whoever awaits the result reports the error
    return { ...question, work, result };
  }

  /** The foreseen search if its question is exactly this one; otherwise null. */
  private foreseen(document: OpenDocument, cursor: number, gate: number): Search | null {
    const { state } = this;
    if (state.kind !== 'foreseen' || !this.isForeseen(document)) return null;
    return state.gate === gate && (state.cursor ?? cursor) === cursor ? state : null;
  }

  private isForeseen({ uri, text }: OpenDocument): boolean {
    const { state } = this;
    return state.kind === 'foreseen' && state.uri === uri && state.text.equals(text);
  }
}

/** The edit with positions instead of offsets. */
function withPositions(found: FoundEdit, target: OpenDocument): NextEdit {
  const range = ({ start, end }: TextEdit) => ({ start: target.positionAt(start), end: target.positionAt(end) });
  const placed = (change: TextEdit) => ({ range: range(change), text: change.text });
  const text = target.text.toString();
  const otherChanges = found.otherLines.flatMap((edit) => changesOf(edit, text)).map(placed);
  const { text: newText, oldText, probability } = found;
  return {
    ...{ uri: target.uri, version: target.version, range: range(found), oldText, newText, probability },
    changes: found.changes.map(placed),
    ...(otherChanges.length > 0 && { otherChanges }),
  };
}
