// Brackets and quotes, and which of them a text leaves open.

export const closerOf: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '${': '}', '#{': '}' };

/** Matches text that has only closing brackets, quotes and the like, which the editor may have inserted. */
export const closersOnly = /^[)\]}>"'`;,\s]+$/;

// Matches a letter of a word. Scripts without spaces between words do not count, since no word can be split there.
export const inWord = /(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}])[\p{L}\p{M}\p{N}_]/u;

const isQuote = (character: string) => /["'`]/.test(character);
const comment = /^\s*(?:\/\/|#(?!\{)|--|\*)|(?<=\s)\/\/\s/g;

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
  /** The closing brackets in the text that have no opener, and where the first of them is. */
  surplus = '';
  surplusAt = Number.POSITIVE_INFINITY;
  /** The smallest number of open brackets and quotes in the text. */
  minOpen = 0;

  /** before: the text before it in its line. What is open there can be closed in the text. */
  static in(text: string, before = ''): OpenDelimiters {
    const delimiters = new OpenDelimiters();
    delimiters.read(before);
    delimiters.surplus = '';
    delimiters.surplusAt = Number.POSITIVE_INFINITY;
    delimiters.minOpen = delimiters.closers.length;
    delimiters.read(before + text, before.length);
    return delimiters;
  }

  read(text: string, from = 0): void {
    // A sign that is farther left, such as C's "*p = ", may be an operator.
    comment.lastIndex = text.slice(0, from).trim() === '' ? 0 : from;
    const end = comment.exec(text)?.index ?? text.length;
    for (let at = from; at < end; at++) at = this.readDelimiter(text, at);
  }

  /** The closers of the brackets and quotes that the text leaves open. */
  get opened(): string[] {
    return this.closers.slice(this.minOpen);
  }

  /** How many quotes are open. */
  get quotes(): number {
    return this.closers.filter(isQuote).length;
  }

  /**
   * Reads the character at `at`, with the one after it if they belong together. Returns the index of the last one read.
   */
  private readDelimiter(text: string, at: number): number {
    const { closers } = this;
    const character = text[at] ?? '';
    const top = closers.at(-1) ?? '';
    if (character === '\n' && /["']/.test(top)) closers.pop();
    if (isQuote(top)) {
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
      else if (closers.length === 0) {
        if (this.surplus === '') this.surplusAt = at;
        this.surplus += character;
      }
    }
    this.minOpen = Math.min(this.minOpen, closers.length);
    return at;
  }

  /** The closers of the brackets that are open outside of strings, innermost first. */
  get brackets(): string {
    const at = this.closers.findIndex(isQuote);
    return this.closers
      .slice(0, at === -1 ? undefined : at)
      .reverse()
      .join('');
  }
}
