// Brackets, quotes and letters, and which of them a text leaves open.

export const closerOf: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '${': '}', '#{': '}' };

/** Only closing brackets, quotes and the like, which the editor may have inserted. */
export const closersOnly = /^[)\]}>"'`;,\s]+$/;

// A letter of a word. Scripts that are written without spaces do not count, since no word can be split there.
export const inWord = /(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}])[\p{L}\p{M}\p{N}_]/u;

const quote = /["'`]/;
const comment = /^\s*(?:\/\/|#(?!\{)|--|\*)|\s\/\/\s/;

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

  /** The text up to the first closer that has no opener in it. */
  static partBeforeSurplus(text: string): string {
    const signs = new OpenSigns();
    for (let at = 0; at < text.length; at++) {
      const end = signs.readSign(text, at);
      if (signs.surplus !== '') return text.slice(0, at);
      at = end;
    }
    return text;
  }

  /** Begins to count fewestOpen anew. */
  mark(): void {
    this.fewestOpen = this.closers.length;
  }

  read(text: string, from = 0): void {
    const end = comment.exec(text)?.index ?? text.length;
    for (let at = from; at < end; at++) at = this.readSign(text, at);
  }

  /** Reads the sign at `at`, and returns the index of its last character. */
  private readSign(text: string, at: number): number {
    const { closers } = this;
    const sign = text[at] ?? '';
    const top = closers.at(-1) ?? '';
    if (sign === '\n' && /["']/.test(top)) closers.pop();
    if (quote.test(top)) {
      if (sign === '\\') return at + 1;
      if (/[$#]/.test(sign) && text[at + 1] === '{' && top !== "'") {
        closers.push('}');
        return at + 1;
      }
      if (sign === top) closers.pop();
    } else if (/["`]/.test(sign) || (sign === "'" && !/[\w&<]/.test(text[at - 1] ?? ''))) closers.push(sign);
    else if (sign in closerOf) closers.push(closerOf[sign] ?? '');
    else if (/[)\]}]/.test(sign)) {
      if (sign === top) closers.pop();
      else if (closers.length === 0) this.surplus += sign;
    }
    this.fewestOpen = Math.min(this.fewestOpen, closers.length);
    return at;
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
