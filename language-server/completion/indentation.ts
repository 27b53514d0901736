// Indentation: how deep a line stands, and what the document is indented with.
import type { Text } from '../documents/long-text.ts';
import type { Language } from './languages.ts';

const sampleChars = 4000;
const tabWidth = 4;

export function indentationOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

/** Columns before the line's first character, with tabs as wide as four spaces. */
export function depthOf(line: string): number {
  return indentationOf(line).replaceAll('\t', ' '.repeat(tabWidth)).length;
}

/** One level of indentation: a tab, or the number of spaces by which neighbouring lines mostly differ. */
export function unitOf(text: Text, offset: number, language: Language): string {
  const sample = text.slice(Math.max(0, offset - sampleChars), offset + sampleChars).split(/\r?\n/);
  const filled = sample.filter((line) => line.trim() !== '');
  const tabs = filled.filter((line) => line.startsWith('\t')).length;
  const spaces = filled.filter((line) => line.startsWith('  ')).length;
  if (tabs > spaces) return '\t';
  const steps = new Map<number, number>();
  for (const [i, line] of filled.entries()) {
    const step = depthOf(line) - depthOf(filled[i - 1] ?? '');
    if (i > 0 && step >= 2 && step <= 8) steps.set(step, (steps.get(step) ?? 0) + 1);
  }
  const [most] = [...steps].sort((a, b) => b[1] - a[1]);
  if (most) return ' '.repeat(most[0]);
  return language.indent === 0 ? '\t' : ' '.repeat(language.indent);
}

/** The text with its lines indented by the document's unit; its first line stands at the cursor and stays. */
export function reindented(text: string, unit: string): string {
  const [first = '', ...lines] = text.split('\n');
  if (lines.length === 0) return text;
  return [first, ...lines.map((line) => withUnit(line, unit))].join('\n');
}

function withUnit(line: string, unit: string): string {
  const indentation = indentationOf(line);
  if (unit !== '\t') return indentation.replaceAll('\t', unit) + line.slice(indentation.length);
  // What is less than a tab aligns.
  const tabs = indentation.replaceAll(' '.repeat(tabWidth), '\t');
  return tabs + line.slice(indentation.length);
}
