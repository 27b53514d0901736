// A text that the model generates, with the probability of each of its tokens.
import type { Engine } from '../../native/index.ts';

interface Tokens {
  text: string;
  tokens: Uint32Array;
  logProbabilities?: Float32Array;
}

export class GeneratedText {
  text = '';
  /** Where each token ends in the text. */
  private readonly ends: number[] = [];
  /** For each token the natural logarithm of the joint probability up to its end. */
  private readonly sums: number[] = [];

  /** isEnded: whether the model itself ended the text, rather than a limit or a rule. */
  constructor(readonly isEnded: boolean) {}

  /** From an answer, which begins with `healed` bytes. Tokens without a probability count as certain. */
  static of(engine: Engine, answer: Tokens, healed: number, isEnded: boolean): GeneratedText {
    const { text, tokens, logProbabilities = new Float32Array() } = answer;
    const generated = new GeneratedText(isEnded);
    // Tokens may end inside a character.
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    let ahead = healed;
    let end = 0;
    for (const [i, token] of tokens.entries()) {
      const bytes = engine.tokenBytes(token);
      end += decoder.decode(bytes.subarray(Math.min(ahead, bytes.length)), { stream: true }).length;
      ahead = Math.max(0, ahead - bytes.length);
      generated.add(Math.min(end, text.length), logProbabilities[i] ?? 0);
    }
    generated.text = text;
    return generated;
  }

  append(piece: string, logProbability: number): void {
    this.text += piece;
    this.add(this.text.length, logProbability);
  }

  /** The text up to `end`, as it was before more was generated. */
  upTo(end: number): GeneratedText {
    const beginning = new GeneratedText(false);
    beginning.text = this.text.slice(0, end);
    const count = this.tokenAt(end) + 1;
    beginning.ends.push(...this.ends.slice(0, count));
    beginning.sums.push(...this.sums.slice(0, count));
    return beginning;
  }

  /** The joint probability of the text up to `end`, including the token in which it ends. */
  probabilityTo(end: number): number {
    return end === 0 ? 1 : Math.exp(this.sums[this.tokenAt(end)] ?? this.sums.at(-1) ?? 0);
  }

  /** The end of the last token up to which the joint probability is at least `least`; 0 if there is none. */
  likelyTo(least: number): number {
    const unlikely = this.sums.findIndex((sum) => Math.exp(sum) < least);
    return (unlikely === -1 ? this.ends.at(-1) : this.ends[unlikely - 1]) ?? 0;
  }

  /** Whether `text` may still grow: it is all that has been generated, and the model has not ended it. */
  mayGrow(text: string): boolean {
    return !this.isEnded && text.length === this.text.length;
  }

  private add(end: number, logProbability: number): void {
    this.ends.push(end);
    this.sums.push((this.sums.at(-1) ?? 0) + logProbability);
  }

  /** The first token that reaches `end`; -1 if none does. */
  private tokenAt(end: number): number {
    let low = 0;
    let high = this.ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.ends[middle] ?? 0) < end) low = middle + 1;
      else high = middle;
    }
    return low < this.ends.length ? low : -1;
  }
}
