// Finds names that an edit has removed and that are still elsewhere. What goes is their place in a list, or the statement.

import type { PastChange } from '../../history/past-changes.ts';
import { keepsBrackets, type Line, nearest } from '../../text/lines.ts';
import { isWord, type TextEdit, wordsOf } from '../../text/text-edit.ts';
import type { Candidate } from '../candidate.ts';

const shortestName = 3;
const keyword =
  /^(?:and|as|assert|async|await|bool|break|case|catch|class|const|continue|def|default|delete|do|else|end|enum|except|export|extends|false|final|finally|fn|for|from|func|function|get|if|impl|import|in|int|interface|is|let|match|mut|new|nil|none|not|null|of|or|override|pass|private|protected|pub|public|raise|readonly|require|return|self|set|static|string|struct|super|switch|then|this|throw|throws|true|try|type|undefined|use|using|val|var|void|when|where|while|with|yield)$/i;
const maxNames = 40;
const maxPlaces = 12;
const maxRun = 3;

/** renamed: names that have become others, rather than gone. */
export function unusedNames(
  lines: readonly Line[],
  changes: readonly PastChange[],
  renamed: ReadonlySet<string>,
  cursorLine: number,
): Candidate[] {
  const gone = new Map<string, PastChange>();
  for (const change of changes) {
    const kept = new Set(change.after.flatMap(wordsOf));
    for (const word of change.before.flatMap(wordsOf))
      if (isName(word) && !kept.has(word) && !renamed.has(word) && !gone.has(word)) gone.set(word, change);
  }
  if (gone.size === 0) return [];
  const left = new Map<string, number[]>([...gone.keys()].map((name) => [name, []]));
  for (const [i, { text }] of lines.entries()) for (const word of new Set(wordsOf(text))) left.get(word)?.push(i);
  const few = [...left]
    .filter(([, places]) => places.length > 0 && places.length <= maxPlaces)
    .sort(([, [a = 0]], [, [b = 0]]) => a - b)
    .slice(0, maxNames);
  return few.flatMap(([name, all]) => {
    const change = gone.get(name);
    if (!change) return [];
    const places = nearest(all, cursorLine, maxPlaces);
    const isUsed = all.length > 1;
    const edits = [
      // What is imported and still used stays imported.
      ...places.flatMap((i) =>
        lines[i] && !(isUsed && isImport.test(lines[i].text)) ? withoutElement(lines[i], name) : [],
      ),
      ...places.flatMap((i) => withoutLines(lines, i, name)),
    ];
    return edits.map((edit) => ({
      ...edit,
      ...{ finder: 'unused' as const, group: `${name}\n${edit.text === ''}`, changes: [change] },
      otherWords: all.length - 1,
    }));
  });
}

function isName(word: string): boolean {
  return isWord(word) && word.length >= shortestName && !keyword.test(word);
}

const nameCharacter = /[\p{L}\p{N}_$]/u;
const sign = /(?<=^|[([{<,|]\s*|\s)(?:\.\.\.|[&*:@]|["'`])?$/;
const typeOrValue = /^["'`]?(?:\s*[:=]\s*[\p{L}\p{N}_.]+)?/u;

/** The forms that the name may have in a list: with its sign or quotes, type or value. */
function elementsIn(text: string, name: string): { from: number; to: number }[] {
  const elements: { from: number; to: number }[] = [];
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + name.length)) {
    const end = at + name.length;
    if (nameCharacter.test(text[at - 1] ?? '') || nameCharacter.test(text[end] ?? '')) continue;
    const from = sign.exec(text.slice(0, at))?.index ?? -1;
    const to = end + (typeOrValue.exec(text.slice(end))?.[0].length ?? 0);
    if (from >= (elements.at(-1)?.to ?? 0)) elements.push({ from, to });
  }
  return elements;
}

/** The line without the name in a list, and without one of the commas beside it. */
function withoutElement({ start, end, text }: Line, name: string): TextEdit[] {
  return elementsIn(text, name).flatMap(({ from, to }) => {
    const [before, behind] = [text.slice(0, from), text.slice(to)];
    const comma = /^\s*,\s*/.exec(behind);
    const commaBefore = /,\s*$/.exec(before);
    const isOpened = /[([{<|]\s*$/.test(before);
    const isClosed = /^\s*[)\]}>|]/.test(behind);
    const isAlone = before.trim() === '' && /^,?\s*$/.test(behind);
    if (isAlone || !(isOpened || commaBefore) || !(isClosed || comma || behind.trim() === '')) return [];
    if (commaBefore && (isClosed || comma))
      return [{ start, end, text: before.slice(0, -commaBefore[0].length) + behind }];
    if (comma) return [{ start, end, text: before + behind.slice(comma[0].length) }];
    return isOpened && isClosed ? [{ start, end, text: before + behind.trimStart() }] : [];
  });
}

const isImport = /^\s*(import|from|use|using|require|include|#\s*include)\b/;
const opensOrCloses = /[{([:,]\s*$|^\s*[)\]}]/;

/** The statement on this line; with lines below that have the name, too, and with an empty line that is then one too many. */
function withoutLines(lines: readonly Line[], first: number, name: string): TextEdit[] {
  const line = lines[first];
  if (!line || (isImport.test(line.text) && line.text.includes(','))) return [];
  const isInList = /^\s*["'`]?[\p{L}\p{N}_$.:'"`/@-]+["'`]?\s*[:=]?[^{([]*,\s*$/u.test(line.text);
  if (!isInList && opensOrCloses.test(line.text)) return [];
  let last = first;
  while (last - first + 1 < maxRun && wordsOf(lines[last + 1]?.text ?? '').includes(name)) last++;
  const isBlank = (i: number) => lines[i] !== undefined && lines[i].text.trim() === '';
  const opens = /[{([]\s*$/.test(lines[first - 1]?.text ?? '');
  const edits = [first, ...(last > first ? [last] : [])].flatMap((to) => {
    const end = lines[to]?.end;
    if (end === undefined) return [];
    const edit = { start: line.start, end: end + 1, text: '' };
    const next = lines[to + 1];
    const isTooMany = isBlank(to + 1) && (isBlank(first - 1) || opens);
    return isTooMany && next ? [{ ...edit, end: next.end + 1 }, edit] : [edit];
  });
  const removed = lines.slice(first, last + 1).map(({ text }) => text);
  return keepsBrackets('', removed.join('\n')) ? edits : [];
}
