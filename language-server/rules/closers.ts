// What a text leaves open, and what closes it.
import { depthOf, filledLines, indentationOf } from './indentation.ts';
import { hasTags, opensBlock } from './languages.ts';
import { filledBelow, isEndedBelow, type Place } from './place.ts';
import { closerFor, isBracket, type Open, scan } from './scanner.ts';

const beginsBody = /(?<![;\s])[;\s]+(?:do|then)\b/;
// Behind a name stand type arguments, but no closing tag does.
const unfinishedTag = /(?:(?<![\w.])<|<\/)[a-zA-Z](?:[^<>]|=>)*$|<\/?$/;
// Behind a name stand type arguments.
const tags = /(?:(?<![\w.])<|<(\/))([a-zA-Z][\w.:-]*)(?:\s(?:[^<>]|=>)*)?>/g;
const tryBlock = /\btry\s*[{:]/g;
const catching = /\b(?:catch|except|finally)\b/g;

/** A line that opens a block, by where it ends. */
interface Head {
  at: number;
  indentation: string;
  closer: string;
}

/** What closes the blocks that the text leaves open, on lines of their own; null if it ends inside an expression or a tag. */
export function missingClosers(text: string, place: Place): string | null {
  const { language, lineBreak, around } = place;
  const opened = openedIn(text, place);
  const endsLine = ({ token, at }: Open) => token === '{' && /^\s*?(?:\n|$)/.test(text.slice(at + 1));
  if (isUncaught(text, place) || !opened.every(endsLine)) return null;
  const firstLine = (lineBreak || `\n${around.linePrefix}`).slice(1) + text;
  const indentationAt = (begin: number) => indentationOf(begin > 0 ? text.slice(begin) : firstLine);
  const braces = opened.map(({ at }) => ({
    at,
    indentation: indentationAt(text.lastIndexOf('\n', at) + 1),
    closer: '}',
  }));
  const heads: Head[] = [];
  for (const line of filledLines(text)) {
    const trimmed = line.text.trim();
    if (language.branch?.test(trimmed)) continue;
    const indentation = indentationAt(line.begin);
    const last = heads.at(-1);
    const outwards = depthOf(last?.indentation ?? '') - depthOf(indentation);
    // The end of a head of several lines stands further out than the last of them.
    if (last && (outwards === 0 || (outwards > 0 && trimmed.startsWith(last.closer)))) {
      heads.pop();
    } else if (opensBlock(trimmed, language)) {
      const closer = language.terminatorOf(trimmed);
      if (closer?.endsWith(' ')) return null;
      if (closer) heads.push({ at: line.end, indentation, closer });
    }
  }
  // Between the last head and its body below stands no closer of an outer one: that, too, is below.
  if (heads.at(-1)?.at === text.trimEnd().length && hasBodyBelow(heads.at(-1), place)) {
    while (hasBodyBelow(heads.at(-1), place)) heads.pop();
    if (heads.length + braces.length > 0) return null;
  }
  if (isEndedBelow(place) && depthOf(heads[0]?.indentation ?? '') === depthOf(around.linePrefix)) heads.shift();
  const inwards = [...braces, ...heads].sort((a, b) => b.at - a.at);
  // What closes further out cannot stand before what is closed below.
  const isInside = opened.length < leftOpen(text, place).length || openTag(text, place) !== -1;
  if (inwards.length > 0 && isInside) return null;
  return inwards.map(({ indentation, closer }) => `\n${indentation}${closer}`).join('');
}

/** Whether the deeper lines below, and the line that ends them, are those of the head of a block. */
function hasBodyBelow(head: Head | undefined, place: Place): boolean {
  if (!head) return false;
  const depth = depthOf(head.indentation);
  const lines = filledBelow(place);
  const after = lines.find((line) => depthOf(line) <= depth) ?? '';
  const [end, { closer }] = [after.trim(), head];
  const isWhole = !/\w\w/.test(end.slice(closer.length - 1, closer.length + 1));
  const isEnd = (end.startsWith(closer) && isWhole) || (place.language.branch?.test(end) ?? false);
  return depthOf(lines[0] ?? '') > depth && depthOf(after) === depth && isEnd;
}

/** Whether a block only tries; without what catches, that is no statement. One that closes what it opens, `try (`, is. */
function isUncaught(text: string, { around, language }: Place): boolean {
  // Where a body may stand behind the word alone, a try is an expression like others.
  if (language.opener?.test('try')) return false;
  return lastIndex(text, tryBlock) > lastIndex([text, ...around.linesBelow].join('\n'), catching);
}

/** -1 if there is none. */
function lastIndex(text: string, pattern: RegExp): number {
  let last = -1;
  for (const { index } of text.matchAll(pattern)) last = index;
  return last;
}

/** What the text opens and nothing closes, outermost first. */
export function openedIn(text: string, place: Place): Open[] {
  return withoutClosed(leftOpen(text, place), place.surplus);
}

/**
 * What the text opens and does not close, but for what takes the place of a bracket that it has closed, as in `} else {`. A
 * comment that ends with its line is none.
 */
function leftOpen(text: string, { language, open, unclosed, around }: Place): Open[] {
  const after = scan(text, language, open);
  const opened = after.open.filter((each) => !open.includes(each) && !language.lineComments.includes(each.token));
  const own = after.outer.flatMap(({ closes }) => closes ?? []).filter(isBracket);
  const closed = own.filter((each) => !unclosed.includes(each)).map(closerFor);
  // A body below has its end there, if the text ends the parameters above it.
  const isAboveBody = depthOf(around.linesBelow[0] ?? '') > depthOf(around.linePrefix) && own.length > closed.length;
  return withoutClosed(opened, isAboveBody ? ['}', ...closed] : closed);
}

/** Without the innermost ones that the closers close, which stand in this order. */
function withoutClosed(opened: readonly Open[], closers: readonly string[]): Open[] {
  const open = closers.findIndex((closer, i) => closer !== closerFor(opened.at(-1 - i) ?? { token: '', at: 0 }));
  return opened.slice(0, Math.max(0, opened.length - (open === -1 ? closers.length : open)));
}

/** Whether the text closes the bracket or the element that the tail would close. */
export function closesItself(text: string, { language, open, tail }: Place): boolean {
  const closer = tail.trim();
  const own = open.at(-1);
  if (own && closer === closerFor(own)) return scan(text, language, open).outer.some(({ closes }) => closes === own);
  const [, name] = /^<\/(.+)>$/.exec(closer) ?? [];
  const count = (tag: string) => text.split(tag).length;
  return name !== undefined && count(closer) > count(`<${name}`);
}

/** Where a tag begins that the text does not finish; -1 if it finishes all. */
export function openTag(text: string, { language }: Place): number {
  return !hasTags(language) ? -1 : text.search(unfinishedTag);
}

/**
 * Where an element begins that the text does not end, although it has content in its line; -1 if there is none. HTML needs
 * no end of many.
 */
export function openElement(text: string, { language }: Place): number {
  if (!hasTags(language) || !language.hasObjects) return -1;
  const open: { name: string; at: number }[] = [];
  for (const { 0: found, 1: slash, 2: name = '', index } of text.matchAll(tags)) {
    const hasContent = /^[ \t]*[^ \t\n]/.test(text.slice(index + found.length));
    const opened = open.findLastIndex((each) => each.name === name);
    if (slash === '/') open.splice(opened === -1 ? open.length : opened);
    else if (hasContent && language.terminatorOf(found) !== null) open.push({ name, at: index });
  }
  return open[0]?.at ?? -1;
}

/** Where a line begins to open a block that needs an end of its own; -1 if it opens none. */
export function headStart(line: string, { language }: Place): number {
  const keyword = language.family === 'ends' ? line.search(beginsBody) : -1;
  if (keyword !== -1) return keyword;
  return language.terminatorOf(line.trim()) === null ? -1 : line.trimEnd().search(language.opener ?? /$/);
}
