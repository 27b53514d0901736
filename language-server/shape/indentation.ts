// Lines: where they begin, how deep they are indented, and the unit in which a document indents.
import type { LongText } from '../documents/long-text.ts';

const sampleChars = 4000;
const tabWidth = 4;

export interface Line {
  text: string;
  /** Where the line begins and ends in the text. */
  begin: number;
  end: number;
}

/** The lines that are not blank. */
export function filledLines(text: string): Line[] {
  const lines: Line[] = [];
  let begin = 0;
  for (const line of text.split('\n')) {
    const end = begin + line.length;
    if (line.trim() !== '') lines.push({ text: line, begin, end });
    begin = end + 1;
  }
  return lines;
}

export function indentationOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

/** The line of the offset, up to the offset; of a long line only the last 500 characters. */
export function lineBefore(text: LongText, at: number): string {
  const before = text.slice(Math.max(0, at - 500), at);
  return before.slice(before.lastIndexOf('\n') + 1);
}

/** The width of a line's indentation in columns; a tab counts as four. */
export function depthOf(line: string): number {
  return indentationOf(line).replaceAll('\t', ' '.repeat(tabWidth)).length;
}

/**
 * The heads of the blocks around a line of the given depth, with the lines below each: a head is indented less than all
 * lines below it. lines: those above, the nearest first.
 */
export function headsAbove(lines: readonly string[], depth: number): { head: string; body: string[] }[] {
  const heads: { head: string; body: string[] }[] = [];
  let least = depth;
  for (const [i, head] of lines.entries()) {
    if (depthOf(head) >= least) continue;
    least = depthOf(head);
    heads.push({ head, body: lines.slice(0, i) });
  }
  return heads;
}

/**
 * One level of indentation: a tab, or as many spaces as neighbouring lines most often differ by. usual: the number of
 * spaces if the lines do not show it; 0 for a tab.
 */
export function unitOf(text: LongText, offset: number, usual: number): string {
  const sample = text.slice(Math.max(0, offset - sampleChars), offset + sampleChars).split(/\r?\n/);
  const filled = sample.filter((line) => line.trim() !== '');
  const tabs = filled.filter((line) => line.startsWith('\t')).length;
  const spaces = filled.filter((line) => line.startsWith('  ')).length;
  if (tabs > spaces) return '\t';
  const depths = filled.map(depthOf);
  const steps = depths.map((depth, i) => depth - (depths[i - 1] ?? depth)).filter((step) => step >= 2 && step <= 8);
  const count = (step: number) => steps.filter((each) => each === step).length;
  const [most = usual] = [...new Set(steps)].sort((a, b) => count(b) - count(a));
  return most === 0 ? '\t' : ' '.repeat(most);
}

/** The text with its indentation in the document's unit. The first line stays, since it begins at the cursor. */
export function reindented(text: string, unit: string): string {
  // Spaces left over are alignment and stay.
  const [old, now] = unit === '\t' ? [' '.repeat(tabWidth), unit] : ['\t', unit];
  return text.replace(/(?<=\n)[ \t]+/g, (indentation) => indentation.replaceAll(old, now));
}
