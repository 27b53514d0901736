// Finds lines in which all changes of an edited line can be repeated, in the same order, each between the same two
// words. Unlike the other finders, it can repeat several changes at once: for example, a call gets another name and one
// more argument.
import type { PastChange } from '../../history/past-changes.ts';
import { indentationOf, keepsBrackets, type Line, nearest, similarity } from '../../text/lines.ts';
import { applyEdit, changesBetween, isWord, type TextEdit, wordsOf } from '../../text/text-edit.ts';
import type { Candidate } from '../candidate.ts';
import { isDistinctive, isWhole } from '../substitutions.ts';

const maxChanges = 5;
const maxPlaces = 20;
const minLikeness = 0.25;
/** A neighbour that may be any word. */
const anything = null;

/** A change of words in a line, with its two neighbours: words, or '' at the beginning and the end of the line. */
interface Site {
  old: string;
  now: string;
  left: string | null;
  right: string | null;
}

export function editsInContext(
  lines: readonly Line[],
  changes: readonly PastChange[],
  cursorLine: number,
): Candidate[] {
  return changes.flatMap((change) => {
    const [before, after] = [change.before[0], change.after[0]];
    if (before === undefined || after === undefined || change.before.length + change.after.length !== 2) return [];
    const sites = sitesOf(before.trim(), after.trim());
    if (sites.length === 0 || sites.length > maxChanges || !isSpecific(sites)) return [];
    const required = sites.map(({ old }) => old).filter(isDistinctive);
    const alike = lines.flatMap(({ text }, i) =>
      required.every((words) => text.includes(words)) && similarity(text, before) >= minLikeness ? [i] : [],
    );
    const group = `${before.trim()}\n${after.trim()}\nin context`;
    return nearest(alike, cursorLine, maxPlaces).flatMap((i): Candidate[] => {
      const { start, end, text } = lines[i] as Line;
      const differingWords = Math.min(9, countMissing(before, text));
      return sides.flatMap((loosened): Candidate[] => {
        const now = changed(text, sites.map(loosened));
        if (now === undefined || now === text || text.trim() === after.trim()) return [];
        return [{ start, end, text: now, finder: 'context', group, changes: [change], differingWords }];
      });
    });
  });
}

/**
 * The ways to loosen a site: both neighbours must be the same, or only the left one, or only the right one, or neither.
 * The words that remain must contain a name to look for.
 */
const sides: ((site: Site) => Site)[] = [
  (site) => site,
  (site) => (isDistinctive(`${site.left ?? ''}${site.old}`) ? { ...site, right: anything } : site),
  (site) => (isDistinctive(`${site.old}${site.right ?? ''}`) ? { ...site, left: anything } : site),
  (site) => (isDistinctive(site.old) ? { ...site, left: anything, right: anything } : site),
];

function sitesOf(before: string, after: string): Site[] {
  return changesBetween(before, after).map((change) => {
    const { start, end, text } = change.start < change.end ? change : towardsName(change, before);
    return {
      old: before.slice(start, end),
      now: text,
      left: besideAt(wordsOf(before.slice(0, start)).reverse())
        .reverse()
        .join(''),
      right: besideAt(wordsOf(before.slice(end))).join(''),
    };
  });
}

/** The same insertion as far to the right as possible: "b, " before a name rather than ", b" before a comma. */
function towardsName({ start, text }: TextEdit, before: string): TextEdit {
  let words = wordsOf(text);
  let at = start;
  for (const next of wordsOf(before.slice(start))) {
    if (next !== words[0]) break;
    words = [...words.slice(1), next];
    at += next.length;
  }
  return { start: at, end: at, text: words.join('') };
}

/** The next word, with the space before it. */
function besideAt(words: string[]): string[] {
  const at = words.findIndex((word) => word.trim() !== '');
  return at === -1 ? [] : words.slice(0, at + 1);
}

/**
 * False if the only change replaces a name, which is left to substitutions, or if neither the changes nor their
 * neighbours contain a name.
 */
function isSpecific(sites: Site[]): boolean {
  if (sites.length === 1 && sites.every(({ old, now }) => isWord(old) && isWord(now))) return false;
  const distinctive = sites.filter(({ old, left, right }) => [old, left ?? '', right ?? ''].some(isDistinctive));
  return distinctive.length > 0 && sites.some(({ old, now }) => isDistinctive(old + now) || sites.length > 1);
}

/** The line with all of the changes; undefined if one of them has no place, or if they leave a bracket open. */
function changed(line: string, sites: Site[]): string | undefined {
  const indentation = indentationOf(line).length;
  const edits: TextEdit[] = [];
  let from = indentation;
  for (const [i, { old, now, left, right }] of sites.entries()) {
    const sought = `${left ?? ''}${old}${right ?? ''}`;
    const isLast = i === sites.length - 1;
    let at = left === '' ? (line.startsWith(sought, indentation) ? indentation : -1) : line.indexOf(sought, from);
    for (; at !== -1; at = left === '' ? -1 : line.indexOf(sought, at + 1)) {
      const start = at + (left?.length ?? 0);
      const edit = { start, end: start + old.length, text: now };
      const fits = isWhole(line, at, sought.length) && (right !== '' || edit.end === line.trimEnd().length);
      if (!fits) continue;
      if (isLast && !keepsBrackets(line, applied(line, [...edits, edit]))) continue;
      edits.push(edit);
      from = edit.end;
      break;
    }
    if (at === -1) return undefined;
  }
  return applied(line, edits);
}

function applied(line: string, edits: TextEdit[]): string {
  return edits.reduceRight(applyEdit, line);
}

/** How many names and numbers of `before` the other line lacks. */
function countMissing(before: string, other: string): number {
  const [words, others] = [before, other].map((line) => new Set(wordsOf(line).filter(isDistinctive)));
  return [...(words ?? [])].filter((word) => !others?.has(word)).length;
}
