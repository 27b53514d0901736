// Names that past edits replaced by others.
import { changesBetween, isWord, type PastEdit, wordsOf } from '../../text/text-edit.ts';

interface Words {
  old: string;
  now: string;
  /** Whether the edit did nothing else. */
  isPure: boolean;
  /** Whether a member or an import keeps the old name, and only gets another one here, as in `{ name: other }`. */
  isAlias: boolean;
}

export interface Replacement extends Words {
  /** All edits in any file that did nothing else; or the one edit that also did other things. */
  edits: readonly PastEdit[];
}

/** The replacements, newest first. One that was made in several files is listed once for each. */
export function replacementsIn(history: readonly PastEdit[]): (Replacement & { path: string })[] {
  const all = history.toReversed().flatMap((edit) => wordsIn(edit).map((words) => ({ ...words, edit })));
  const isSame = (one: Words, other: Words) => one.old === other.old && one.now === other.now;
  const found: (Replacement & { path: string })[] = [];
  for (const { edit, ...words } of all) {
    const { path } = edit;
    const isKnown = found.some((each) => each.path === path && isSame(each, words) && each.isAlias === words.isAlias);
    if (isKnown) continue;
    const same = all.filter((each) => isSame(each, words) && each.isPure && !each.isAlias).map((each) => each.edit);
    const isPure = same.some((each) => each.path === path);
    const edits = words.isAlias || !isPure ? [edit] : same;
    found.push({ ...words, isPure: words.isAlias ? words.isPure : isPure, path, edits });
  }
  return found;
}

/** The names that the edit replaced; none if it changed the number of lines. */
function wordsIn({ before: old, after }: PastEdit): Words[] {
  if (old.split('\n').length !== after.split('\n').length) return [];
  const found = new Map<string, Words>();
  const changes = changesBetween(old, after);
  for (const { start, end, text } of changes) {
    const [was, alias] = [old.slice(start, end), aliased.exec(text)?.[1]];
    const aliasedName = alias !== undefined && was === '' ? lastWord.exec(old.slice(0, start))?.[0] : undefined;
    const words = aliasedName === undefined ? { old: was, now: text } : { old: aliasedName, now: alias ?? '' };
    if (!isName(words.old) || !isName(words.now) || found.has(words.old)) continue;
    const isPure = aliasedName === undefined ? isOnly(words, old, after) : changes.length === 1;
    found.set(words.old, { ...words, isPure, isAlias: aliasedName !== undefined });
  }
  return [...found.values()];
}

/** What gives a name another one: `: other` in `{ name: other }`, ` as other` in `import { name as other }`. */
const aliased = /^(?:\s*:\s*|\s+as\s+)([\p{L}_$][\p{L}\p{N}_$]*)$/u;
const lastWord = /[\p{L}_$][\p{L}\p{N}_$]*$/u;

function isName(text: string): boolean {
  return isWord(text) && wordsOf(text).length === 1;
}

/** Whether nothing differs but the one name. */
function isOnly({ old, now }: Pick<Words, 'old' | 'now'>, from: string, to: string): boolean {
  const made = wordsOf(to);
  const words = wordsOf(from);
  return (
    words.length === made.length && words.every((word, i) => word === made[i] || (word === old && made[i] === now))
  );
}
