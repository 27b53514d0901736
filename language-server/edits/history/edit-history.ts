// The user's last edits in the open documents, as whole lines before and after. Next edits follow from them. The texts
// stay in memory, and nothing is kept from a document that holds a secret.
import type { LongText } from '../../documents/long-text.ts';
import type { DocumentChange } from '../../documents/open-document.ts';
import { hasSecretName } from '../../protocol/secret-names.ts';
import { hasSecret, hasSecretAfter } from '../../secrets/secrets.ts';
import { maxLineChars } from '../text/lines.ts';
import type { TextEdit } from '../text/text-edit.ts';
import { BulkChanges } from './bulk-changes.ts';
import { applied, begin, type ChangedRegion, linesOf, touches, widened } from './changed-region.ts';

/** The lines of an edit before and after. One of the two is '' if the edit only added or removed lines. */
export interface RecordedEdit {
  uri: string;
  before: string;
  after: string;
  /** The line of the current text where these lines begin. */
  line: number;
}

type Lines = Omit<RecordedEdit, 'uri'>;

interface Entry {
  uri: string;
  region: ChangedRegion;
  beganMs: number;
  changedMs: number;
  /** Whether all of the changes came from applying offered edits. */
  isOffered: boolean;
}

/** Longer documents get no next edits: searching them would take too long. */
export const maxChars = 1_000_000;
// A change this near to the last one, and this soon after it, belongs to the same edit.
const nearLines = 8;
const soonMs = 1000;
const maxEdits = 12;
const keptMs = 10 * 60_000;

/** The history of one window. */
export class EditHistory {
  /** In the order of their last changes. */
  private entries: Entry[] = [];
  /** By the document's URI: a program may write in one document while the user types in another. */
  private readonly bulks = new Map<string, BulkChanges>();
  /** Where typing continues the last change: at its end or, if it has no letters or digits, anywhere in it. */
  private last: { uri: string; start: number; end: number } | undefined;

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Whether a program, such as an agent or a formatter, seems to have made the last change of the document. */
  isBulk(uri: string): boolean {
    return this.bulks.get(uri)?.isGoingOn ?? false;
  }

  /** Call with each change of a document, in order. isOffered: whether the change applies an offered edit. */
  record(change: DocumentChange, isOffered = false): void {
    const { uri, before, edit, after } = change;
    if (hasSecretName(uri) || after.length > maxChars) return void this.forget(uri);
    const bulk = this.bulkOf(uri);
    if (!isOffered && bulk.note(before.slice(edit.start, edit.end), edit.text)) {
      this.entries = this.entries.filter((entry) => entry.uri !== uri || entry.beganMs < bulk.sinceMs);
      this.shift(change);
      return;
    }
    if (hasSecret(before) || hasSecretAfter(before, edit, after)) return void this.forget(uri);
    const entry = this.entryFor(change, isOffered) ?? {
      uri,
      isOffered,
      region: begin(before, edit),
      beganMs: this.now(),
    };
    const region = applied(entry.region, edit);
    this.entries = this.entries.filter((other) => other !== entry);
    this.shift(change);
    const { beganMs } = entry;
    const changed = { uri, region, beganMs, changedMs: this.now(), isOffered: entry.isOffered && isOffered };
    this.entries = [...this.entries, changed].slice(-maxEdits);
    const end = edit.start + edit.text.length;
    this.last = { uri, start: /[\p{L}\p{N}]/u.test(edit.text) ? end : edit.start, end };
  }

  /** The edits, oldest first, without those that were undone. texts: the current text of an open document. */
  edits(texts: (uri: string) => LongText | undefined): RecordedEdit[] {
    // record() does not look for secrets in a program's changes.
    for (const uri of new Set(this.entries.map((entry) => entry.uri))) {
      const text = texts(uri);
      if (text && hasSecret(text)) this.forget(uri);
    }
    const since = this.now() - keptMs;
    this.entries = this.entries.filter(({ changedMs }) => changedMs >= since);
    return this.entries.flatMap(({ uri, region, isOffered }) => {
      const text = texts(uri);
      const lines = text && linesOf(region, text);
      if (!lines || lines.before === lines.after) return [];
      const edits = isOffered ? lineByLine(lines) : [lines];
      return edits.filter(hasShortLines).map((edit) => ({ uri, ...edit }));
    });
  }

  forget(uri: string): void {
    this.entries = this.entries.filter((entry) => entry.uri !== uri);
    this.bulks.delete(uri);
  }

  clear(): void {
    this.entries = [];
    this.bulks.clear();
  }

  /**
   * The entry that the change belongs to, widened to contain the change: an entry with the same lines, or the last one
   * if it is near and recent. Undefined if the change begins a new edit.
   */
  private entryFor({ uri, before, edit }: DocumentChange, isOffered: boolean): Entry | undefined {
    const ofDocument = this.entries.filter((entry) => entry.uri === uri);
    const last = this.entries.at(-1);
    const isSoon = last !== undefined && this.now() - last.changedMs <= soonMs;
    const same = ofDocument.findLast(({ region }) => touches(region, edit, before, 0));
    if (same && this.isReturnToAddition(same, edit, before)) return undefined;
    const near = isSoon && last.uri === uri && touches(last.region, edit, before, nearLines) ? last : undefined;
    // An offered edit may change many places.
    const isTogether = isSoon && isOffered && last.isOffered && last.uri === uri;
    const entry = same ?? near ?? (isTogether ? last : undefined);
    if (!entry) return undefined;
    const region = widened(entry.region, edit);
    const isFree = ofDocument.every(
      (other) => other === entry || other.region.end < region.start || region.end < other.region.start,
    );
    if (!isFree) return undefined;
    entry.region = region;
    return entry;
  }

  /**
   * Whether the user returns, after a pause, to lines that the entry has only added. Such a change is an edit of its
   * own: a rename in lines that were just added would otherwise look like a part of the addition, for example.
   */
  private isReturnToAddition({ uri, region, changedMs }: Entry, edit: TextEdit, before: LongText): boolean {
    if (this.now() - changedMs <= soonMs || linesOf(region, before).before.trim() !== '') return false;
    if (edit.start <= region.start && region.end <= edit.end) return false;
    if (this.last?.uri !== uri) return true;
    const { start, end } = this.last;
    const continues = start <= edit.end && edit.start <= end;
    return !continues && (edit.start < edit.end || before.lineAt(edit.start) !== before.lineAt(end));
  }

  /** Moves the entries below a change, and drops the entries that overlap it. */
  private shift({ uri, edit }: DocumentChange): void {
    const delta = edit.text.length - (edit.end - edit.start);
    this.entries = this.entries.flatMap((entry) => {
      const { region } = entry;
      if (entry.uri !== uri || region.end <= edit.start) return entry;
      if (region.start < edit.end) return [];
      return { ...entry, region: { ...region, start: region.start + delta, end: region.end + delta } };
    });
  }

  private bulkOf(uri: string): BulkChanges {
    const bulk = this.bulks.get(uri) ?? new BulkChanges(this.now);
    this.bulks.set(uri, bulk);
    return bulk;
  }
}

/** Divides an edit into edits of single lines, unless it has added or removed lines. */
function lineByLine(edit: Lines): Lines[] {
  const [before, after] = [edit.before.split('\n'), edit.after.split('\n')];
  if (before.length !== after.length) return [edit];
  return before.flatMap((line, i) => {
    const now = after[i] ?? '';
    return line === now ? [] : [{ before: line, after: now, line: edit.line + i }];
  });
}

/** Whether all lines are short enough that a person may have edited them. */
function hasShortLines({ before, after }: { before: string; after: string }): boolean {
  return [before, after].every((text) => text.split('\n').every((line) => line.length <= maxLineChars));
}
