// An index of the words in the workspace's files that are not open. The editor sends the files in the background. The
// index finds the few chunks that share rare words with the lines at the cursor, and ranking.ts ranks them together
// with the chunks of open documents.
import { stem } from '../prompt/document-path.ts';
import type { ClosedFile } from '../protocol/messages.ts';
import { hasSecretName } from '../protocol/secret-names.ts';
import { holdsSecrets } from '../secrets/secrets.ts';
import { type Chunk, type Piece, scan, split, wordsOf } from './chunks.ts';
import { type CursorQuery, comparable } from './cursor-query.ts';

/** The size of the index. Files that the editor sends beyond these limits are left out. */
export const closedFileLimits = { files: 2000, charsOfFile: 64 * 1024, chars: 4 * 1024 * 1024 };
const maxWords = 200;
// A word in more chunks than this does not help to find the right one.
const maxHolders = 300;
const maxFound = 40;

export interface FoundChunk {
  uri: string;
  line: number;
  chunk: Chunk;
}

interface IndexedFile {
  length: number;
  chunks: IndexedChunk[];
}

interface IndexedChunk extends Pick<Piece, 'text' | 'line'> {
  uri: string;
  /** Made when the chunk is first found. */
  scanned?: Chunk;
}

/** For one window. */
export class ClosedFiles {
  private files = new Map<string, IndexedFile>();
  /** For each word, the chunks that contain it. */
  private holders = new Map<string, Set<IndexedChunk>>();
  private chars = 0;
  /** The number of chunks in the index. */
  size = 0;

  clear(): void {
    this.files = new Map();
    this.holders = new Map();
    this.chars = this.size = 0;
  }

  /**
   * Adds or replaces a file. If the text is null, forgets the file, or all files of the folder with this URI. A file
   * that holds secrets or exceeds the limits is not indexed. Returns false if code from the file must no longer be used
   * anywhere: it holds secrets, or the editor no longer shares it.
   */
  set({ uri, text }: ClosedFile): boolean {
    if (text === null && !this.files.has(uri)) this.removeFolder(uri);
    this.remove(uri);
    if (text === null || hasSecretName(uri)) return false;
    if (text.length > closedFileLimits.charsOfFile) return true;
    if (holdsSecrets(uri, text)) return false;
    if (this.files.size >= closedFileLimits.files || this.chars + text.length > closedFileLimits.chars) return true;
    const chunks = split(text.replaceAll('\r\n', '\n')).map(({ text, line }) => ({ uri, text, line }));
    for (const chunk of chunks) {
      for (const word of indexedWords(chunk)) {
        const holders = this.holders.get(word);
        if (holders) holders.add(chunk);
        else this.holders.set(word, new Set([chunk]));
      }
    }
    this.files.set(uri, { length: text.length, chunks });
    this.chars += text.length;
    this.size += chunks.length;
    return true;
  }

  /** The number of chunks that contain the word. */
  holdersOf(word: string): number {
    return this.holders.get(word)?.size ?? 0;
  }

  /** The chunks that have most in common with the lines at the cursor, from the files that isWanted accepts. */
  find({ weights, modules }: CursorQuery, isWanted: (uri: string) => boolean): FoundChunk[] {
    const scores = new Map<IndexedChunk, number>();
    for (const [word, weight] of weights) {
      const holders = this.holders.get(word);
      if (!holders || holders.size > maxHolders) continue;
      const rarity = Math.log(1 + this.size / (holders.size + 1));
      for (const chunk of holders) scores.set(chunk, (scores.get(chunk) ?? 0) + weight * rarity);
    }
    const wanted = [...scores].filter(([{ uri }]) => isWanted(uri));
    const score = ([chunk, shared]: (typeof wanted)[number]) =>
      (modules.has(comparable(stem(chunk.uri))) ? 2 : 1) * (shared / Math.sqrt(chunk.text.length + 200));
    return wanted
      .map((entry) => ({ chunk: entry[0], score: score(entry) }))
      .toSorted((a, b) => b.score - a.score)
      .slice(0, maxFound)
      .map(({ chunk }) => {
        chunk.scanned ??= scan(chunk.text, 0);
        return { uri: chunk.uri, line: chunk.line, chunk: chunk.scanned };
      });
  }

  private removeFolder(uri: string): void {
    for (const file of [...this.files.keys()]) if (file.startsWith(`${uri}/`)) this.remove(file);
  }

  private remove(uri: string): void {
    const file = this.files.get(uri);
    if (!file) return;
    this.files.delete(uri);
    this.chars -= file.length;
    this.size -= file.chunks.length;
    for (const chunk of file.chunks) {
      for (const word of indexedWords(chunk)) {
        const holders = this.holders.get(word);
        holders?.delete(chunk);
        if (holders?.size === 0) this.holders.delete(word);
      }
    }
  }
}

const indexedWords = ({ text }: IndexedChunk): Set<string> => new Set(wordsOf(text).slice(0, maxWords));
