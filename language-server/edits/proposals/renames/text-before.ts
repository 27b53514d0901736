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
  const changed = new Set<number>();
  for (const edit of edits) {
    if (edit.path !== document.path) continue;
    const was = edit.before.split('\n');
    const first = firstLine(edit, lines) ?? 0;
    for (const at of editedLines(edit, lines)) {
      lines[at] = `${was[at - first]}${lines[at]?.endsWith('\r') ? '\r' : ''}`;
      changed.add(at);
    }
  }
  const text = lines.join('\n');
  const placed = linesOf(text);
  const lineOf = (at: number) => lineAt(placed, at);
  const characterNow = (at: number) => {
    const line = lineOf(at);
    const character = at - (placed[line]?.start ?? 0);
    return changed.has(line) ? moved(character, lines[line] ?? '', current[line] ?? '') : character;
  };
  const isTooLong = (line: number) => (lines[line]?.length ?? 0) > maxLineChars;
  const source = { ...document, languageId: likeHtml.has(document.languageId) ? 'html' : document.languageId };
  const before = changed.size === 0 ? source : { ...source, uri: `${document.uri}#before`, text: LongText.of(text) };
  const tree = await wholeTreeOf(before);
  if (!tree) return undefined;
  const own = tree.movedTo(tree.text);
  try {
    return await use({ tree: own, text, lineOf, characterNow, isTooLong });
  } finally {
    own.delete();
  }
}

/** The lines that the edit has changed; empty if the document no longer has them, or has them twice. */
export function editedLines(edit: PastEdit, lines: readonly string[]): number[] {
  const first = firstLine(edit, lines);
  if (first === undefined) return [];
  const written = edit.after.split('\n');
  return edit.before.split('\n').flatMap((line, i) => (line === written[i] ? [] : [first + i]));
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
