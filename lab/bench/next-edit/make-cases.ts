// Makes a case from the hunks of one file. Some hunks are already done; the typist is still in the last line of the
// last one. The edits of the other hunks are expected.
import { similarLines } from '../../../language-server/edits/history/past-changes.ts';
import { isWord, type PastEdit, type TextEdit, wordsOf } from '../../../language-server/edits/text/text-edit.ts';
import type { Random } from '../../../test/support/random.ts';
import { type Hunk, languageOf } from './histories.ts';
import type { NextEditCase } from './next-edit-case.ts';
import { type TypedLine, typedInsideWord, typedLine } from './typed-line.ts';

export interface ChangedText {
  path: string;
  /** The text before the commit. */
  text: string;
  hunks: Hunk[];
  /** Edits of the same commit in other files, as if they were made earlier. */
  elsewhere: PastEdit[];
}

const maxDone = 6;
const maxChangedLines = 8;

/** A case in which at least one hunk that is not done shares a word with a past edit; undefined if none does. */
export function relatedCase(changed: ChangedText, random: Random): NextEditCase | undefined {
  const { hunks } = changed;
  if (hunks.length < 2) return undefined;
  const done = 1 + random.below(Math.min(maxDone, hunks.length - 1));
  const state = stateAfter(changed, rotated(hunks, random), done, (oldLine, newLine) =>
    typedLine(oldLine, newLine, random),
  );
  if (state === undefined) return undefined;
  const { remaining, untyped, ...nextEditCase } = state;
  const related = remaining.filter(({ hunk }) => sharesWord(hunk, nextEditCase.history));
  const expected = related.flatMap(({ hunk, start }) => editsOf(hunk, start));
  if (expected.length === 0) return undefined;
  const { cursor } = nextEditCase;
  if (untyped !== '') expected.push({ start: cursor, end: cursor, text: untyped });
  return { ...nextEditCase, expected, quiet: false, kind: 'related' };
}

export const quietKinds = ['only hunk', 'last hunk', 'unrelated', 'inside a word', 'formatting'] as const;
export type QuietKind = (typeof quietKinds)[number];

/** A case in which nothing should be shown; undefined if no case of this kind can be made from these hunks. */
export function quietCase(changed: ChangedText, kind: QuietKind, random: Random): NextEditCase | undefined {
  const { hunks } = changed;
  const isFormatting = hunks.every(
    (hunk) => withoutSpace(hunk.old) === withoutSpace(hunk.new) && withoutSpace(hunk.new) !== '',
  );
  if (isFormatting !== (kind === 'formatting')) return undefined;
  const areAllDone = kind === 'only hunk' || kind === 'last hunk';
  if (areAllDone ? (hunks.length === 1) !== (kind === 'only hunk') : hunks.length < 2) return undefined;
  const done = areAllDone ? hunks.length : 1 + random.below(Math.min(maxDone, hunks.length - 1));
  const whole = (_: string, newLine: string): TypedLine => ({ text: newLine, cursor: newLine.length, rest: '' });
  const insideWord = (oldLine: string, newLine: string) => typedInsideWord(oldLine, newLine, random);
  const state = stateAfter(changed, rotated(hunks, random), done, kind === 'inside a word' ? insideWord : whole);
  if (state === undefined) return undefined;
  const { remaining, untyped: _, ...nextEditCase } = state;
  if (kind === 'unrelated' && remaining.some(({ hunk }) => sharesWord(hunk, nextEditCase.history))) return undefined;
  return { ...nextEditCase, expected: [], quiet: true, kind };
}

/**
 * A case from a commit that reverts another one. Its text still has the lines that the revert removes, and in its
 * history the user has just written them. So nothing should be shown.
 */
export function beforeRevert({ path, text, hunks }: ChangedText): NextEditCase | undefined {
  const lines = linesOf(text, hunks);
  const languageId = languageOf(path);
  const last = hunks.findLast(({ old }) => old.length > 0);
  if (!lines || !languageId || !last) return undefined;
  const history = hunks.slice(-maxDone).map((hunk) => ({ path, before: joined(hunk.new), after: joined(hunk.old) }));
  const cursor = joined(lines.slice(0, last.line + last.old.length)).length;
  return { path, languageId, text, cursor, history, expected: [], quiet: true, kind: 'before a revert' };
}

/**
 * The hunks in the order in which a person might do them, beginning with a random one: people often begin in the
 * middle.
 */
function rotated(hunks: Hunk[], random: Random): Hunk[] {
  const first = random.below(hunks.length);
  return [...hunks.slice(first), ...hunks.slice(0, first)];
}

/**
 * The file after the first `done` hunks of `order`. typed: chooses how much of the last line is typed. remaining: the
 * other hunks, each with its offset in the new text.
 */
function stateAfter(
  { path, text, hunks, elsewhere }: ChangedText,
  order: Hunk[],
  done: number,
  typed: (oldLine: string, newLine: string) => TypedLine | undefined,
) {
  const lines = linesOf(text, hunks);
  const languageId = languageOf(path);
  const current = order[done - 1];
  if (!lines || !languageId || !current || isBlank(current)) return undefined;
  const oldLast = current.old.length === current.new.length ? (current.old.at(-1) ?? '') : '';
  const line = current.new.length === 0 ? { text: '', cursor: 0, rest: '' } : typed(oldLast, current.new.at(-1) ?? '');
  if (line === undefined) return undefined;
  const currentNew = current.new.length === 0 ? [] : [...current.new.slice(0, -1), line.text];
  const newLines = new Map(order.slice(0, done).map((hunk) => [hunk, hunk === current ? currentNew : hunk.new]));

  const remaining: { hunk: Hunk; start: number }[] = [];
  let [newText, nextLine, cursor] = ['', 0, 0];
  for (const hunk of hunks) {
    newText += withFeeds(lines.slice(nextLine, hunk.line));
    const replacement = newLines.get(hunk);
    if (replacement === undefined) remaining.push({ hunk, start: newText.length });
    if (hunk === current) cursor = newText.length + withFeeds(currentNew.slice(0, -1)).length + line.cursor;
    newText += withFeeds(replacement ?? hunk.old);
    nextLine = hunk.line + hunk.old.length;
  }
  newText += withFeeds(lines.slice(nextLine));
  const notBlank = [...newLines].filter(([hunk]) => !isBlank(hunk));
  const past = notBlank.map(([hunk, after]) => ({ path, before: joined(hunk.old), after: joined(after) }));
  const history = [...elsewhere, ...past];
  return { path, languageId, text: newText, cursor, history, remaining, untyped: line.rest };
}

/** One edit for the whole hunk, and one for each line that replaces a similar line. None if the hunk is too long. */
function editsOf(hunk: Hunk, start: number): TextEdit[] {
  if (hunk.old.length + hunk.new.length > 2 * maxChangedLines) return [];
  const whole = { start, end: start + withFeeds(hunk.old).length, text: withFeeds(hunk.new) };
  if (hunk.old.length === 0 || hunk.new.length === 0 || hunk.old.length + hunk.new.length === 2) return [whole];
  return [whole, ...lineEditsOf(hunk, start)];
}

function lineEditsOf(hunk: Hunk, start: number): TextEdit[] {
  const pairs: [number, number][] =
    hunk.old.length === hunk.new.length ? hunk.old.map((_, i) => [i, i]) : similarLines(hunk.old, hunk.new);
  return pairs.flatMap(([i, j]) => {
    const [old = '', text = ''] = [hunk.old[i], hunk.new[j]];
    const lineStart = start + withFeeds(hunk.old.slice(0, i)).length;
    return old === text ? [] : [{ start: lineStart, end: lineStart + old.length, text }];
  });
}

function sharesWord(hunk: Hunk, history: PastEdit[]): boolean {
  const words = changedWords(joined(hunk.old), joined(hunk.new));
  return history.some(({ before, after }) => changedWords(before, after).some((each) => words.includes(each)));
}

// Words that occur everywhere in code do not show which edits belong together.
const common = new Set(
  (
    'abstract async await bool boolean break case catch char class const continue def default defer elif else elsif end ' +
    'enum export extends False false final finally for foreach from func function get guard impl import in instanceof int ' +
    'interface internal is lambda let match mod mut new nil None not null nullptr object of open or override package ' +
    'pass private protected pub public raise readonly require return sealed self set static str string String struct ' +
    'super switch template the then this throw throws true True try type typedef typename typeof undefined union unless ' +
    'unsafe use using val var virtual void volatile when where while with yield and'
  ).split(' '),
);

/** The words that an edit adds or removes. */
function changedWords(before: string, after: string): string[] {
  const counts = new Map<string, number>();
  const count = (text: string, by: number) => {
    for (const each of wordsOf(text)) if (isDistinctive(each)) counts.set(each, (counts.get(each) ?? 0) + by);
  };
  count(before, -1);
  count(after, 1);
  return [...counts].filter(([, by]) => by !== 0).map(([each]) => each);
}

/** Whether two edits that share this word probably belong together. */
function isDistinctive(text: string): boolean {
  return text.length > 1 && isWord(text) && !common.has(text);
}

/** The lines of the text, which must end with a line feed; undefined if it does not, or if the hunks do not fit. */
function linesOf(text: string, hunks: Hunk[]): string[] | undefined {
  if (!text.endsWith('\n') || /\r|\uFFFD/.test(text)) return undefined;
  const lines = text.slice(0, -1).split('\n');
  const fits = hunks.every((hunk) => hunk.old.every((line, i) => lines[hunk.line + i] === line));
  return fits ? lines : undefined;
}

/** Whether only empty lines are added or removed. */
function isBlank(hunk: Hunk): boolean {
  return withoutSpace([...hunk.old, ...hunk.new]) === '';
}

function withFeeds(lines: string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

function joined(lines: string[]): string {
  return lines.join('\n');
}

function withoutSpace(lines: string[]): string {
  return joined(lines).replace(/\s+/g, '');
}
