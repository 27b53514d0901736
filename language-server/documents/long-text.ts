// An immutable text in chunks. An edit makes a new text that shares the unchanged chunks: only one or two chunks and
// the list of chunks are copied, so an edit costs no more in a document of 10 MB than in a page of code. Offsets are in
// UTF-16 units, and lines end with "\n", "\r\n" or "\r", as in LSP.

interface Chunk {
  /** Never ends between "\r" and "\n". */
  text: string;
  lineBreaks: number;
}

const chunkChars = 8192;
const lineBreak = /\r\n|\r|\n/g;

export class LongText {
  readonly lineCount: number;

  private constructor(
    /** A chunk that an edit has not touched is the same object in the new text. */
    readonly chunks: readonly Chunk[],
    readonly length: number,
  ) {
    this.lineCount = 1 + chunks.reduce((count, chunk) => count + chunk.lineBreaks, 0);
  }

  static of(text: string): LongText {
    return new LongText(chunked(text), text.length);
  }

  slice(start = 0, end = this.length): string {
    let from = 0;
    let text = '';
    for (const chunk of this.chunks) {
      if (from >= end) break;
      const to = from + chunk.text.length;
      if (to > start) text += chunk.text.slice(Math.max(0, start - from), end - from);
      from = to;
    }
    return text;
  }

  toString(): string {
    return this.slice();
  }

  charAt(offset: number): string {
    return offset < 0 ? '' : this.slice(offset, offset + 1);
  }

  charCodeAt(offset: number): number {
    return this.charAt(offset).charCodeAt(0);
  }

  startsWith(part: string, at = 0): boolean {
    return this.slice(at, at + part.length) === part;
  }

  endsWith(part: string): boolean {
    return part.length <= this.length && this.startsWith(part, this.length - part.length);
  }

  equals(other: LongText): boolean {
    if (this.length !== other.length) return false;
    const isSame =
      this.chunks.length === other.chunks.length && this.chunks.every((chunk, i) => chunk === other.chunks[i]);
    return isSame || this.toString() === other.toString();
  }

  /** A new text with `inserted` in place of the text from start to end. */
  with(start: number, end: number, inserted: string): LongText {
    const { chunks } = this;
    let first = 0;
    let from = 0;
    for (; first < chunks.length - 1 && from + lengthOf(chunks[first]) <= start; first++)
      from += lengthOf(chunks[first]);
    let last = first;
    let to = from + lengthOf(chunks[first]);
    for (; last < chunks.length - 1 && to < end; last++) to += lengthOf(chunks[last + 1]);
    // A neighbouring chunk is included if the edit touches it, because "\r\n" must not be split, or if the changed
    // chunk is small.
    if (first > 0 && start === from) from -= lengthOf(chunks[--first]);
    const isSmall = start - from + inserted.length + (to - end) < chunkChars / 4;
    if (last < chunks.length - 1 && (end === to || isSmall)) to += lengthOf(chunks[++last]);
    const changed = this.slice(from, start) + inserted + this.slice(end, to);
    const length = this.length + inserted.length - (end - start);
    return new LongText([...chunks.slice(0, first), ...chunked(changed), ...chunks.slice(last + 1)], length);
  }

  /** The offset at which a line begins. The line must exist. */
  lineStart(line: number): number {
    let left = line;
    let offset = 0;
    for (const { text, lineBreaks } of this.chunks) {
      if (left === 0) break;
      if (left > lineBreaks) {
        left -= lineBreaks;
        offset += text.length;
        continue;
      }
      for (const { 0: found, index } of text.matchAll(lineBreak)) {
        if (--left === 0) return offset + index + found.length;
      }
    }
    return offset;
  }

  /** The line that contains the offset. An offset between "\r" and "\n" belongs to the line that they end. */
  lineAt(offset: number): number {
    let line = 0;
    let from = 0;
    for (const { text, lineBreaks } of this.chunks) {
      if (offset < from + text.length) {
        for (const { 0: found, index } of text.matchAll(lineBreak)) {
          if (from + index + found.length > offset) break;
          line++;
        }
        break;
      }
      line += lineBreaks;
      from += text.length;
    }
    return line;
  }
}

function chunked(text: string): Chunk[] {
  const chunks: Chunk[] = [];
  for (let start = 0; start < text.length; ) {
    // A chunk is split only at twice the length, so that typing seldom splits one.
    let end = text.length - start <= 2 * chunkChars ? text.length : start + chunkChars;
    if (text.charAt(end - 1) === '\r' && text.charAt(end) === '\n') end++;
    const part = text.slice(start, end);
    chunks.push({ text: part, lineBreaks: part.match(lineBreak)?.length ?? 0 });
    start = end;
  }
  return chunks;
}

function lengthOf(chunk: Chunk | undefined): number {
  return chunk?.text.length ?? 0;
}
