// How past edits are written in the prompts of Sweep's and Hearth's formats.
import type { PastEdit } from '../text/text-edit.ts';

/** Texts of more than `maxLines` lines, an even number, are cut in the middle. */
export function diffOf({ path, before, after }: PastEdit, maxLines: number): string {
  return `${path}.diff\noriginal:\n${shortened(before, maxLines)}\nupdated:\n${shortened(after, maxLines)}\n`;
}

function shortened(text: string, maxLines: number): string {
  const lines = text.split('\n');
  if (lines.length <= maxLines) return text;
  return [...lines.slice(0, maxLines / 2), '...', ...lines.slice(1 - maxLines / 2)].join('\n');
}
