// Tags whose name was changed. The partner is wrong as it is, so that nothing needs to be weighed; other elements of that
// name were not meant.
import { hasTags, languageOf } from '../../../rules/languages.ts';
import type { EditedDocument, PastEdit, TextEdit } from '../../text/text-edit.ts';
import { wholeWord } from './name-places.ts';

interface Tag {
  name: string;
  isClosing: boolean;
  isInComment: boolean;
  /** Of the name. */
  at: number;
}

interface ChangedTag {
  old: string;
  now: string;
  isClosing: boolean;
}

type Place = Pick<EditedDocument, 'path' | 'text' | 'cursor' | 'languageId' | 'history'>;

const maxChars = 100_000;
const maxTagChars = 500;

/** The line of the partner with the new name; undefined if it is not certain which tag that is, or at the cursor. */
export function partnerTag({ path, text, cursor, languageId, history }: Place): TextEdit | undefined {
  if (!hasTags(languageOf(languageId)) || text.length > maxChars) return undefined;
  for (const { old, now, isClosing } of history
    .filter((edit) => edit.path === path)
    .flatMap(changedTags)
    .reverse()) {
    const [[changed, ...others], [partner, ...more]] = [now, old].map((name) => unpaired(text, name)) as [Tag[], Tag[]];
    if (!changed || !partner || others.length + more.length > 0) continue;
    const isPair = changed.isClosing === isClosing && partner.isClosing !== isClosing;
    const isInOrder = isClosing ? partner.at < changed.at : changed.at < partner.at;
    const start = text.lastIndexOf('\n', partner.at) + 1;
    const end = (text.indexOf('\n', partner.at) + 1 || text.length + 1) - 1;
    if (!isPair || !isInOrder || (start <= cursor && cursor <= end)) continue;
    return { start, end, text: text.slice(start, partner.at) + now + text.slice(partner.at + old.length, end) };
  }
  return undefined;
}

/** Whether an edit changes a tag as one was changed whose name was left as it is everywhere else. */
export function repeatsTag({ start, end, text: now }: TextEdit, { text, history }: Omit<Place, 'cursor'>): boolean {
  const changed = changedTags({ before: text.slice(start, end), after: now });
  if (changed.length === 0) return false;
  const known = history.flatMap(changedTags);
  return changed.some(
    (tag) => known.some((each) => isSame(each, tag)) && !history.some((edit) => renamesBesideTags(edit, tag)),
  );
}

function isSame(one: ChangedTag, other: ChangedTag): boolean {
  return one.old === other.old && one.now === other.now;
}

/** Whether an edit replaces the name where it is no tag, as an import or a declaration has it. */
function renamesBesideTags({ before, after }: Pick<PastEdit, 'before' | 'after'>, { old, now }: ChangedTag): boolean {
  const count = (text: string, name: string) => text.match(wholeWord(name))?.length ?? 0;
  const inTags = (text: string, name: string) => tagsIn(text).filter((tag) => tag.name === name).length;
  const beside = (text: string, name: string) => count(text, name) - inTags(text, name);
  return beside(before, old) > beside(after, old) && beside(after, now) > beside(before, now);
}

function changedTags({ before, after }: Pick<PastEdit, 'before' | 'after'>): ChangedTag[] {
  const [tags, made] = [tagsIn(before), tagsIn(after)];
  if (tags.length !== made.length || tags.some((tag, i) => tag.isClosing !== made[i]?.isClosing)) return [];
  return tags.flatMap(({ name: old, isClosing }, i) => {
    const now = made[i]?.name ?? old;
    return now === old ? [] : [{ old, now, isClosing }];
  });
}

/** The tags of this name that have no partner, without those in comments. */
function unpaired(text: string, name: string): Tag[] {
  const open: Tag[] = [];
  const closing: Tag[] = [];
  for (const tag of tagsIn(text)) {
    if (tag.name !== name || tag.isInComment) continue;
    if (tag.isClosing) {
      if (!open.pop()) closing.push(tag);
    } else if (!isClosedByItself(text, tag.at + name.length)) open.push(tag);
  }
  return [...closing, ...open];
}

/** Behind a name, `<` begins no tag, but may begin the arguments of a type. */
function tagsIn(text: string): Tag[] {
  let isInComment = false;
  return [...text.matchAll(/<!--|-->|(?:<\/|(?<![\p{L}\p{N}_$.])<)(\p{L}[\p{L}\p{N}_.:-]*)/gu)].flatMap((match) => {
    const [token, name] = match;
    if (name === undefined) isInComment = token === '<!--';
    const [isClosing, at] = [token.startsWith('</'), match.index + token.length - (name?.length ?? 0)];
    return name === undefined ? [] : [{ name, isClosing, isInComment, at }];
  });
}

/** Whether the tag with these attributes ends with a slash. */
function isClosedByItself(text: string, from: number): boolean {
  let [quote, depth] = ['', 0];
  for (let at = from; at < Math.min(text.length, from + maxTagChars); at++) {
    const char = text[at] ?? '';
    if (quote !== '') quote = char === quote ? '' : quote;
    else if (char === '"' || char === "'") quote = char;
    else if (char === '{') depth++;
    else if (char === '}') depth--;
    else if (char === '>' && depth <= 0) return text[at - 1] === '/';
  }
  return false;
}
