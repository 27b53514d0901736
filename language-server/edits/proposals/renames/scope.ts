// How far the rename of a declaration reaches. A name that is declared twice may be two names, and a file that does not
// import it has one of its own: there, and in strings and comments, no edit repeats the rename, however likely it seems.
import type { Language } from '../../../rules/language.ts';
import { hasTags, languageOf } from '../../../rules/languages.ts';
import { type Open, Scanner, scan, type Within, within } from '../../../rules/scanner.ts';
import { changesBetween, changesOf, type EditedDocument, type TextEdit, wordsOf } from '../../text/text-edit.ts';
import { partSubstitutions } from '../name-parts.ts';
import { isRename } from '../substitutions.ts';
import { repeatsTag } from './changed-tags.ts';
import { declares, isAssigned, isLabel, isTypeMember, keywords, methods, sharedKeywords } from './declares.ts';
import { importAround, isOf, seesFile } from './imports.ts';
import { type NamePlace, namePlaces } from './name-places.ts';

interface Renamed {
  old: string;
  now: string;
  /** Of the file in which it is declared. */
  path: string;
  /** Whether no other file can know it. */
  isLocal: boolean;
  /** Whether it belongs to a type, so that it is used behind a dot. */
  isMember: boolean;
  /** Whether an assignment declares it, so that each of them may. */
  isAssigned: boolean;
}

type Place = Pick<EditedDocument, 'path' | 'text' | 'languageId' | 'history'>;

/** Behind these, a name in a string is code. */
const interpolated = /(?:\$|[#$]\{[^{}]*|\\\([^()]*|(?:\b[fF]r?|\$@?)["'].*\{[^{}]*)$/;

/** Those of the edits that repeat no rename beyond its reach. */
export function withinScope<T extends TextEdit>(edits: readonly T[], place: Place): readonly T[] {
  const language = languageOf(place.languageId);
  if (edits.length === 0 || ['data', 'prose'].includes(language.family)) return edits;
  const beside = hasTags(language) ? edits.filter((edit) => !repeatsTag(edit, place)) : edits;
  const renames = place.history.flatMap((_, i) => renamesIn(place, i, language));
  return renames.reduce((left, rename) => withinReach(left, rename, place, language), beside);
}

function withinReach<T extends TextEdit>(edits: readonly T[], rename: Renamed, place: Place, language: Language) {
  const { text } = place;
  const repeated = edits.map((edit) => changesOf(edit, text).filter((change) => repeats(change, text, rename)));
  const positions = repeated.flat().map(({ start }) => start);
  if (positions.length === 0) return edits;
  const names = reachedNames(rename, place, language);
  const code = names && positionsInCode(text, positions, language);
  const isReached = ({ start, end }: TextEdit) => {
    const isOther = rename.isMember || text.slice(start, end) !== rename.old || code?.get(start) === 'string';
    return code?.has(start) && (isOther || names?.has(start));
  };
  return edits.filter((_, i) => repeated[i]?.every(isReached));
}

/** The names whose declaration a past edit replaced. */
function renamesIn({ path: here, text, history }: Place, index: number, language: Language): Renamed[] {
  const edit = history[index];
  if (!edit) return [];
  const { path, before, after } = edit;
  const from = path === here && after !== '' ? text.indexOf(after) : -1;
  let grown = 0;
  return changesBetween(before, after).flatMap(({ start, end, text: now }) => {
    const [old, at] = [before.slice(start, end), start + grown];
    grown += now.length - old.length;
    if (!isRename({ old, now })) return [];
    // Where the lines still stand, the brackets around them tell more than they do.
    const stands = from === -1 ? undefined : namePlaces(text, now, language)?.find((each) => each.at === from + at);
    const place = stands ?? namePlaces(after, now, language)?.find((each) => each.at === at);
    return place && isDeclared(place, language) ? [{ old, now, path, ...kindOf(place) }] : [];
  });
}

function isDeclared(place: NamePlace, language: Language): boolean {
  return isTypeMember(place) || (declares(place, language) && !isLabel(place));
}

function kindOf(place: NamePlace): Pick<Renamed, 'isLocal' | 'isMember' | 'isAssigned'> {
  const line = place.before + place.behind;
  const keyword = keywords.exec(place.before)?.[1] ?? '';
  const isMember = isTypeMember(place) || methods.test(line);
  const isKnown = isMember || sharedKeywords.test(keyword) || /^\s*(?:export|pub|public)\b/.test(line);
  const isLocal = !isKnown && (/^\s/.test(line) || place.brackets[0]?.token === '(');
  return { isMember, isLocal, isAssigned: isAssigned(place) };
}

/** Whether a change does to these words, or to a name with these parts, what the rename did. */
function repeats({ start, end, text: now }: TextEdit, text: string, rename: Renamed): boolean {
  const old = text.slice(start, end);
  if (wordsOf(old).includes(rename.old) && wordsOf(now).includes(rename.now)) return true;
  return partSubstitutions(rename).some((part) => old.includes(part.old) && now.includes(part.now));
}

/** Where the old name stands by itself; undefined if it is, or may be, another name in this document. */
function reachedNames(rename: Renamed, { path, text }: Place, language: Language): Set<number> | undefined {
  const isOther = path !== rename.path;
  if (isOther && (rename.isLocal || !seesFile(text, path, rename.path))) return undefined;
  const isAnother = (place: NamePlace) => {
    const statement = importAround(place);
    if (statement !== undefined) return !isOther || !isOf(statement, rename.path);
    if (isTypeMember(place)) return true;
    return !place.isOwnMember && declares(place, language) && (rename.isAssigned || !isAssigned(place));
  };
  const places = namePlaces(text, rename.old, language);
  return places && !places.some(isAnother) ? new Set(places.map(({ at }) => at)) : undefined;
}

/** Those that are in code, which may be code in a string. */
function positionsInCode(text: string, positions: readonly number[], language: Language): Map<number, Within> {
  const scanner = new Scanner(text, language, []);
  let [lineStart, open]: [number, readonly Open[]] = [-1, []];
  const inOrder = [...new Set(positions)].sort((a, b) => a - b);
  const all = inOrder.map((at): [number, Within] => {
    const start = text.lastIndexOf('\n', at - 1) + 1;
    if (start !== lineStart) [lineStart, open] = [start, [...scanner.to(start).open]];
    return [at, within(scan(text.slice(start, at), language, open).open, language)];
  });
  const before = (at: number) => text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  return new Map(
    all.filter(([at, where]) => where === 'code' || (where === 'string' && interpolated.test(before(at)))),
  );
}
