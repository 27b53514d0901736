// Which brackets around the cursor lack their partner.
import type { Surroundings } from '../prompt/text-window.ts';
import { depthOf, indentationOf } from './indentation.ts';
import type { Language } from './language.ts';
import { hasPatterns } from './languages.ts';
import { closerFor, isBracket, type Open, Scanner, scan } from './scanner.ts';

export interface BracketsBelow {
  /** The open brackets that nothing below closes, innermost first. */
  unclosed: readonly Open[];
  /** The closing brackets below that close nothing, in order: the text may open them. */
  surplus: readonly string[];
  /** The indentation of the statement in the cursor's line, which may begin further up. */
  head: string;
  /** The indentation of the statement that opened the innermost bracket; '' if none is open. */
  opener: string;
}

// A line that begins so goes on with the head of a class or of a function: in its bases, a constructor's initializers, its
// errors, its constraints.
const partOfHead = /^(?:(?:extends|implements|permits|requires|throws|where|with)(?=\s+[^\s:=]|$)|->\s|:(?!:))/;
// What cannot be the line above it: the end of a statement or of an element, or the first part of a choice.
const endsBefore = /(?:^|[;{}:,])$|\s\?\s/;
// How a head goes on after such a line.
const beginsOperand = /^(?:,|&&|\|\|)/;
const lacksOperand = /(?:^\w+|,|&&|\|\|)$/;

interface Scanned {
  /** The text up to the cursor and from there on, as far as it is scanned. */
  before: string;
  after: string;
  around: Surroundings;
  /** What is open between the two. */
  open: readonly Open[];
  language: Language;
  isAllAbove: boolean;
  isAllBelow: boolean;
}

/**
 * Which brackets nothing below closes, and which closing brackets below close nothing. A closing bracket that is indented
 * less than the line of an opening one belongs to a bracket further out.
 */
export function bracketsBelow({
  before,
  after,
  around,
  open,
  language,
  isAllAbove,
  isAllBelow,
}: Scanned): BracketsBelow {
  const { ofBrackets, ofLast } = headsIn(before, language);
  const left = open
    .filter(isBracket)
    .reverse()
    .map((bracket) => ({ bracket, depth: depthOf(ofBrackets.get(bracket.at) ?? '') }));
  const depthHere = depthOf(around.linePrefix);
  const bodyDepth = depthOf(around.linesBelow[0] ?? '') > depthHere ? depthHere : null;
  const unclosed: Open[] = [];
  const surplus: string[] = [];
  const ofBodies: string[] = [];
  for (const { at, closes } of scan(after, language, open).outer) {
    const newline = after.lastIndexOf('\n', at);
    const isBelow = newline !== -1;
    const depth = depthOf(after.slice(newline + 1, at));
    const closer = after[at] ?? '';
    if (!closes && closer === ')' && hasPatterns(language)) continue;
    const isOfBody = isBelow && bodyDepth !== null && depth >= bodyDepth;
    // One that ends a body below the cursor's line, and is deeper than all open brackets, closes none of them.
    if (isOfBody && left.every((each) => closerFor(each.bracket) !== closer || each.depth < depth)) {
      surplus.push(closer);
      if (closes) ofBodies.push(closer);
      continue;
    }
    // What it closes may stand above the window, or has been taken for what another one closes.
    const taken = closes ? -1 : ofBodies.indexOf(closer);
    if (taken !== -1) ofBodies.splice(taken, 1);
    else if (!closes && isAllAbove) surplus.push(closer);
    const closed = left.findIndex((each) => closerFor(each.bracket) === closer && !(isBelow && each.depth > depth));
    // Brackets further in than the one closed are not closed at all.
    const inside = left.splice(0, closed + 1).slice(0, -1);
    unclosed.push(...inside.map(({ bracket }) => bracket));
  }
  // The rest of the document is not scanned: if there is more, the remaining brackets are assumed to be closed there.
  if (isAllBelow) unclosed.push(...left.map(({ bracket }) => bracket));
  const innermost = open.findLast(isBracket);
  return { unclosed, surplus, head: ofLast, opener: ofBrackets.get(innermost?.at ?? -1) ?? '' };
}

/**
 * The indentation of the statements that opened the brackets, by their places, and of the one in the last line: a head of
 * several lines is indented as the line whose bracket its last one closes, or as its first one.
 */
function headsIn(before: string, language: Language): { ofBrackets: Map<number, string>; ofLast: string } {
  const ofBrackets = new Map<number, string>();
  const scanner = new Scanner(before, language, []);
  let begin = 0;
  let ofLast = '';
  let previous = '';
  let isInHead = false;
  for (const line of before.split('\n')) {
    const trimmed = line.trim();
    isInHead = goesOn(trimmed, previous, isInHead, language);
    const above = /[)\]}]/.test(line) ? [...scanner.open] : [];
    const { open } = scanner.to(begin + line.length);
    const closed = above.find((each, i) => each !== open[i]);
    const own = indentationOf(line);
    ofLast = ofBrackets.get(closed?.at ?? -1) ?? (isInHead && depthOf(ofLast) < depthOf(own) ? ofLast : own);
    const opened = open.findLastIndex(({ at }) => at < begin) + 1;
    for (const { at } of open.slice(opened)) ofBrackets.set(at, ofLast);
    begin += line.length + 1;
    previous = trimmed;
  }
  return { ofBrackets, ofLast };
}

/** Whether a line goes on with the head of a block in the line above; isInHead: whether that one did, too. */
function goesOn(line: string, above: string, isInHead: boolean, { family, bareHead }: Language): boolean {
  if (family !== 'brackets') return false;
  if (isInHead && (beginsOperand.test(line) || lacksOperand.test(above))) return true;
  return (partOfHead.test(line) && !endsBefore.test(above)) || (bareHead?.test(above) ?? false);
}
