// The window: the lines around the cursor that a model is asked to rewrite.
import { lineAt, linesOf } from '../text/lines.ts';
import type { EditedDocument } from '../text/text-edit.ts';
import type { EditWindow } from './edit-question.ts';

/** The line of the cursor with up to `above` lines before it and up to `below` lines after it. */
export function windowAround({ text, cursor }: EditedDocument, above: number, below: number): EditWindow {
  const lines = linesOf(text);
  const at = lineAt(lines, cursor);
  const [first, last] = [lines[Math.max(0, at - above)], lines[Math.min(lines.length - 1, at + below)]];
  const [start, end] = [first?.start ?? 0, last?.end ?? text.length];
  return { start, end: Math.min(text.length, end + 1), text: `${text.slice(start, end)}\n` };
}

/** The numbers of the window's first and last lines, counted from 1. text: the whole document. */
export function lineNumbers({ start, text: lines }: EditWindow, text: string): [first: number, last: number] {
  const first = text.slice(0, start).split('\n').length;
  return [first, first + lines.split('\n').length - 2];
}

/** The window's text before the last edit. If that edit was elsewhere or only deleted lines: the current text. */
export function beforeLastEdit(window: EditWindow, { path, history }: EditedDocument): string {
  const last = history.at(-1);
  if (!last || last.path !== path || last.after === '') return window.text;
  const at = `\n${window.text}`.lastIndexOf(`\n${last.after}\n`);
  if (at === -1) return window.text;
  const before = last.before === '' ? '' : `${last.before}\n`;
  return window.text.slice(0, at) + before + window.text.slice(at + last.after.length + 1);
}
