// An expression got a name, which the other places with the expression can use; or a name went, and where it is used
// stands what it was a name of.
import type { Candidate } from '../candidate.ts';
import { type Line, nearest } from '../lines.ts';
import type { PastChange } from '../past-changes.ts';
import { isTelling } from '../substitutions.ts';
import { wordsOf } from '../text-edit.ts';

const shortestLiteral = 3;
const shortestExpression = 5;
const maxPlaces = 20;

interface Named {
  name: string;
  expression: string;
}

export function namedExpressions(
  lines: readonly Line[],
  changes: readonly PastChange[],
  cursorLine: number,
): Candidate[] {
  return changes.flatMap((change) => [
    ...change.after.flatMap((line) => replaced(lines, change, cursorLine, namedIn(line), line, true)),
    ...change.before.flatMap((line) => replaced(lines, change, cursorLine, namedIn(line), line, false)),
  ]);
}

const declaration =
  /^\s*(?:[\p{L}_][\p{L}\p{N}_<>[\].?]*\s+)*([\p{L}_$][\p{L}\p{N}_$]*)(?:\s*:\s*[^=]+?)?\s*:?=\s*(?![=>])(.+?)[;,]?\s*$/u;
const macro = /^\s*#\s*define\s+(\w+)\s+(.+?)\s*$/;

function namedIn(line: string): Named | undefined {
  const [, name, expression] = macro.exec(line) ?? declaration.exec(line) ?? [];
  if (name === undefined || expression === undefined || expression === name) return undefined;
  const isLiteral = /^["'`\d]/.test(expression);
  const isLong = expression.length >= (isLiteral ? shortestLiteral : shortestExpression);
  return isLong && isTelling(name) && !/[{([]$/.test(expression) ? { name, expression } : undefined;
}

/** isNew: the expression becomes the name; otherwise the name becomes the expression. */
function replaced(
  lines: readonly Line[],
  change: PastChange,
  cursorLine: number,
  named: Named | undefined,
  declaring: string,
  isNew: boolean,
): Candidate[] {
  if (!named) return [];
  const { name, expression } = named;
  const other = isNew ? change.before : change.after;
  // Whatever has just got another value, or another name, is declared as before.
  if (other.some((line) => namedIn(line)?.name === name || (isNew && namedIn(line)?.expression === expression)))
    return [];
  const [old, now] = isNew ? [expression, name] : [name, expression];
  const here = lines.flatMap(({ text }, i) =>
    text.includes(old) && text.trim() !== declaring.trim() && !(isNew && wordsOf(text).includes(name)) ? [i] : [],
  );
  if (!isNew && here.some((i) => namedIn(lines[i]?.text ?? '')?.name === name)) return [];
  const group = `${name} = ${expression}\n${isNew}`;
  return nearest(here, cursorLine, maxPlaces).flatMap((i): Candidate[] => {
    const { start, end, text } = lines[i] as Line;
    const changed = withAll(text, old, now);
    if (changed === text) return [];
    return [{ start, end, text: changed, generator: 'naming', group, changes: [change], otherWords: Number(isNew) }];
  });
}

const wordCharacter = /[\p{L}\p{N}_$]/u;

function withAll(line: string, old: string, now: string): string {
  const cuts = (offset: number) => wordCharacter.test(line[offset - 1] ?? '') && wordCharacter.test(line[offset] ?? '');
  let [result, from] = ['', 0];
  for (let at = line.indexOf(old); at !== -1; at = line.indexOf(old, at + old.length)) {
    if (cuts(at) || cuts(at + old.length) || line[at - 1] === '.') continue;
    result += line.slice(from, at) + now;
    from = at + old.length;
  }
  return result + line.slice(from);
}
