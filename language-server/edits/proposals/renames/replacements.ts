// Names that past edits replaced by others.
import { changesBetween, isWord, type PastEdit, wordsOf } from '../../text/text-edit.ts';

interface Words {
  old: string;
  now: string;
  /** Whether the edit did nothing else. */
  isPure: boolean;
  /** The old name stays that of a member or an import, and becomes another here. */
  isAlias: boolean;
}

export interface Replacement extends Words {
  /** All edits that did it and nothing else, in any file; or the one that also did other things. */
  edits: readonly PastEdit[];
}

/** Each with a file in which it was made, the newest first. */
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

/** Names that the edit replaced, in lines that it left as many. */
function wordsIn({ before: old, after }: PastEdit): Words[] {
  if (old.split('\n').length !== after.split('\n').length) return [];
  const found = new Map<string, Words>();
  const changes = changesBetween(old, after);
  for (const { start, end, text } of changes) {
    const [was, alias] = [old.slice(start, end), aliased.exec(text)?.[1]];
    const behind = alias !== undefined && was === '' ? lastWord.exec(old.slice(0, start))?.[0] : undefined;
    const words = behind === undefined ? { old: was, now: text } : { old: behind, now: alias ?? '' };
    if (!isName(words.old) || !isName(words.now) || found.has(words.old)) continue;
    const isPure = behind === undefined ? isOnly(words, old, after) : changes.length === 1;
    found.set(words.old, { ...words, isPure, isAlias: behind !== undefined });
  }
  return [...found.values()];
}

/** `{ name: other }`, `import { name as other }` */
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
