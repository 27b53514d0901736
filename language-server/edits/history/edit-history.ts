// What the user has changed lately in the open documents, as whole lines before and after. Next edits follow from this.
// The texts stay in memory, and nothing is kept of a document that holds a secret.
import type { LongText } from '../../documents/long-text.ts';
import type { DocumentChange } from '../../documents/open-document.ts';
import { hasSecretName } from '../../protocol/secret-names.ts';
import { hasSecret, hasSecretAfter } from '../../secrets/secrets.ts';
import { maxLineChars } from '../text/lines.ts';
import type { TextEdit } from '../text/text-edit.ts';
import { BulkChanges } from './bulk-changes.ts';
import { applied, begin, type ChangedRegion, linesOf, touches, widened } from './changed-region.ts';

/** The lines of an edit before and after. Either is '' where lines were only added or removed. */
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
  /** Whether all of its changes were made by edits that were offered. */
  isOffered: boolean;
}

/** Longer documents get no next edits: searching them would take too long. */
export const maxChars = 1_000_000;
// Changes so near to the last ones, and so soon after them, belong to the same edit.
const nearLines = 8;
const soonMs = 1000;
const maxEdits = 12;
const keptMs = 10 * 60_000;

/** The history of one window. */
export class EditHistory {
  /** In the order of their last changes, the latest last. */
  private entries: Entry[] = [];
  /** One for each document: a program may write in one while the user types in another. */
  private readonly bulks = new Map<string, BulkChanges>();
  /** Where the user would go on after the last change: at its end, or between brackets that the editor has closed. */
  private last: { uri: string; start: number; end: number } | undefined;

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Whether the last change of the document was one of many at once, such as an agent's or a formatter's. */
  isBulk(uri: string): boolean {
    return this.bulks.get(uri)?.isGoingOn ?? false;
  }

  /** Call with each change of a document, in order. isOffered: whether the change applies an offered edit. */
  record(change: DocumentChange, isOffered = false): void {
    const { uri, before, edit, after } = change;
    if (hasSecretName(uri) || after.length > maxChars) return void this.forget(uri);
    const bulk = this.bulkOf(uri);
    if (!isOffered && bulk.note(before.slice(edit.start, edit.end), edit.text)) {
      this.entries = this.entries.filter((each) => each.uri !== uri || each.beganMs < bulk.sinceMs);
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
    const others = this.entries.filter((each) => each !== entry);
    const region = applied(entry.region, edit);
    this.entries = others;
    this.shift(change);
    const { beganMs } = entry;
    const changed = { uri, region, beganMs, changedMs: this.now(), isOffered: entry.isOffered && isOffered };
    this.entries = [...this.entries, changed].slice(-maxEdits);
    const end = edit.start + edit.text.length;
    this.last = { uri, start: /[\p{L}\p{N}]/u.test(edit.text) ? end : edit.start, end };
  }

  /** The edits, oldest first, without any that were undone. texts: the open documents as they are now. */
  edits(texts: (uri: string) => LongText | undefined): RecordedEdit[] {
    // A program may have written a secret: record() does not look for secrets in changes by programs.
    for (const uri of new Set(this.entries.map((each) => each.uri))) {
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
      return edits.filter(hasShortLines).map((each) => ({ uri, ...each }));
    });
  }

  forget(uri: string): void {
    this.entries = this.entries.filter((each) => each.uri !== uri);
    this.bulks.delete(uri);
  }

  clear(): void {
    this.entries = [];
    this.bulks.clear();
  }

  /**
   * The entry that the change belongs to, widened to contain it: one with the same lines, or the last one if that is
   * near and recent. Undefined if the change is a new edit.
   */
  private entryFor({ uri, before, edit }: DocumentChange, isOffered: boolean): Entry | undefined {
    const ofDocument = this.entries.filter((each) => each.uri === uri);
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
      (each) => each === entry || each.region.end < region.start || region.end < each.region.start,
    );
    if (!isFree) return undefined;
    entry.region = region;
    return entry;
  }

  /**
   * Whether the user returns, after a pause, to lines that the entry has only added. Such a change is an edit of its
   * own: as a part of the addition, it could not be recognized as a rename, for example.
   */
  private isReturnToAddition({ uri, region, changedMs }: Entry, edit: TextEdit, before: LongText): boolean {
    if (this.now() - changedMs <= soonMs || linesOf(region, before).before.trim() !== '') return false;
    if (edit.start <= region.start && region.end <= edit.end) return false;
    if (this.last?.uri !== uri) return true;
    const { start, end } = this.last;
    const goesOn = start <= edit.end && edit.start <= end;
    return !goesOn && (edit.start < edit.end || before.lineAt(edit.start) !== before.lineAt(end));
  }

  /** Moves the entries below a change, and forgets those that it overlaps. */
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

/** Divides an edit into one for each line that differs, unless it has added or removed lines. */
function lineByLine(edit: Lines): Lines[] {
  const [before, after] = [edit.before.split('\n'), edit.after.split('\n')];
  if (before.length !== after.length) return [edit];
  return before.flatMap((line, i) => {
    const now = after[i] ?? '';
    return line === now ? [] : [{ before: line, after: now, line: edit.line + i }];
  });
}

/** Whether all lines are short enough for a person to edit them. */
function hasShortLines({ before, after }: { before: string; after: string }): boolean {
  return [before, after].every((text) => text.split('\n').every((line) => line.length <= maxLineChars));
}
