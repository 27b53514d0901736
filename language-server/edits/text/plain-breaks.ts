// A document whose lines end with "\r\n", as if they ended with "\n": whoever looks for edits compares lines, with those
// of the history and with what a model writes, and need not know how they end.
import { LongText } from '../../documents/long-text.ts';
import type { TextEdit } from './text-edit.ts';

export class PlainBreaks {
  readonly text: LongText;
  /** Where each "\r\n" begins in the document. */
  private readonly breaks: readonly number[];

  constructor(document: LongText) {
    const text = document.toString();
    this.breaks = Array.from(text.matchAll(/\r\n/g), ({ index }) => index);
    this.text = this.breaks.length === 0 ? document : LongText.of(withPlainBreaks(text));
  }

  /** An offset of the document, in the plain text. */
  offset(ofDocument: number): number {
    return ofDocument - this.countBefore((at) => at < ofDocument);
  }

  /** An edit of the document, in the plain text. */
  edit({ start, end, text }: TextEdit): TextEdit {
    return { start: this.offset(start), end: this.offset(end), text: withPlainBreaks(text) };
  }

  /** An edit of the plain text, in the document: at the end of a line it is before the "\r". */
  inDocument<T extends TextEdit>(edit: T): T {
    const of = (offset: number) => offset + this.countBefore((at, i) => at - i < offset);
    const text = this.breaks.length === 0 ? edit.text : edit.text.replaceAll('\n', '\r\n');
    return { ...edit, start: of(edit.start), end: of(edit.end), text };
  }

  /** How many breaks are before an offset; those for which it holds are the first ones. */
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
