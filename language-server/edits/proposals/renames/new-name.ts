// What stands in the place of a name whose declaration was renamed.
import type { Language } from '../../../rules/language.ts';
import { hasShorthand, isKey, isValue } from './declares.ts';
import { importAround } from './imports.ts';
import type { NamePlace } from './name-places.ts';

export interface Rename {
  /** Of the file in which it was declared. */
  path: string;
  old: string;
  now: string;
  /** Whether other files may use the name. */
  isShared: boolean;
  /** Whether it is used behind `this` and the like, and not by itself. */
  isMember: boolean;
}

/** What stands there after the rename, which may be the old name; undefined if that cannot be told. */
export function newName(place: NamePlace, { old, now, isMember }: Rename, language: Language, languageId: string) {
  const { before, behind, isOwnMember } = place;
  if (isOwnMember !== isMember || isKey(place, language) || isOtherKind(before, behind, languageId)) return old;
  const element = importAround(place) === undefined ? elementOf(place, language, languageId) : 'value';
  if (element === 'unclear') return undefined;
  return element === 'shorthand' ? `${old}: ${now}` : now;
}

/** A symbol or a variable of an instance in Ruby, a macro in Rust, and words of the text between the tags of JSX. */
function isOtherKind(before: string, behind: string, languageId: string): boolean {
  if (languageId === 'ruby') return /[@:]$/.test(before);
  if (languageId === 'rust') return /^![([{]/.test(behind);
  if (!languageId.endsWith('react')) return false;
  const isBetweenTags = />[^<>{}=]*$/.test(before) && /^[^<>{}]*<\//.test(behind);
  return isBetweenTags || wordBefore.test(before) || wordBehind.test(behind);
}

const wordBefore =
  /(?<![\p{L}\p{N}_$])(?!(?:as|async|await|case|const|default|delete|else|export|extends|from|implements|import|in|instanceof|is|keyof|let|new|of|return|throw|type|typeof|void|yield)\s)[\p{L}_$][\p{L}\p{N}_$']*[.,!?]?\s+$/u;
const wordBehind = /^\s+(?!(?:as|extends|from|implements|in|instanceof|is|of|satisfies)\b)[\p{L}_$]/u;

/** Whether it is a whole element of an object or an export, where the name is the key, too. */
function elementOf({ before, behind, brackets: [bracket] }: NamePlace, language: Language, languageId: string) {
  const isWhole = /^\s*(?:[,}]|\r?$|\/\/)/.test(behind) && (before.trim() === '' || /[{,]\s*$/.test(before));
  if (bracket?.token !== '{' || !isWhole) return 'value';
  if (!hasShorthand(language)) return ['rust', 'csharp'].includes(languageId) ? 'unclear' : 'value';
  if (/\bexport\s*$/.test(bracket.before)) return 'unclear';
  return isValue.test(bracket.before) ? 'shorthand' : 'value';
}
