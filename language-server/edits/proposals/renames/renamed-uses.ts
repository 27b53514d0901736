// The uses of a name whose declaration was renamed. Where a document has no declaration of the old name any more, its
// uses are wrong as they are: nothing needs to be weighed, and no model asked. Only what can be told from the text is
// changed here; a name that may be another's is left to those who weigh.
import type { Language } from '../../../rules/language.ts';
import { languageOf } from '../../../rules/languages.ts';
import { changesBetween, isWord, type PastEdit, type TextEdit, wordsOf } from '../../text/text-edit.ts';
import { declares, keywords, methods, sharedKeywords } from './declares.ts';
import { importAround, isOf, seesAllOf } from './imports.ts';
import { type NamePlace, namePlaces, wholeWord } from './name-places.ts';
import { newName, type Rename } from './new-name.ts';

interface Place {
  path: string;
  text: string;
  /** -1: not in this document. */
  cursor: number;
  languageId: string;
}

/** 32 of 49 became this line, in 16,018 cases that `npm run tool -- edit-cases` has cut; 41 were changed in some way. */
export const renameProbability = 0.65;

/** The next use from the cursor on, with the new name; undefined if there is none. */
export function renamedUse(
  place: Place,
  history: readonly PastEdit[],
  isDismissed: (edit: TextEdit) => boolean,
): TextEdit | undefined {
  const { cursor, languageId } = place;
  const language = languageOf(languageId);
  if (['data', 'prose', 'tags'].includes(language.family)) return undefined;
  for (const rename of history.toReversed().flatMap((edit) => renameIn(edit) ?? [])) {
    const edits = usesOf(place, rename, language).filter(
      (edit) => !(edit.start <= cursor && cursor <= edit.end) && !isDismissed(edit),
    );
    const next = edits.find(({ start }) => start >= cursor) ?? edits[0];
    if (next) return next;
  }
  return undefined;
}

/** Undefined unless the edit does nothing else than to rename, and does so where the name is declared. */
function renameIn({ path, before, after }: PastEdit): Rename | undefined {
  const [change] = changesBetween(before, after);
  if (!change) return undefined;
  const [old, now] = [before.slice(change.start, change.end), change.text];
  if (![old, now].every((word) => isWord(word) && wordsOf(word).length === 1)) return undefined;
  const [lines, made] = [before.split('\n'), after.split('\n')];
  const isPure =
    lines.length === made.length &&
    lines.every((line, i) => made[i] === line || made[i] === line.replace(wholeWord(old), () => now));
  const line = lines.find((each, i) => made[i] !== each && keywordBefore(each, old) !== undefined);
  if (!isPure || line === undefined) return undefined;
  const keyword = keywordBefore(line, old) ?? '';
  const isMember = methods.test(line) || /^(?:static|readonly)$/.test(keyword);
  const isShared = /^(?:export|pub|public)\b/.test(line) || (sharedKeywords.test(keyword) && /^\S/.test(line));
  return { path, old, now, isShared, isMember };
}

function keywordBefore(line: string, name: string): string | undefined {
  const at = line.search(wholeWord(name));
  return at === -1 ? undefined : keywords.exec(line.slice(0, at))?.[1];
}

/** Whole lines, from the top. None if the document declares the old name, or the new one for something else. */
function usesOf({ path, text, languageId }: Place, rename: Rename, language: Language): TextEdit[] {
  const isOther = path !== rename.path;
  if (isOther && !rename.isShared) return [];
  const [old, now] = [rename.old, rename.now].map((name) => namePlaces(text, name, language));
  if (!old || !now || old.length === 0) return [];
  /** Undefined outside of imports. */
  const isImported = (place: NamePlace) => {
    const statement = importAround(place);
    return statement === undefined ? undefined : isOther && isOf(statement, rename.path);
  };
  const isDeclared = (place: NamePlace) => {
    const isElsewhere = place.isOwnMember && !rename.isMember;
    return !isElsewhere && (declares(place, language) ? isImported(place) !== true : isImported(place) === false);
  };
  if (old.some(isDeclared) || now.filter(isDeclared).length > (isOther ? 0 : 1)) return [];
  if (isOther && ![...old, ...now].some(isImported) && !seesAllOf(text, path, rename.path)) return [];
  return linesWith(old, text, rename, (place) => newName(place, rename, language, languageId));
}

function linesWith(
  places: readonly NamePlace[],
  text: string,
  { old }: Rename,
  nameOf: (place: NamePlace) => string | undefined,
): TextEdit[] {
  const starts = new Set(places.map(({ lineStart }) => lineStart));
  return [...starts].flatMap((start) => {
    const here = places.filter(({ lineStart }) => lineStart === start);
    const end = here[0]?.lineEnd ?? start;
    const names = here.map(nameOf);
    const line = text.slice(start, end);
    const renamed = here.reduceRight(
      (result, { at }, i) => result.slice(0, at - start) + names[i] + result.slice(at - start + old.length),
      line,
    );
    return renamed === line || names.includes(undefined) ? [] : [{ start, end, text: renamed }];
  });
}
