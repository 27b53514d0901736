// Brackets and quotes, and which of them a text leaves open.

export const closerOf: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '${': '}', '#{': '}' };

/** Matches text that has only closing brackets, quotes and the like, which the editor may have inserted. */
export const closersOnly = /^[)\]}>"'`;,\s]+$/;

// Matches a letter of a word. Scripts without spaces between words do not count, since no word can be split there.
export const inWord = /(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}])[\p{L}\p{M}\p{N}_]/u;

const quote = /["'`]/;
const comment = /^\s*(?:\/\/|#(?!\{)|--|\*)|\s\/\/\s/;

/**
 * Whether the character is a quote that begins a string. An apostrophe in a word does not, and neither does Rust's
 * `&'a`.
 */
const opensString = (character: string, before = '') =>
  /["`]/.test(character) || (character === "'" && !/[\w&<]/.test(before));

/** Scans text for brackets and quotes, and keeps track of which are open. */
export class OpenDelimiters {
  /** The closers of the open brackets and quotes, outermost first. */
  readonly closers: string[] = [];
  /** The closing brackets in the text that have no opener in it. */
  surplus = '';
  /** The smallest number of open brackets and quotes since the last mark(). */
  minOpen = 0;

  static in(line: string): OpenDelimiters {
    const delimiters = new OpenDelimiters();
    delimiters.read(line);
    return delimiters;
  }

  /** Whether the text opens a string that it does not close. before: the text before it. */
  static leavesQuote(before: string, text: string): boolean {
    const delimiters = OpenDelimiters.in(before);
    const quotes = () => delimiters.closers.filter((each) => quote.test(each)).length;
    const open = quotes();
    delimiters.read(text);
    return quotes() > open;
  }

  /** The text up to the first closing bracket that has no opener in it. */
  static partBeforeSurplus(text: string): string {
    const delimiters = new OpenDelimiters();
    for (let at = 0; at < text.length; at++) {
      const end = delimiters.readDelimiter(text, at);
      if (delimiters.surplus !== '') return text.slice(0, at);
      at = end;
    }
    return text;
  }

  /** Starts counting minOpen from here. */
  mark(): void {
    this.minOpen = this.closers.length;
  }

  read(text: string, from = 0): void {
    const end = comment.exec(text)?.index ?? text.length;
    for (let at = from; at < end; at++) at = this.readDelimiter(text, at);
  }

  /**
   * Reads the character at `at`, with the one after it if they belong together. Returns the index of the last one read.
   */
  private readDelimiter(text: string, at: number): number {
    const { closers } = this;
    const character = text[at] ?? '';
    const top = closers.at(-1) ?? '';
    if (character === '\n' && /["']/.test(top)) closers.pop();
    if (quote.test(top)) {
      if (character === '\\') return at + 1;
      if (/[$#]/.test(character) && text[at + 1] === '{' && top !== "'") {
        closers.push('}');
        return at + 1;
      }
      if (character === top) closers.pop();
    } else if (opensString(character, text[at - 1])) closers.push(character);
    else if (character in closerOf) closers.push(closerOf[character] ?? '');
    else if (/[)\]}]/.test(character)) {
      if (character === top) closers.pop();
      else if (closers.length === 0) this.surplus += character;
    }
    this.minOpen = Math.min(this.minOpen, closers.length);
    return at;
  }

  /** The closers of the brackets that are open outside of strings, innermost first. */
  get brackets(): string {
    const at = this.closers.findIndex((each) => quote.test(each));
    return this.closers
      .slice(0, at === -1 ? undefined : at)
      .reverse()
      .join('');
  }
}
