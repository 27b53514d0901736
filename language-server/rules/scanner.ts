// Finds open brackets, strings and comments in a piece of text, in one pass and without a grammar. Brackets in strings
// and comments do not count.
import type { Language } from './language.ts';

/** A bracket, quote or comment that has been opened. */
export interface Open {
  /** "(", "[", "{", "${", a quote, or the token that begins a comment. */
  token: string;
  at: number;
}

export interface Scan {
  /** What is open at the end of the text, outermost first. */
  open: Open[];
  /** Closing brackets and quotes whose opener is before the text, or missing (`closes` is null). */
  outer: { at: number; closes: Open | null }[];
}

export type Within = 'code' | 'string' | 'comment';

const brackets = '()[]{}';
const closerOf: Record<string, string> = { '(': ')', '[': ']', '{': '}', '${': '}' };

const regex = /^\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\//;
/** How far a regular expression, or the end of a line, is looked for. */
const charsAhead = 300;
/** Code has few; in a text with more, they are not looked at. */
const maxDivisions = 1000;

/** Nothing but what closes something, as an editor may have inserted it. */
export const closersOnly = /^[)\]}>"'`;,\s]+$/;

export function closerFor(open: Open): string {
  return closerOf[open.token] ?? open.token;
}

export function isBracket(open: Open): boolean {
  return open.token in closerOf;
}

export function within(open: readonly Open[], language: Language): Within {
  const token = open.at(-1)?.token;
  if (token === undefined || token in closerOf) return 'code';
  return language.quotes.includes(token) ? 'string' : 'comment';
}

/** before: what is open at the start of the text. */
export function scan(text: string, language: Language, before: readonly Open[] = []): Scan {
  return new Scanner(text, language, before).to(text.length);
}

/** A scan that can halt at the end of each line. */
export class Scanner implements Scan {
  readonly open: Open[] = [];
  readonly outer: Scan['outer'] = [];
  private at = 0;
  /** How many elements of `open` were open before the text. */
  private inherited: number;
  /** How many open brackets each closing bracket could close. */
  private readonly closable: Record<string, number> = { ')': 0, ']': 0, '}': 0 };
  private readonly skipped: RegExp;
  /** The brackets with which no comment begins. */
  private readonly plainBrackets: string;
  /** How many slashes stood where a regular expression may begin, and began none. */
  private divisions = 0;

  /** before: what is open at the start of the text. */
  constructor(
    private readonly text: string,
    private readonly language: Language,
    before: readonly Open[],
  ) {
    for (const each of before) this.push(each);
    this.inherited = before.length;
    this.skipped = ordinary(language);
    this.plainBrackets = language.blockComments.some(([begin]) => begin.startsWith('[')) ? '(){}]' : brackets;
  }

  /** Scans on to `end`. A comment that ends with its line has ended there. */
  to(end: number): Scan {
    while (this.at < end) this.step();
    return this;
  }

  private step(): void {
    const top = this.open.at(-1)?.token ?? '';
    const place = within(this.open, this.language);
    if (place === 'comment') this.comment(top);
    else if (place === 'string') this.string(top);
    else this.code();
  }

  private comment(top: string): void {
    const { text, at } = this;
    const newline = text.indexOf('\n', at);
    const lineEnd = newline === -1 ? text.length : newline + 1;
    const end = this.language.blockComments.find(([begin]) => begin === top)?.[1] ?? '\n';
    const found = text.slice(at, lineEnd).indexOf(end);
    this.at = found === -1 ? lineEnd : at + found + end.length;
    if (found !== -1) this.leave();
  }

  private string(quote: string): void {
    const { text, at } = this;
    const isRaw = this.language.rawQuotes.includes(quote);
    if (text.startsWith(quote, at)) {
      this.close(this.open.length - 1);
      this.at += quote.length;
    } else if (quote === '`' && !isRaw && text.startsWith('${', at)) {
      this.push({ token: '${', at });
      this.at += 2;
    } else if (quote === '"' && this.language.hasCommandsInStrings && text.startsWith('$(', at)) {
      this.push({ token: '(', at: at + 1 });
      this.at += 2;
    } else {
      // An unterminated quote is not a string, such as an apostrophe in prose.
      if (text[at] === '\n' && !this.language.multilineQuotes.includes(quote)) this.leave();
      this.at += text[at] === '\\' && !isRaw ? 2 : 1;
    }
  }

  private code(): void {
    const { text, at } = this;
    this.skipped.lastIndex = at;
    this.at += this.skipped.exec(text)?.[0].length ?? 0;
    if (this.at > at) return;
    const char = text[at] ?? '';
    const begin = this.plainBrackets.includes(char) ? undefined : beginning(text, at, this.language);
    if (begin !== undefined || char in closerOf) this.push({ token: begin ?? char, at });
    // Closes unclosed brackets inside it as well: code that is being written is often incomplete.
    else if (this.closable[char]) this.close(this.open.findLastIndex((each) => closerFor(each) === char));
    else if (char in this.closable) this.outer.push({ at, closes: null });
    const isRegex = begin === undefined && char === '/' && this.language.quotes.includes('`');
    this.at += isRegex ? this.regex() : (begin?.length ?? 1);
  }

  /** The length of the regular expression literal that begins here; 1 if the slash is a division. */
  private regex(): number {
    if (this.divisions === maxDivisions || !mayBeRegex(this.text, this.at)) return 1;
    const found = regex.exec(this.text.slice(this.at, this.at + charsAhead));
    if (!found) this.divisions++;
    return found?.[0].length ?? 1;
  }

  private push(opened: Open): void {
    this.open.push(opened);
    const closer = closerOf[opened.token];
    if (closer !== undefined) this.closable[closer] = (this.closable[closer] ?? 0) + 1;
  }

  private leave(): Open | null {
    const left = this.open.pop() ?? null;
    const closer = closerOf[left?.token ?? ''];
    if (closer !== undefined) this.closable[closer] = (this.closable[closer] ?? 0) - 1;
    this.inherited = Math.min(this.inherited, this.open.length);
    return left;
  }

  private close(depth: number): void {
    const isOuter = depth < this.inherited;
    let closes: Open | null = null;
    while (this.open.length > depth) closes = this.leave();
    if (isOuter) this.outer.push({ at: this.at, closes });
  }
}

const ordinaryOf = new Map<Language, RegExp>();

/**
 * Matches characters that cannot begin a bracket, a comment or a string: also quotes behind a backslash, as in a shell, and
 * a character between apostrophes where these are no quotes, as in Rust.
 */
function ordinary(language: Language): RegExp {
  const known = ordinaryOf.get(language);
  if (known) return known;
  const tokens = [...language.lineComments, ...language.blockComments.map(([begin]) => begin), ...language.quotes];
  const first = tokens.map((token) => `\\u{${token.codePointAt(0)?.toString(16)}}`).join('');
  const character = language.quotes.includes("'") ? '' : "|'(?:\\\\.|[^\\\\'\\n])'|'";
  const made = new RegExp(`(?:[^'\\\\()[\\]{}/${first}]+|\\\\[\\\\${first}]?${character})+`, 'uy');
  ordinaryOf.set(language, made);
  return made;
}

/** The token of the comment or string that begins here, if one does. "#" begins a comment only after white space. */
function beginning(text: string, at: number, language: Language): string | undefined {
  const isHere = (token: string) => text.startsWith(token, at);
  return (
    language.blockComments.find(([begin]) => isHere(begin))?.[0] ??
    language.lineComments.find((token) => isHere(token) && (token !== '#' || /^$|\s/.test(text[at - 1] ?? ''))) ??
    language.quotes.find((token) => isHere(token) && isQuote(text, at, language))
  );
}

/**
 * Not an apostrophe between digits, as in `1'000`. In HTML and the like, only quotes of attribute values count, and those
 * that a text begins with: it may be one.
 */
function isQuote(text: string, at: number, language: Language): boolean {
  if (language.family === 'tags') return text[at - 1] === '=' || at === 0;
  if (/['"]/.test(text[at] ?? '') && isAlone(text, at, language)) return false;
  return !/\b\d[\da-fx']*'[\da-f]$/i.test(text.slice(Math.max(0, at - 20), at + 2));
}

/** Whether a quote is all of its line: it ends a string that begins further up than what is scanned. */
function isAlone(text: string, at: number, language: Language): boolean {
  if (!language.multilineQuotes.includes(text[at] ?? '')) return false;
  return text[at - 1] === '\n' && /^.[ \t]*(?:\n|$)/.test(text.slice(at, at + charsAhead));
}

function mayBeRegex(text: string, at: number): boolean {
  return /(^|[(,=:[!&|?{;]|\breturn)$/.test(text.slice(Math.max(0, at - 20), at).trimEnd());
}
