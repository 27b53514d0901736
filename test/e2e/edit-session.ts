// A session of related edits: a file, and the edits that a person makes in it one after the other. In the fixture, the
// edits follow the file's text: "- " and the old line, then "+ " and each line that replaces it.

export interface SessionEdit {
  old: string;
  now: string;
}

export interface EditSession {
  text: string;
  edits: SessionEdit[];
}

export function parseSession(source: string): EditSession {
  const [text = '', blocks = ''] = source.split('=== edits\n');
  const edits = blocks.split('\n\n').map((block) => {
    const marked = (mark: string) =>
      block.split('\n').flatMap((line) => (line.startsWith(mark) ? [line.slice(2)] : []));
    return { old: marked('- ').join('\n'), now: marked('+ ').join('\n') };
  });
  return { text, edits };
}

/** Applies the edit to the first line that equals its old line; undefined without such a line. */
export function applied(text: string, { old, now }: SessionEdit): string | undefined {
  const lines = text.split('\n');
  const at = lines.indexOf(old);
  return at < 0 ? undefined : lines.with(at, now).join('\n');
}

/** The edits that lead from one text to the other; empty if none do. */
export function editsBetween(before: string, after: string, edits: readonly SessionEdit[]): SessionEdit[] {
  for (let set = 1; set < 2 ** edits.length; set++) {
    const some = edits.filter((_, i) => set & (1 << i));
    const result = some.reduce<string | undefined>((text, edit) => text && applied(text, edit), before);
    if (result === after) return some;
  }
  return [];
}

/** The part of the old line that a person selects for an edit, and the text typed instead. Words are replaced whole. */
export function keysOf({ old, now }: SessionEdit): { start: number; end: number; typed: string } {
  const most = Math.min(old.length, now.length);
  let start = 0;
  while (start < most && old[start] === now[start]) start++;
  let same = 0;
  while (same < most - start && old.at(-1 - same) === now.at(-1 - same)) same++;
  const isRenamed = start < old.length - same && start < now.length - same;
  const isWord = (char = '') => /\w/.test(char);
  while (isRenamed && start > 0 && isWord(old[start - 1])) start--;
  while (isRenamed && same > 0 && isWord(old.at(-same))) same--;
  return { start, end: old.length - same, typed: now.slice(start, now.length - same) };
}

/** The lines that differ, as a person reads them: "old → new". */
export function differenceOf(before: string, after: string): string {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const gone = old.filter((line) => !now.includes(line)).map((line) => line.trim());
  const added = now.filter((line) => !old.includes(line)).map((line) => line.trim());
  return `${gone.join(' / ')} → ${added.join(' / ')}`;
}
