// The beginning of a line that is unsound alone, but sound together with the rest of the generated line: a name before
// its arguments, parameters before an arrow.

import { treeOf } from '../syntax/trees.ts';
import { OpenDelimiters } from './delimiters.ts';
import type { End } from './ends.ts';
import type { GeneratedText } from './generated-text.ts';
import { bodyOf, fitsWith } from './piece.ts';
import type { Place } from './place.ts';
import type { Suggestion } from './shown.ts';

const completeEnd = /[\p{L}\p{N}_)\]}"'`]$/u;
const lastWord = /[\p{L}\p{N}_]+$/u;
/** Matches text that belongs to the word before it: the word's other half, a macro's "!", a value, or another word. */
const continuesWord = /^(?:-\w|![([{]|\s*(?:\w|[:=](?![:=])))/;

export class Beginnings {
  private isSound: boolean | undefined;

  /** text: the part of the generated text that policy leaves. */
  constructor(
    private readonly text: string,
    private readonly generated: GeneratedText,
    private readonly place: Place,
  ) {}

  /** The suggestion that shows the text up to the end of a token; null if that does not start a sound line. */
  upTo({ at }: End): Suggestion | null {
    const { place, generated, text } = this;
    const piece = text.slice(0, at);
    const { keywords } = treeOf(place.code) ?? {};
    if (!keywords || place.kind !== 'code' || place.within !== 'code' || place.replaces > 0) return null;
    const { closers, surplus } = OpenDelimiters.in(piece);
    const isWhole =
      completeEnd.test(piece) && closers.length === 0 && surplus === '' && !continuesWord.test(text.slice(at));
    const isTag = /<\w/.test(piece);
    if (!isWhole || isTag || keywords.has(lastWord.exec(piece)?.[0] ?? '')) return null;
    this.isSound ??= this.isSoundLine();
    return this.isSound ? { text: bodyOf(piece, place), replaces: 0, probability: generated.probabilityTo(at) } : null;
  }

  /** Whether the first line fits once its open brackets and quotes are closed. */
  private isSoundLine(): boolean {
    const { place, text } = this;
    const tree = treeOf(place.code);
    const line = /^\s*.*/.exec(text)?.[0] ?? '';
    if (!tree) return false;
    const own = OpenDelimiters.partBeforeSurplus(line).replace(/[^\p{L}\p{N}_)\]}"'`;]+$/u, '');
    const piece = own + OpenDelimiters.in(own).closers.toReversed().join('');
    return fitsWith(place, tree, piece, '', false);
  }
}
