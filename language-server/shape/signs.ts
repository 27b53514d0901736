// Brackets, quotes and letters, and which of them a text leaves open.

export const closerOf: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '${': '}', '#{': '}' };

/** Only closing brackets, quotes and the like, which the editor may have inserted. */
export const closersOnly = /^[)\]}>"'`;,\s]+$/;

// A letter of a word. Scripts that are written without spaces do not count, since no word can be split there.
export const inWord = /(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}])[\p{L}\p{M}\p{N}_]/u;

const quote = /["'`]/;

/** Reads text for brackets and quotes, and knows which are open. */
export class OpenSigns {
  /** The closers of the open ones, outermost first. */
  readonly closers: string[] = [];
  /** The closers in the text that have no opener in it. */
  surplus = '';
  /** The smallest number of open ones since the last mark. */
  fewestOpen = 0;

  static in(line: string): OpenSigns {
    const signs = new OpenSigns();
    signs.read(line);
    return signs;
  }

  /** Whether the text leaves a quote open that it has opened itself. */
  static leavesQuote(before: string, text: string): boolean {
    const signs = OpenSigns.in(before);
    const quotes = () => signs.closers.filter((each) => quote.test(each)).length;
    const open = quotes();
    signs.read(text);
    return quotes() > open;
  }

  /** Begins to count fewestOpen anew. */
  mark(): void {
    this.fewestOpen = this.closers.length;
  }

  read(text: string): void {
    for (const { 0: sign, index } of text.matchAll(/\\[\s\S]|[^\w ]/g)) this.readSign(sign, text[index - 1] ?? '');
  }

  /** before: the character before the sign. A character after a backslash is part of its sign. */
  private readSign(sign: string, before: string): void {
    const { closers } = this;
    const top = closers.at(-1) ?? '';
    if (sign === '\n' && /["']/.test(top)) closers.pop();
    if (quote.test(top)) {
      if (sign === top) closers.pop();
    } else if (/["`]/.test(sign) || (sign === "'" && !/[\w&<]/.test(before))) closers.push(sign);
    else if (sign in closerOf) closers.push(closerOf[sign] ?? '');
    else if (/[)\]}]/.test(sign)) {
      if (sign === top) closers.pop();
      else if (closers.length === 0) this.surplus += sign;
    }
    this.fewestOpen = Math.min(this.fewestOpen, closers.length);
  }

  /** The closers of the brackets that are open outside quotes, innermost first. */
  get brackets(): string {
    const at = this.closers.findIndex((each) => quote.test(each));
    return this.closers
      .slice(0, at === -1 ? undefined : at)
      .reverse()
      .join('');
  }
}
