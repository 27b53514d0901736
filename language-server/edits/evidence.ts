// What the last edits and the text say about an edit that may follow: numbers for the fitted model of confidence.ts.
import { type Candidate, generators } from './candidate.ts';
import { type Line, lineAt, similarity } from './lines.ts';
import type { PastChange } from './past-changes.ts';
import { isRename, isTelling, occurrencesOf, type Substitution, wordBefore, wordBehind } from './substitutions.ts';
import { changesOf, type EditedDocument, wordsOf } from './text-edit.ts';

/** In the order of the numbers. Adding one means fitting the model again. */
export const evidenceNames = [
  // How it was found: the generator; how often the same was done and how many edits ago; in how many places it could be
  // done, and how many of these are nearer to the cursor; how many words differ from what was done.
  ...['generator', 'times', 'age', 'places', 'nearerPlaces', 'otherWords'],
  // How near it is: lines from the cursor; below it; passed by the user, who has edited before and behind it.
  ...['distance', 'isBelow', 'isPassed', 'isOtherFile'],
  // What it is: lines and words that go and come, and whether a line goes as a whole.
  ...['oldLines', 'newLines', 'goneChars', 'comeChars', 'removesLine', 'addsLine', 'changes'],
  // How alike its lines are to those of the edit that is repeated.
  ...['likeBefore', 'likeAfter'],
  // Of words that are replaced: whether they are a name, or a part of one; between which words they stand; how often they
  // are left, and their replacement is there; whether an edit left them; whether they were declared, are so here, or nowhere any more.
  ...[
    'isRename',
    'isPart',
    'sameLeft',
    'sameRight',
    'oldLeft',
    'nowThere',
    'staysElsewhere',
    'wasDeclared',
    'isDeclared',
    'isUndeclared',
  ],
  // Where it is: in a comment, in an import, in a string.
  ...['isComment', 'isImport', 'isString'],
  // What the user is doing: how many edits, how many lines the last one brought, whether a word is being typed.
  ...['edits', 'newestLines', 'isInsideWord', 'isJustTyped', 'mayContinue'],
] as const;

export type Evidence = Float64Array;

/** For each candidate, [evidenceNames.length]. */
export function evidenceOf(
  candidates: readonly Candidate[],
  place: EditedDocument,
  lines: readonly Line[],
  changes: readonly PastChange[],
): Evidence[] {
  const context = contextOf(place, lines, changes);
  const groups = new Map<string, Candidate[]>();
  for (const each of candidates) groups.set(each.group, [...(groups.get(each.group) ?? []), each]);
  return candidates.map((each) => {
    const group = groups.get(each.group) ?? [];
    return Float64Array.from([
      ...ofOrigin(each, group),
      ...ofPlace(each, context),
      ...ofSize(each, place),
      ...ofLikeness(each, place),
      ...ofWords(each, context),
      ...ofSurroundings(each, place),
      ...context.ofUser,
    ]);
  });
}

interface Context extends EditedDocument {
  cursorLine: number;
  /** The lines of past edits that are still there, from 0. */
  edited: number[];
  isOtherFile: boolean;
  counts: Map<string, number>;
  lineOf: (offset: number) => number;
  /** Whether no line declares any more what was replaced. */
  isUndeclared: (substitution: Substitution) => boolean;
  ofUser: number[];
}

function contextOf(place: EditedDocument, lines: readonly Line[], changes: readonly PastChange[]): Context {
  const { text, cursor, history, path } = place;
  const lineOf = (offset: number) => lineAt(lines, offset);
  const isOtherFile = history.at(-1)?.path !== path;
  const here = history.filter((each) => each.path === path && each.after.trim().length > 2);
  const edited = here.flatMap(({ after }) => {
    const at = text.indexOf(after);
    return at === -1 || text.indexOf(after, at + 1) !== -1 ? [] : [lineOf(at)];
  });
  if (!isOtherFile) edited.push(lineOf(cursor));
  const counts = new Map<string, number>();
  for (const word of wordsOf(text)) if (isTelling(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const word = /[\p{L}\p{N}_$]/u;
  const [left, right] = [text[cursor - 1] ?? '', text[cursor] ?? ''];
  const typed = /[\p{L}\p{N}_$]*$/u.exec(text.slice(Math.max(0, cursor - 80), Math.max(0, cursor)))?.[0] ?? '';
  const newest = changes.filter(({ age }) => age === 0);
  const words = history.flatMap(({ before, after }) => wordsOf(`${before} ${after}`));
  const isFirst = typed.length > 0 && (counts.get(typed) ?? 0) <= 1;
  const ofUser = [
    history.length,
    newest.reduce((sum, { after }) => sum + after.length, 0),
    Number(word.test(left) && word.test(right)),
    isFirst ? 2 : Number(typed.length > 0),
    Number(typed.length > 0 && [...counts.keys(), ...words].some((each) => each !== typed && each.startsWith(typed))),
  ];
  const known = new Map<string, boolean>();
  const isUndeclared = (substitution: Substitution) => {
    const { old } = substitution;
    const isGone =
      known.get(old) ?? !lines.some((line) => line.text.includes(old) && declares(line.text, substitution));
    known.set(old, isGone);
    return isGone;
  };
  return { ...place, isUndeclared, cursorLine: lineOf(cursor), edited, isOtherFile, counts, lineOf, ofUser };
}

function ofOrigin({ generator, changes, otherWords, start }: Candidate, group: Candidate[]): number[] {
  const nearer = group.findIndex((each) => each.start === start);
  const ages = new Set(changes.map(({ age }) => age));
  return [generators.indexOf(generator), changes.length, Math.min(...ages), group.length, nearer, otherWords];
}

function ofPlace({ start }: Candidate, { cursorLine, edited, isOtherFile, lineOf }: Context): number[] {
  const line = lineOf(start);
  const isPassed = edited.some((each) => each < line) && edited.some((each) => each > line);
  return [Math.abs(line - cursorLine), Number(line > cursorLine), Number(isPassed), Number(isOtherFile)];
}

function ofSize(candidate: Candidate, { text }: EditedDocument): number[] {
  const old = text.slice(candidate.start, candidate.end);
  const changes = changesOf(candidate, text);
  const gone = changes.reduce((sum, { start, end }) => sum + end - start, 0);
  const come = changes.reduce((sum, each) => sum + each.text.length, 0);
  const count = (lines: string) => (lines === '' ? 0 : lines.replace(/\n$/, '').split('\n').length);
  const removesLine = candidate.text === '' && old !== '';
  return [count(old), count(candidate.text), gone, come, Number(removesLine), Number(old === ''), changes.length];
}

function ofLikeness({ start, end, text: now, changes }: Candidate, { text }: EditedDocument): number[] {
  const old = text.slice(start, end);
  const like = (lines: string, past: (change: PastChange) => string[]) =>
    Math.max(0, ...changes.slice(0, 4).map((change) => similarity(lines, past(change).join('\n'))));
  return [like(old, ({ before }) => before), like(now, ({ after }) => after)];
}

function ofWords(
  { substitution, changes, start, end }: Candidate,
  { text, counts, history, isUndeclared }: Context,
): number[] {
  const isDefined = [
    changes.some(({ before }) => before.some((line) => definition.test(line))),
    definition.test(text.slice(start, end)),
  ];
  if (!substitution) return [...Array.from({ length: 7 }, () => -1), ...isDefined.map(Number), -1];
  const { old, now, places, isPart } = substitution;
  const line = text.slice(start, end);
  const wasDeclared = substitution.changes.some(({ before }) => declares(before.join('\n'), substitution));
  const around = occurrencesOf(substitution, line).map((at) => ({
    left: wordBefore(line.slice(0, at)).trim(),
    right: wordBehind(line.slice(at + old.length)).trim(),
  }));
  const isSame = (side: 'left' | 'right') =>
    around.some((here) => here[side] !== '' && places.some((there) => there[side].trim() === here[side]));
  const count = (words: string) =>
    Math.min(
      ...wordsOf(words)
        .filter(isTelling)
        .map((each) => counts.get(each) ?? 0),
      99,
    );
  return [
    Number(isRename(substitution)),
    Number(isPart),
    Number(isSame('left')),
    Number(isSame('right')),
    count(old),
    count(now),
    Number(history.some(({ after }) => occurrencesOf(substitution, after).length > 0)),
    ...(isRename(substitution) ? [wasDeclared, declares(line, substitution)] : isDefined).map(Number),
    Number(wasDeclared && isUndeclared(substitution)),
  ];
}

// In these places a name is declared: behind a keyword, behind its type at the beginning of the line or among the
// parameters, and at the beginning of the line before its type or value.
const keyword =
  /\b(?:let|const|var|val|def|fn|func|fun|function|class|struct|enum|interface|trait|type|typedef|namespace|module|protocol|record|define|auto|static|final|private|protected|public|readonly)\b[^=(;]*$/u;
const typeFirst =
  /^\s*(?!return\b|new\b|await\b|throw\b|case\b|else\b|use\b|import\b|in\b|not\b|delete\b|yield\b)[\p{L}_][\p{L}\p{N}_<>[\].:?]*[\s*&]+$/u;
const parameter = /[(,]\s*(?:const\s+)?[\p{L}_][\p{L}\p{N}_<>[\].:?]*[\s*&]+$/u;
const definition = /\b(?:def|fn|func|fun|function|constructor)\b|^\s*[\p{L}_][^=]*\)[^=;()]*\{?\s*$/u;

/** Whether a line declares what the substitution replaces. */
function declares(lines: string, { old }: Substitution): boolean {
  if (!/^[\p{L}_$]/u.test(old)) return false;
  return lines.split('\n').some((line) => {
    const at = line.indexOf(old);
    if (at === -1 || /[\p{L}\p{N}_$]$/u.test(line.slice(0, at)) || /^[\p{L}\p{N}_$]/u.test(line.slice(at + old.length)))
      return false;
    const [before, behind] = [line.slice(0, at), line.slice(at + old.length).trimStart()];
    if (keyword.test(before)) return true;
    if (before.trim() === '') return /^(?::=|:(?!:)|=(?!=))/.test(behind);
    return (typeFirst.test(before) && /^[=;,({[]/.test(behind)) || (parameter.test(before) && /^[,)=]/.test(behind));
  });
}

function ofSurroundings({ start, end }: Candidate, { text }: EditedDocument): number[] {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const line = text.slice(lineStart, Math.max(end, text.indexOf('\n', start)));
  return [
    Number(/^\s*(\/\/|\/\*|\*|#(?!\s*(include|define|if))|--|"""|''')/.test(line)),
    Number(/^\s*(import|from|#\s*include|using|use|require|require_once)\b/.test(line)),
    Number(/["'`]/.test(line)),
  ];
}
