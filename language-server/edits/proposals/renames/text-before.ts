// A document as it was before a rename, with its syntax tree. There, all uses of the renamed symbol have the same name.
import { LongText } from '../../../documents/long-text.ts';
import type { SyntaxTree } from '../../../syntax/syntax-tree.ts';
import { type SourceText, wholeTreeOf } from '../../../syntax/trees.ts';
import { lineAt, linesOf, maxLineChars } from '../../text/lines.ts';
import { changesBetween, type PastEdit } from '../../text/text-edit.ts';

/** A document with the path that the history uses for it. */
export interface NamedSource extends SourceText {
  path: string;
}

/** A place that still has the old name, and what to write there. */
export interface Use {
  line: number;
  character: number;
  text: string;
}

export interface TextBefore {
  tree: SyntaxTree;
  text: string;
  /** The lines that the edits have changed. */
  edited: ReadonlySet<number>;
  lineOf(at: number): number;
  /** The character's index in its current line; undefined if an edit replaced the character. */
  characterNow(at: number): number | undefined;
  /** Whether the line is too long to be edited by hand. */
  isTooLong(line: number): boolean;
}

/** The languages whose tags are parsed as those of HTML. The trees of all others are those that suggestions use. */
const likeHtml = new Set(['vue', 'xml']);

/**
 * Calls `use` with the document as it was before the edits, and returns its result; undefined if there is no tree. The
 * edits must not add or remove lines, so lines keep their numbers. The nodes are valid until the result resolves.
 */
export async function withTextBefore<T>(
  document: NamedSource,
  edits: readonly PastEdit[],
  use: (text: TextBefore) => Promise<T>,
): Promise<T | undefined> {
  const current = document.text.toString().split('\n');
  const lines = [...current];
  const edited = new Set<number>();
  for (const edit of edits) {
    const first = edit.path === document.path ? firstLine(edit, lines) : undefined;
    if (first === undefined) continue;
    const written = edit.after.split('\n');
    for (const [i, line] of edit.before.split('\n').entries()) {
      if (line === written[i]) continue;
      lines[first + i] = `${line}${lines[first + i]?.endsWith('\r') ? '\r' : ''}`;
      edited.add(first + i);
    }
  }
  const text = lines.join('\n');
  const placed = linesOf(text);
  const lineOf = (at: number) => lineAt(placed, at);
  const characterNow = (at: number) => {
    const line = lineOf(at);
    const character = at - (placed[line]?.start ?? 0);
    return edited.has(line) ? moved(character, lines[line] ?? '', current[line] ?? '') : character;
  };
  const isTooLong = (line: number) => (lines[line]?.length ?? 0) > maxLineChars;
  const source = { ...document, languageId: likeHtml.has(document.languageId) ? 'html' : document.languageId };
  const before = edited.size === 0 ? source : { ...source, uri: `${document.uri}#before`, text: LongText.of(text) };
  const tree = await wholeTreeOf(before);
  if (!tree) return undefined;
  const own = tree.movedTo(tree.text);
  try {
    return await use({ tree: own, text, edited, lineOf, characterNow, isTooLong });
  } finally {
    own.delete();
  }
}

/** The line where the edit's new text begins: the recorded line, if the text is still there, or else its only place. */
function firstLine({ after, line }: PastEdit, lines: readonly string[]): number | undefined {
  const written = after.split('\n');
  const isAt = (at: number) => written.every((row, i) => withoutReturn(lines[at + i] ?? '\n') === row);
  if (line !== undefined && isAt(line)) return line;
  const places = lines.flatMap((_, i) => (isAt(i) ? [i] : []));
  return places.length === 1 ? places[0] : undefined;
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

/** The index of a character after the line has changed; undefined if the character itself was replaced. */
function moved(character: number, before: string, after: string): number | undefined {
  let by = 0;
  for (const { start, end, text } of changesBetween(before, after)) {
    if (start > character) break;
    if (character < end) return undefined;
    by += text.length - (end - start);
  }
  return character + by;
}
