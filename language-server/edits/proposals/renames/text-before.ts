// A document as it was before some past edits, with its tree: there the names that were changed still belong together.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Node } from 'web-tree-sitter';
import { LongText } from '../../../documents/long-text.ts';
import { loadGrammar } from '../../../syntax/runtime.ts';
import { type SourceText, treeOf } from '../../../syntax/trees.ts';
import { lineAt, linesOf, maxLineChars } from '../../text/lines.ts';
import { changesBetween, type PastEdit } from '../../text/text-edit.ts';

/** With the path by which the history knows it. */
export interface NamedSource extends SourceText {
  path: string;
}

/** A name that is still the old one, and what it becomes. */
export interface Use {
  line: number;
  character: number;
  text: string;
}

export interface TextBefore {
  root: Node;
  text: string;
  lineOf(at: number): number;
  /** In the line as it is now; undefined if the name there was edited. */
  characterNow(at: number): number | undefined;
  /** Whether nobody would edit the line by hand. */
  isTooLong(line: number): boolean;
}

// A long document is parsed in pauses.
const [waits, waitMs] = [200, 5];

/** Languages whose tags HTML's grammar can read. */
const tagged = new Set(['vue', 'xml', 'astro', 'handlebars']);

export function readable<T extends SourceText>(document: T): T {
  return tagged.has(document.languageId) ? { ...document, languageId: 'html' } : document;
}

/** Waits for the tree of a document, for a short time; false: there is none. */
export async function settled(document: SourceText): Promise<boolean> {
  if (!(await loadGrammar(document.languageId))) return false;
  for (let i = 0; i < waits && !treeOf(document)?.isCurrent; i++) await sleep(waitMs);
  return treeOf(document)?.isCurrent === true;
}

/** Undefined if there is no tree. The lines keep their numbers: no edit may add any. The nodes last until it resolves. */
export async function before<T>(
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

/** The lines that the edit has changed; none if they cannot be told. */
export function editedLines(edit: PastEdit, lines: readonly string[]): number[] {
  const first = firstLine(edit, lines);
  if (first === undefined) return [];
  const written = edit.after.split('\n');
  return edit.before.split('\n').flatMap((line, i) => (line === written[i] ? [] : [first + i]));
}

/** The line where what the edit wrote begins: where it is said to be, or the only one that has it. */
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

/** Where a character of the line is after it was changed; undefined if it was changed itself. */
function moved(character: number, before: string, after: string): number | undefined {
  let by = 0;
  for (const { start, end, text } of changesBetween(before, after)) {
    if (start > character) break;
    if (character < end) return undefined;
    by += text.length - (end - start);
  }
  return character + by;
}
