// How past edits are told to models of the formats of Sweep and Hearth.
import type { PastEdit } from '../text/text-edit.ts';

/** longest: how many lines of each text are told, an even number; of more, the beginning and the end. */
export function diffOf({ path, before, after }: PastEdit, longest: number): string {
  return `${path}.diff\noriginal:\n${shortened(before, longest)}\nupdated:\n${shortened(after, longest)}\n`;
}

function shortened(text: string, longest: number): string {
  const lines = text.split('\n');
  if (lines.length <= longest) return text;
  return [...lines.slice(0, longest / 2), '...', ...lines.slice(1 - longest / 2)].join('\n');
}
