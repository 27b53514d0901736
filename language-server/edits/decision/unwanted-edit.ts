// Edits that are never offered, however likely they seem.
import type { Reason } from '../../protocol/reasons.ts';
import { languageOf } from '../../rules/languages.ts';
import { isBracket, scan } from '../../rules/scanner.ts';
import { changesOf, type TextEdit } from '../text/text-edit.ts';
import { deletionGate, maxDeletedLines } from './gates.ts';

const maxChangedLines = 8;

type Unwanted = Extract<
  Reason,
  'only-space' | 'changes-too-much' | 'edit-unsure' | 'breaks-brackets' | 'only-imports' | 'special-token'
>;

/** Why the edit is not offered; null if it may be. */
export function whyUnwanted(edit: TextEdit, text: string, probability: number, languageId: string): Unwanted | null {
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
  return imbalance(edit.text, languageId) > imbalance(old, languageId) ? 'breaks-brackets' : null;
}

/** Lines that are not blank. */
function lineCount(text: string): number {
  return text.split('\n').filter((line) => line.trim() !== '').length;
}

const importLine = /^\s*(import|from|#\s*include|using|use|require|require_once)\b/;

/** Whether the edit only adds or removes imports, or names in them, as the editor does by itself. Replacing one is something else. */
function isOnlyImports(old: string, now: string, changes: readonly TextEdit[]): boolean {
  const replaces = changes.some(({ start, end, text }) => end > start && text !== '');
  const lines = (old + now).split('\n').filter((line) => line.trim() !== '');
  return !replaces && lines.every((line) => importLine.test(line));
}

/** How many brackets have no partner in these lines. */
function imbalance(lines: string, languageId: string): number {
  const { open, outer } = scan(lines, languageOf(languageId));
  return open.filter(isBracket).length + outer.length;
}
