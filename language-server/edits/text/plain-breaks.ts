// Shows a document whose lines end with "\r\n" as if they ended with "\n": the lines of the history and of a model's
// answer end with "\n".
import { LongText } from '../../documents/long-text.ts';
import type { TextEdit } from './text-edit.ts';

export class PlainBreaks {
  readonly text: LongText;
  /** The offsets of "\r\n" in the document. */
  private readonly breaks: readonly number[];

  constructor(document: LongText) {
    const text = document.toString();
    this.breaks = Array.from(text.matchAll(/\r\n/g), ({ index }) => index);
    this.text = this.breaks.length === 0 ? document : LongText.of(withPlainBreaks(text));
  }

  /** Converts an offset in the document into one in the plain text. */
  offset(documentOffset: number): number {
    return documentOffset - this.countBefore((at) => at < documentOffset);
  }

  /** Converts an edit of the document into one of the plain text. */
  edit({ start, end, text }: TextEdit): TextEdit {
    return { start: this.offset(start), end: this.offset(end), text: withPlainBreaks(text) };
  }

  /** Converts an edit of the plain text into one of the document. An offset at the end of a line is before its "\r". */
  inDocument<T extends TextEdit>(edit: T): T {
    const converted = (offset: number) => offset + this.countBefore((at, i) => at - i < offset);
    const text = this.breaks.length === 0 ? edit.text : edit.text.replaceAll('\n', '\r\n');
    return { ...edit, start: converted(edit.start), end: converted(edit.end), text };
  }

  /** How many breaks come before a place. isBefore must be true for them and false for all later breaks. */
  private countBefore(isBefore: (at: number, i: number) => boolean): number {
    let [low, high] = [0, this.breaks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isBefore(this.breaks[middle] ?? 0, middle)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

export function withPlainBreaks(text: string): string {
  return text.replaceAll('\r\n', '\n');
}
