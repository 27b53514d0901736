// Finds out what can be shown of a text up to one of its possible ends, and with which closers.
import type { SyntaxTree } from '../syntax/syntax-tree.ts';
import { treeOf } from '../syntax/trees.ts';
import { OpenDelimiters } from './delimiters.ts';
import type { End } from './ends.ts';
import { indentationOf } from './indentation.ts';
import { bodyOf, type Piece, type Tried, tryPiece } from './piece.ts';
import type { Place } from './place.ts';
import { fitsPlainly } from './plain.ts';
import { repeatsNeighbour } from './repetition.ts';

const completeEnd = /[\p{L}\p{N}_)\]}"'`]$/u;
const lastWord = /[\p{L}\p{N}_]+$/u;
/** Matches text that belongs to the word before it: the word's other half, a macro's "!", a value, or another word. */
const continuesWord = /^(?:-\w|![([{]|\s*(?:\w|[:=](?![:=])))/;
const unfit: Tried = { verdict: 'unfit', text: '', replaces: 0 };

/** Tries to show a text at its place. */
export class Shaping {
  private readonly tree: SyntaxTree | null;
  private isLineSound: boolean | undefined;

  constructor(
    private readonly place: Place,
    /** All that has been generated. */
    private readonly generated: string,
    /** What policy leaves of it. */
    private readonly text: string,
    /** Whether the whole text passes the gate for the beginning of a line, so that the gate cuts nothing off. */
    private readonly isAllLikely: boolean,
  ) {
    this.tree = treeOf(place.code);
  }

  /**
   * What to show if the text ends at `end`. mayClose: whether closers may be added for what it leaves open there, if all
   * of it is likely.
   */
  upTo(end: End, mayClose: boolean): Tried {
    const { place, tree } = this;
    const { linePrefix, lineSuffix } = place.around;
    const { isLine, replaces } = end;
    const raw = this.text.slice(0, end.at);
    const following = this.generated.slice(end.at);
    if (!isLine && lacksValue(raw, following, place)) return unfit;
    for (const text of this.variantsOf(raw, isLine)) {
      if (repeatsNeighbour(linePrefix + text + lineSuffix.slice(replaces), place))
        return { ...unfit, verdict: 'repeats-line' };
      for (const tail of this.tailsOf(text, end)) {
        const piece = { text, tail, replaces, isLine };
        const tried = tree ? tryPiece(place, tree, piece, mayClose && this.isAllLikely) : this.plainly(piece);
        if (tried.verdict !== 'unfit') return tried;
      }
      if (this.isHead(text, following)) return this.bare(text);
    }
    return unfit;
  }

  /**
   * What to show if the text ends after a token and is unsound up to there, but the whole line is sound: a name before
   * its arguments, parameters before an arrow. null: nothing.
   */
  beginningUpTo({ at, isLine }: End): Tried | null {
    const { kind, within } = this.place;
    const piece = this.text.slice(0, at);
    const isWhole = completeEnd.test(piece) && !continuesWord.test(this.text.slice(at)) && !/<\w/.test(piece);
    const { closers, surplus } = OpenDelimiters.in(piece);
    const isBalanced = closers.length === 0 && surplus === '';
    const isKeyword = this.tree?.keywords.has(lastWord.exec(piece)?.[0] ?? '');
    if (isLine || kind !== 'code' || within !== 'code' || !isWhole || !isBalanced || isKeyword) return null;
    this.isLineSound ??= this.isFirstLineSound();
    return this.isLineSound ? this.bare(piece) : null;
  }

  /** Whether the first line fits once its open brackets and quotes are closed. */
  private isFirstLineSound(): boolean {
    const line = /^\s*.*/.exec(this.text)?.[0] ?? '';
    const own = line.slice(0, OpenDelimiters.in(line).surplusAt).replace(/[^\p{L}\p{N}_)\]}"'`;]+$/u, '');
    return this.fits(own + OpenDelimiters.in(own).closers.toReversed().join(''), '', false);
  }

  /**
   * Whether the piece is the head of a block that fits once it gets a body. Then its line is shown alone. following: the
   * text after it.
   */
  private isHead(piece: string, following: string): boolean {
    const { kind, extent, within, around, unit } = this.place;
    const isBegun = extent === 'line' || around.linePrefix.trim() !== '';
    if (!this.tree || kind !== 'code' || !isBegun || within !== 'code' || around.lineSuffix !== '') return false;
    const { heads, statement } = this.tree.grammar;
    if (/^\s*\{/.test(following)) return this.fits(piece, ' {}', true);
    return (
      heads?.test(piece) === true && this.fits(piece, `\n${indentationOf(around.linePrefix)}${unit}${statement}`, true)
    );
  }

  /** Whether the piece fits with a tail that is not shown. */
  private fits(text: string, tail: string, isLine: boolean): boolean {
    const { place, tree } = this;
    return tree !== null && tryPiece(place, tree, { text, tail, replaces: 0, isLine }).verdict === 'fits';
  }

  private bare(piece: string): Tried {
    return { verdict: 'fits', text: bodyOf(piece, this.place), replaces: 0 };
  }

  private plainly({ text, tail, replaces, isLine }: Piece): Tried {
    const { place } = this;
    const fits = place.within !== 'code' || fitsPlainly(text, isLine, place.around);
    return fits ? { verdict: 'fits', text: bodyOf(text, place) + tail, replaces } : unfit;
  }

  /** The variants to try: the text as it is, without a comma or semicolon at its end, and with a comma. */
  private variantsOf(raw: string, isLine: boolean): string[] {
    const { lineSuffix, linesBelow } = this.place.around;
    const lastComma = this.tree?.grammar.lastComma ?? 'refused';
    const bare = raw.replace(/[,;]$/, '');
    const mayLackComma = lastComma === 'wanted' && bare.trim() !== '';
    const variants = isLine ? [raw, bare, ...(mayLackComma ? [`${bare},`] : [])] : [raw];
    // A comma would be the last thing before a closing parenthesis, where few languages allow one.
    const isRefused = lastComma === 'refused' && /^\s*\)/.test(lineSuffix.trim() || (linesBelow[0] ?? ''));
    // A new line for the rest of the cursor's line adds nothing.
    const isNothing = (each: string) => ['', lineSuffix.trim()].includes(each.trim());
    return [...new Set(variants)].filter(
      (each) => !isNothing(each) && !this.isOnlyPunctuation(each) && !(isRefused && each.endsWith(',')),
    );
  }

  /** What may be inserted after a piece: the tail of its end, or nothing if the piece may contain that already. */
  private tailsOf(piece: string, { tail, replaces }: End): string[] {
    if (tail === '' || (replaces === 0 && !this.isAllLikely)) return [''];
    if (piece.trimEnd().endsWith(tail.trim())) return ['', tail];
    return replaces === 0 ? [tail, ''] : [tail];
  }

  /** Whether the piece is a line of its own with nothing but punctuation, which is not worth showing. */
  private isOnlyPunctuation(piece: string): boolean {
    const { around, lineBreak, closer } = this.place;
    if (piece.trim() === closer) return false;
    if (lineBreak !== '' && /^\s*[)\]}]/.test(piece)) return true;
    if (/[\p{L}\p{N}]/u.test(piece) || around.linePrefix.trim() !== '') return false;
    return !/[)\]}]/.test(piece);
  }
}

/** Whether the piece is incomplete without the `=`, `:` or `=>` that follows it, such as `const x` before ` = 1`. */
export function lacksValue(piece: string, following: string, { around, code }: Place): boolean {
  // What precedes an arrow is parameters.
  if (/^\s*=>/.test(following)) return true;
  if (!/^(?::(?!:)|\s*(?::=|=(?!=)))/.test(following)) return false;
  const typedPart = /\w*$/.exec(around.linePrefix)?.[0] ?? '';
  const keywords = treeOf(code)?.keywords;
  return (typedPart + piece).match(/\w+/g)?.some((word) => keywords?.has(word)) ?? false;
}
