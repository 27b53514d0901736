// The names that past edits replaced with other names.
import { changesBetween, isName, type PastEdit, wordsOf } from '../../text/text-edit.ts';

interface Words {
  old: string;
  now: string;
  /** Whether the edit changed nothing else. */
  isPure: boolean;
  /** Whether a member or an import keeps its name, and gets an alias here, as in `{ name: alias }`. */
  isAlias: boolean;
}

export interface Replacement extends Words {
  /** All pure edits with this replacement, in any file; if it is not pure, or an alias: this one edit. */
  edits: readonly PastEdit[];
}

/** The replacements, newest first. A replacement in several files is listed once for each file. */
export function replacementsIn(history: readonly PastEdit[]): (Replacement & { path: string })[] {
  const all = history.toReversed().flatMap((edit) => wordsIn(edit).map((words) => ({ ...words, edit })));
  const isSame = (a: Words, b: Words) => a.old === b.old && a.now === b.now;
  const found: (Replacement & { path: string })[] = [];
  for (const { edit, ...words } of all) {
    const { path } = edit;
    const isKnown = found.some(
      (known) => known.path === path && isSame(known, words) && known.isAlias === words.isAlias,
    );
    if (isKnown) continue;
    const same = all.filter((made) => isSame(made, words) && made.isPure && !made.isAlias).map((made) => made.edit);
    const isPure = same.some((pureEdit) => pureEdit.path === path);
    const edits = words.isAlias || !isPure ? [edit] : same;
    found.push({ ...words, isPure: words.isAlias ? words.isPure : isPure, path, edits });
  }
  return found;
}

/** The names that the edit replaced; empty if the edit changed the number of lines. */
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

/** An alias with its separator: `: alias` in `{ name: alias }`, ` as alias` in `import { name as alias }`. */
const aliased = /^(?:\s*:\s*|\s+as\s+)([\p{L}_$][\p{L}\p{N}_$]*)$/u;
const lastWord = /[\p{L}_$][\p{L}\p{N}_$]*$/u;

/** Whether the two texts differ only in this name. */
function isOnly({ old, now }: Pick<Words, 'old' | 'now'>, from: string, to: string): boolean {
  const made = wordsOf(to);
  const words = wordsOf(from);
  return (
    words.length === made.length && words.every((word, i) => word === made[i] || (word === old && made[i] === now))
  );
}
