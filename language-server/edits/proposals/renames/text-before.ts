// A document as it was before some past edits, with its tree. There, all uses of a renamed thing still have the same
// name.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Node } from 'web-tree-sitter';
import { LongText } from '../../../documents/long-text.ts';
import { loadGrammar } from '../../../syntax/runtime.ts';
import { type SourceText, treeOf } from '../../../syntax/trees.ts';
import { lineAt, linesOf, maxLineChars } from '../../text/lines.ts';
import { changesBetween, type PastEdit } from '../../text/text-edit.ts';

/** A document with the path by which the history knows it. */
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
  root: Node;
  text: string;
  lineOf(at: number): number;
  /** Where the character is in its line now; undefined if the name there was edited. */
  characterNow(at: number): number | undefined;
  /** Whether nobody would edit the line by hand. */
  isTooLong(line: number): boolean;
}

// A long document is parsed in small portions, so its tree may take a while.
const [waits, waitMs] = [200, 5];

/** Languages whose tags HTML's grammar can read. */
const tagged = new Set(['vue', 'xml', 'astro', 'handlebars']);

export function readable<T extends SourceText>(document: T): T {
  return tagged.has(document.languageId) ? { ...document, languageId: 'html' } : document;
}

/** Waits for a short time for the tree of a document. Returns false if there is none. */
export async function settled(document: SourceText): Promise<boolean> {
  if (!(await loadGrammar(document.languageId))) return false;
  for (let i = 0; i < waits && !treeOf(document)?.isCurrent; i++) await sleep(waitMs);
  return treeOf(document)?.isCurrent === true;
}

/**
 * Returns what `use` makes of the document before the edits; undefined if there is no tree. No edit may add or remove
 * lines, so lines keep their numbers. The nodes are valid until the result resolves.
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
  const source =
    changed.size === 0 ? document : { ...document, uri: `${document.uri} before`, text: LongText.of(text) };
  const tree = (await settled(source)) ? treeOf(source) : null;
  if (!tree?.isCurrent) return undefined;
  const own = tree.movedTo(tree.text);
  try {
    return await use({ root: own.root, text, lineOf, characterNow, isTooLong });
  } finally {
    own.delete();
  }
}

/** The lines that the edit has changed; none if it is unknown where they are. */
export function editedLines(edit: PastEdit, lines: readonly string[]): number[] {
  const first = firstLine(edit, lines);
  if (first === undefined) return [];
  const written = edit.after.split('\n');
  return edit.before.split('\n').flatMap((line, i) => (line === written[i] ? [] : [first + i]));
}

/** The line where the edit's new text begins: the recorded one if the text is there, or the only one where it is. */
function firstLine({ after, line }: PastEdit, lines: readonly string[]): number | undefined {
  const written = after.split('\n');
  const isAt = (at: number) => written.every((each, i) => withoutReturn(lines[at + i] ?? '\n') === each);
  if (line !== undefined && isAt(line)) return line;
  const places = lines.flatMap((_, i) => (isAt(i) ? [i] : []));
  return places.length === 1 ? places[0] : undefined;
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

/** Where a character of the line is after the change; undefined if the character was changed itself. */
function moved(character: number, before: string, after: string): number | undefined {
  let by = 0;
  for (const { start, end, text } of changesBetween(before, after)) {
    if (start > character) break;
    if (character < end) return undefined;
    by += text.length - (end - start);
  }
  return character + by;
}
