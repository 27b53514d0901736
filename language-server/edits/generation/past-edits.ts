// How past edits are written in the prompts of Sweep's and Hearth's formats.
import type { PastEdit } from '../text/text-edit.ts';

/** longest: the maximum number of lines of each text, an even number. Longer texts are cut in the middle. */
export function diffOf({ path, before, after }: PastEdit, longest: number): string {
  return `${path}.diff\noriginal:\n${shortened(before, longest)}\nupdated:\n${shortened(after, longest)}\n`;
}

function shortened(text: string, longest: number): string {
  const lines = text.split('\n');
  if (lines.length <= longest) return text;
  return [...lines.slice(0, longest / 2), '...', ...lines.slice(1 - longest / 2)].join('\n');
}
