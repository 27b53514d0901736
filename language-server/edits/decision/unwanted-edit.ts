// Says how likely an edit must be, and which edits are never offered, however likely they are.
import type { Eagerness } from '../../protocol/next-edit-messages.ts';
import type { Reason } from '../../protocol/reasons.ts';
import { isWorse } from '../../syntax/faults.ts';
import { type SourceText, treeOf } from '../../syntax/trees.ts';
import { importLine } from '../text/lines.ts';
import { changesOf, type TextEdit } from '../text/text-edit.ts';

/** The probability that an edit needs. lab/bench/results/next-edit.md says how often edits above a gate are right. */
export const gates: Record<Exclude<Eagerness, 'off'>, number> = { calm: 0.86, balanced: 0.45, eager: 0.26 };

/** The gate of an edit that only deletes. Users look at a deletion less closely, and lose more if it is wrong. */
export const deletionGate = 0.85;

// An edit that deletes or changes more lines is never offered.
export const maxDeletedLines = 3;
const maxChangedLines = 8;

type Unwanted = Extract<
  Reason,
  'only-space' | 'changes-too-much' | 'edit-unsure' | 'only-imports' | 'only-literals' | 'special-token'
>;

/** Why the edit is not offered; null if it may be offered. */
export function whyUnwanted(edit: TextEdit, text: string, probability: number): Unwanted | null {
  const old = text.slice(edit.start, edit.end);
  const changes = changesOf(edit, text);
  const inserted = changes.map((change) => change.text).join('');
  const deleted = changes.map(({ start, end }) => text.slice(start, end)).join('');
  if ((inserted + deleted).trim() === '') return 'only-space';
  const lostLines = lineCount(old) - lineCount(edit.text);
  if (lostLines > maxDeletedLines || lineCount(deleted + inserted) > maxChangedLines) return 'changes-too-much';
  if (inserted.trim() === '' && probability < deletionGate) return 'edit-unsure';
  if (isOnlyImports(old, edit.text, changes)) return 'only-imports';
  if (/<\|[^\s|]+\|>/.test(inserted) && !/<\|/.test(text)) return 'special-token';
  return changes.every((change) => isLiteral(change.text) && isLiteral(text.slice(change.start, change.end)))
    ? 'only-literals'
    : null;
}

/** The number of lines that are not blank. */
function lineCount(text: string): number {
  return text.split('\n').filter((line) => line.trim() !== '').length;
}

/** Whether the edit only adds or only removes imports, or names in imports. The editor does that by itself. */
function isOnlyImports(old: string, now: string, changes: readonly TextEdit[]): boolean {
  const replaces = changes.some(({ start, end, text }) => end > start && text !== '');
  const lines = (old + now).split('\n').filter((line) => line.trim() !== '');
  return !replaces && lines.every((line) => importLine.test(line));
}

/** Whether the text is a Boolean or a number. If an edit changes nothing else, the new value is only a guess. */
function isLiteral(text: string): boolean {
  return /^(?:true|false|\d[\d_]*)$/i.test(text);
}

/** Whether the edit would add syntax errors to the document; false if the document has no syntax tree. */
export function breaksSyntax({ start, end, text }: TextEdit, document: SourceText): boolean {
  const tree = treeOf(document);
  const after = tree?.isCurrent ? tree.withText(start, end, text) : null;
  if (!tree || !after) return false;
  try {
    return isWorse(tree, after, { start, end: start + text.length });
  } finally {
    after.delete();
  }
}
