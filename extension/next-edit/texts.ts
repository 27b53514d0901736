// The texts that the editor shows for an offered edit: the inserted text, the hint, the difference, the announcement.
import { l10n } from 'vscode';
import type { NextEdit } from '../../language-server/protocol/next-edit-messages.ts';
import type { Step } from './offered-edit.ts';

const maxChars = 40;

const firstBreak = /^\r?\n/;

/** The drawing of an inserted text: its first line, the number of further lines, and ⏎ for a line break at either end. */
export function inline(text: string): string {
  const isBelow = firstBreak.test(text);
  const rest = text.replace(firstBreak, '');
  const [first = '', ...others] = linesOf(rest);
  const more = others.length === 1 ? l10n.t('+1 line') : l10n.t('+{0} lines', others.length);
  const begin = isBelow ? ` ⏎ ${first.trimStart()}` : first;
  return unbroken(`${begin}${others.length > 0 ? ` ${more}` : ''}${rest.endsWith('\n') ? ' ⏎ ' : ''}`);
}

/** The hint for an edit that is out of sight. file: the name of its file; undefined if that is the active one. */
export function hint(edit: NextEdit, file: string | undefined): string {
  return unbroken(`⇥ ${place(edit, file)}: ${summary(edit)}`);
}

function place({ range }: NextEdit, file: string | undefined): string {
  const line = range.start.line + 1;
  return file === undefined ? l10n.t('line {0}', line) : l10n.t('{0}, line {1}', file, line);
}

/** The old and the new text, in a few words. */
export function summary(edit: NextEdit): string {
  const [first] = edit.changes;
  if (!first) return '';
  const newText = shortened(first.text);
  const oldText = shortened(replacedBy(first, edit));
  if (oldText === '') return `+ ${newText}`;
  if (newText === '') return `− ${oldText}`;
  const { otherChanges = [] } = edit;
  const lines = new Set(otherChanges.map(({ range }) => range.start.line)).size;
  const more =
    lines === 0 ? '' : lines === 1 ? l10n.t(', and in 1 other line') : l10n.t(', and in {0} other lines', lines);
  return `${oldText} → ${newText}${more}`;
}

/** The edit's old and new lines, for the hover. */
export function difference({ oldText, newText }: NextEdit): string {
  const isBelow = firstBreak.test(newText) && /^\s*$/.test(oldText);
  const removed = isBelow ? [] : markedLines(oldText, '- ');
  return [...removed, ...markedLines(isBelow ? newText.replace(firstBreak, '') : newText, '+ ')].join('\n');
}

function markedLines(text: string, mark: string): string[] {
  return text === '' ? [] : linesOf(text).map((line) => mark + line);
}

function linesOf(text: string): string[] {
  return text.replace(/\r?\n$/, '').split(/\r?\n/);
}

/** The text that a screen reader says. key: the key that goes to the edit or applies it, according to the step. */
export function announcement(edit: NextEdit, file: string | undefined, key: 'Tab' | 'Alt+Enter', step: Step): string {
  const where = place(edit, file);
  return step === 'apply'
    ? l10n.t('Next edit in {0}: {1}. {2} applies it.', where, summary(edit), key)
    : l10n.t('Next edit in {0}: {1}. {2} goes there.', where, summary(edit), key);
}

/** Whether the edit is so small that it is easily overlooked. */
export function isTiny(edit: NextEdit): boolean {
  return edit.changes.every((change) => change.text.length <= 1 && replacedBy(change, edit).length <= 1);
}

function replacedBy({ range: { start, end } }: NextEdit['changes'][number], { range, oldText }: NextEdit): string {
  if (start.line !== end.line) return oldText;
  return oldText.split('\n')[start.line - range.start.line]?.slice(start.character, end.character) ?? '';
}

function shortened(text: string): string {
  const flat = text.trim().replace(/\s+/g, ' ');
  return flat.length <= maxChars ? flat : `${flat.slice(0, maxChars - 1)}…`;
}

/** The text with spaces that VS Code neither collapses nor breaks. */
function unbroken(text: string): string {
  return text.replaceAll('\t', '  ').replaceAll(' ', '\u00a0');
}
