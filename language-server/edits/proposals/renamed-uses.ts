// The uses of a name whose declaration was renamed. Where a document has no declaration of the old name any more, its
// uses are wrong as they are: nothing needs to be weighed, and no model asked.
import { type Language, languageOf } from '../../rules/languages.ts';
import { scan, within } from '../../rules/scanner.ts';
import { linesOf } from '../text/lines.ts';
import { changesBetween, isWord, type PastEdit, type TextEdit, wordsOf } from '../text/text-edit.ts';

interface Rename {
  old: string;
  now: string;
  /** Whether other files may use the name. */
  isShared: boolean;
  /** Whether it is the name of a function or a type, which may stand behind a dot. */
  isMember: boolean;
}

/** The share of uses that were in fact renamed, in histories that `npm run tool -- edit-cases` has read. */
export const renameProbability = 0.8;

const keywords =
  /(^|[\s(])(const|let|var|val|def|class|function|fn|func|type|interface|struct|enum|trait|static|mut|final|readonly|define)\s+\*?$/;
const functions = /^(def|class|function|fn|func|type|interface|struct|enum|trait)$/;

/** The next use from the cursor on, with the new name; undefined if there is none. isOther: not where it was declared. */
export function renamedUse(
  { text, cursor, languageId, isOther }: { text: string; cursor: number; languageId: string; isOther: boolean },
  history: readonly PastEdit[],
  isDismissed: (edit: TextEdit) => boolean,
): TextEdit | undefined {
  const language = languageOf(languageId);
  for (const rename of history.toReversed().flatMap((edit) => renameIn(edit) ?? [])) {
    if ((isOther && !rename.isShared) || isDeclared(text, rename.old)) continue;
    const edits = usesOf(text, rename, language).filter(
      (edit) => !(edit.start <= cursor && cursor <= edit.end) && !isDismissed(edit),
    );
    const next = edits.find(({ start }) => start >= cursor) ?? edits[0];
    if (next) return next;
  }
  return undefined;
}

/** Undefined unless the edit does nothing else than to rename, and does so where the name is declared. */
function renameIn({ before, after }: PastEdit): Rename | undefined {
  const [change] = changesBetween(before, after);
  if (!change) return undefined;
  const [old, now] = [before.slice(change.start, change.end), change.text];
  if (![old, now].every((word) => isWord(word) && wordsOf(word).length === 1)) return undefined;
  const [lines, made] = [before.split('\n'), after.split('\n')];
  const isPure =
    lines.length === made.length &&
    lines.every((line, i) => made[i] === line || made[i] === line.replace(wholeWord(old), now));
  const line = lines.find((each, i) => made[i] !== each && keywordBefore(each, old) !== undefined);
  if (!isPure || line === undefined) return undefined;
  const isMember = functions.test(keywordBefore(line, old) ?? '');
  return { old, now, isMember, isShared: /^(export|pub|public)\b/.test(line) || (isMember && /^\S/.test(line)) };
}

/** Whole lines, from the top, with the name replaced in their code. */
function usesOf(text: string, { old, now, isMember }: Rename, language: Language): TextEdit[] {
  if (!text.includes(old)) return [];
  const found: TextEdit[] = [];
  for (const { start, end, text: line } of linesOf(text)) {
    const replaced = line.replace(wholeWord(old), (word, at: number) => {
      const isCode = within(scan(line.slice(0, at), language).open, language) === 'code';
      const isProperty = /[.>]\s*$/.test(line.slice(0, at)) && !isMember;
      return isCode && !isProperty ? now : word;
    });
    if (replaced !== line) found.push({ start, end, text: replaced });
  }
  return found;
}

/** Whether the text has anything that may declare the name, also as a parameter or by a first assignment. */
function isDeclared(text: string, name: string): boolean {
  if (!text.includes(name)) return false;
  return linesOf(text).some(({ start, end, text: line }) =>
    line === '' ? text.slice(start, end).includes(name) : declares(line, name),
  );
}

function declares(line: string, name: string): boolean {
  for (const { index } of line.matchAll(wholeWord(name))) {
    const [before, behind] = [line.slice(0, index), line.slice(index + name.length)];
    if (keywords.test(before) || /\b(for|catch|as|in|lambda)\s*\(?\s*$/.test(before)) return true;
    if (/^\s*(:(?!:)|=(?!=)|:=|=>)/.test(behind)) return true;
    const isParameter = /\([^()]*$/.test(before) && /^[^()]*\)\s*(=>|->|:|\{)/.test(behind);
    if (isParameter && !/\b(if|for|foreach|while|until|switch|match|return|elif)\b/.test(before)) return true;
  }
  return false;
}

function keywordBefore(line: string, name: string): string | undefined {
  const at = line.search(wholeWord(name));
  return at === -1 ? undefined : keywords.exec(line.slice(0, at))?.[2];
}

function wholeWord(name: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}_$])${name.replaceAll('$', '\\$')}(?![\\p{L}\\p{N}_$])`, 'gu');
}
