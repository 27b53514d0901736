// The text that the model has generated so far, with the probability of each piece.

export class GeneratedText {
  text = '';
  /** Where each piece ends in the text. */
  private readonly ends: number[] = [];
  /** For each piece, the natural logarithm of the joint probability of the text up to the piece's end. */
  private readonly sums: number[] = [];

  /** isEnded: whether the model itself ended the text, rather than a limit or a rule. */
  constructor(public isEnded = false) {}

  append(piece: string, logProbability: number): void {
    this.text += piece;
    this.ends.push(this.text.length);
    this.sums.push((this.sums.at(-1) ?? 0) + logProbability);
  }

  /** The joint probability of the text up to `end`, including all of the piece that contains `end`. */
  probabilityTo(end: number): number {
    const piece = this.ends.findIndex((each) => each >= end);
    return end === 0 ? 1 : Math.exp(this.sums.at(piece) ?? 0);
  }

  /** Whether `text` may still grow: it is all that has been generated, and the model has not ended it. */
  mayGrow(text: string): boolean {
    return !this.isEnded && text.length === this.text.length;
  }
}

/** Control characters except tab and line feed, bidirectional and zero-width ones, separators, lone surrogates. */
const invisible = /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Removes invisible characters that the text around the cursor does not have, and carriage returns. */
export function cleanText(text: string, around: string): string {
  const isWanted = (character: string) =>
    character !== '\r' && !/\p{Cs}/u.test(character) && around.includes(character);
  return text.replace(invisible, (character) => (isWanted(character) ? character : ''));
}
