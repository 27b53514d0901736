// Divides a document into chunks of about twenty lines and lists the identifiers in each. If possible, a chunk begins
// at a declaration. The end of a chunk depends only on its own lines and the line below. So after an edit, the chunks
// above and most of the chunks below are the same and need not be scanned again.
import type { LongText } from '../documents/long-text.ts';
import type { OpenDocument } from '../documents/open-document.ts';
import { holdsSecrets } from '../secrets/secrets.ts';
import { outlineOf } from '../syntax/outline.ts';
import { keptTreeOf } from '../syntax/trees.ts';

export interface Chunk {
  text: string;
  /** Identifiers, in lower case. */
  words: ReadonlySet<string>;
  /** The identifiers that the chunk declares. */
  declared: ReadonlySet<string>;
  /** When the chunk's text was last edited; 0 if never since the document was opened. */
  editedAtMs: number;
  /** When the cursor last rested in the chunk; 0 if never. */
  visitedAtMs: number;
}

export interface PlacedChunk {
  chunk: Chunk;
  /** The first line; the document's first line is 0. */
  line: number;
  lineCount: number;
  offset: number;
}

const minLines = 12;
const maxLines = 24;
/** A declaration of at least this many lines begins a new chunk even if the chunk above has only `fewLines` lines. */
const ownChunkLines = 8;
const fewLines = 4;
// Longer documents are ignored. They are mostly generated, and searching them for secrets would take too long.
const maxDocumentChars = 200_000;
const maxWords = 400;

/** The chunks of one document, kept up to date. */
export class ChunkedDocument {
  chunks: PlacedChunk[] = [];
  /** For the whole document, because a password and its name may be in two chunks. */
  hasSecret = false;
  /**
   * The text that was divided. Its version would not identify it: a reopened document may have the same version but
   * different text.
   */
  private text: LongText | null = null;

  /** Divides the document again. Unchanged chunks stay the same objects. Returns false if the document is the same. */
  update(document: OpenDocument, nowMs: number): boolean {
    if (document.text === this.text) return false;
    const known = new Map(this.chunks.map(({ chunk }) => [chunk.text, chunk]));
    const editedAtMs = this.text === null ? 0 : nowMs;
    const isUsed = document.text.length <= maxDocumentChars;
    this.hasSecret = isUsed && holdsSecrets(document.uri, document.text);
    const pieces = isUsed ? split(document.text.toString(), outlineIn(document)) : [];
    this.chunks = pieces.map(({ text, ...place }) => {
      return { chunk: known.get(text) ?? scan(text, editedAtMs), ...place };
    });
    this.text = document.text;
    return true;
  }

  /** Call when the cursor rests at the offset. */
  visit(offset: number, nowMs: number): void {
    const placed = this.chunks.findLast((candidate) => candidate.offset <= offset);
    if (placed) placed.chunk.visitedAtMs = nowMs;
  }
}

export type Piece = Omit<PlacedChunk, 'chunk'> & { text: string };

function outlineIn(document: OpenDocument): ReadonlyMap<number, number> | null {
  const tree = keptTreeOf(document);
  return tree?.isCurrent ? outlineOf(tree, maxLines + 1) : null;
}

/**
 * Divides a text into pieces and leaves out blank ones. outline: the lines where a declaration, member or statement
 * begins, each with its number of lines; null if there is no syntax tree.
 */
export function split(text: string, outline: ReadonlyMap<number, number> | null = null): Piece[] {
  const lines = text.split('\n');
  const pieces: Piece[] = [];
  let first = 0;
  let offset = 0;
  for (let i = 1; i <= lines.length; i++) {
    const count = i - first;
    const isCut =
      i === lines.length || count >= maxLines || (outline ? begins(outline, i, count) : endsBlock(lines, i, count));
    if (!isCut) continue;
    const piece = lines.slice(first, i).join('\n');
    if (piece.trim() !== '') pieces.push({ text: piece, line: first, lineCount: count, offset });
    offset += piece.length + 1;
    first = i;
  }
  return pieces;
}

/** Whether a new chunk begins at the line. count: the number of lines in the chunk above. */
function begins(outline: ReadonlyMap<number, number>, line: number, count: number): boolean {
  const size = outline.get(line) ?? 0;
  return size > 0 && (count >= minLines || (count >= fewLines && size >= ownChunkLines));
}

/** Whether a chunk of `count` lines ends above line i: its last line is blank, or line i is not indented. */
function endsBlock(lines: string[], i: number, count: number): boolean {
  return count >= minLines && (lines[i - 1]?.trim() === '' || /^[^\s)\]}#]/.test(lines[i] ?? ''));
}

export const identifier = /[\p{L}_$][\p{L}\p{N}_$]{2,}/gu;
// "class Name", "def name", "func (receiver) Name", "#define NAME"
const declaration =
  /\b(?:class|interface|struct|enum|trait|type|def|fn|func|function|fun|const|let|var|val|module|record|object|protocol|namespace|define)[ \t]+(?:\([^)\n]{0,80}\)[ \t]*)?([\p{L}_$][\p{L}\p{N}_$]*)/gu;
// "Type name(": a function of C or Java.
const typedDeclaration =
  /^[ \t]*(?!return|else|new|await|throw|case)(?:[\w<>[\],.*&:]+[ \t]+){1,5}[*&]?(\w+)[ \t]*\(/gm;

export function scan(text: string, editedAtMs: number): Chunk {
  const declared = [...text.matchAll(declaration), ...text.matchAll(typedDeclaration)].map(([, name = '']) => name);
  const words = wordsOf(text).slice(0, maxWords);
  return {
    text,
    words: new Set(words),
    declared: new Set(declared.map((name) => name.toLowerCase())),
    editedAtMs,
    visitedAtMs: 0,
  };
}

/** The identifiers of the text, in order and in lower case. */
export function wordsOf(text: string): string[] {
  return (text.match(identifier) ?? []).map((name) => name.toLowerCase());
}
