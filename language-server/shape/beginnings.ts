// The beginning of a line that would not be sound alone, but is with what the model goes on with: a name before its
// arguments, parameters before an arrow.
import type { End } from './ends.ts';
import type { GeneratedText } from './generated-text.ts';
import { OpenSigns } from './mend.ts';
import { bodyOf, fitted } from './piece.ts';
import { type Place, treeAt } from './place.ts';
import type { Suggestion } from './shown.ts';

const whole = /[\p{L}\p{N}_)\]}"'`]$/u;
const lastWord = /[\p{L}\p{N}_]+$/u;
/** A value, another word, or the other half of this one, such as a macro's "!". */
const misses = /^(?:-\w|![([{]|\s*(?:\w|[:=](?![:=])))/;

export class Beginnings {
  private isSound: boolean | undefined;

  /** text: what the rules leave of the generated one. */
  constructor(
    private readonly text: string,
    private readonly generated: GeneratedText,
    private readonly place: Place,
  ) {}

  /** What is shown up to the end of a token; null if that is no beginning of a sound line. */
  to({ at }: End): Suggestion | null {
    const { place, generated, text } = this;
    const piece = text.slice(0, at);
    const { keywords, grammar } = treeAt(place) ?? {};
    if (!keywords || place.kind !== 'code' || place.within !== 'code' || place.replaces > 0) return null;
    const { closers, closed } = OpenSigns.in(piece);
    const isWhole = whole.test(piece) && closers.length === 0 && closed === '' && !misses.test(text.slice(at));
    const isTag = grammar?.elements && /<\w/.test(piece);
    if (!isWhole || isTag || keywords.has(lastWord.exec(piece)?.[0] ?? '')) return null;
    this.isSound ??= this.isSoundLine();
    return this.isSound ? { text: bodyOf(piece, place), replaces: 0, probability: generated.probabilityTo(at) } : null;
  }

  /** Whether the first line fits, with what closes what it has open. The head of a block does not. */
  private isSoundLine(): boolean {
    const { place, text } = this;
    const tree = treeAt(place);
    const line = /^\s*.*/.exec(text)?.[0] ?? '';
    if (!tree || /\{\s*$/.test(line) || tree.grammar.heads?.test(line)) return false;
    const own = OpenSigns.ownPart(line).replace(/[^\p{L}\p{N}_)\]}"'`;]+$/u, '');
    const piece = own + OpenSigns.in(own).closers.toReversed().join('');
    const only = { tail: '', replaces: 0, mayClose: false, isInWord: false, mayMend: false };
    const outcome = fitted(place, tree, { piece, isWhole: true, isLine: false, ...only });
    return outcome !== null && typeof outcome !== 'string';
  }
}
