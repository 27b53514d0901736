// What the model has written so far, and how likely it found each piece of it.
import type { Engine } from '../../native/index.ts';

export interface Piece {
  /** Where the piece ends in the text. */
  end: number;
  /** Natural logarithm of the joint probability of its tokens. */
  logProbability: number;
}

export interface Written {
  text: string;
  pieces: Piece[];
  /** The model itself ended here; not a limit or a rule, and it is not still writing. */
  isEnded: boolean;
}

interface Tokens {
  text: string;
  tokens: Uint32Array;
  logProbabilities?: Float32Array;
}

/** From an answer's tokens, whose first bytes are the healed ones; what has no probabilities counts as certain. */
export function fromTokens(engine: Engine, answer: Tokens, healed: number, isEnded: boolean): Written {
  const { text, tokens, logProbabilities = new Float32Array() } = answer;
  const pieces: Piece[] = [];
  let bytes = Buffer.alloc(0);
  for (const [i, token] of tokens.entries()) {
    bytes = Buffer.concat([bytes, engine.tokenBytes(token)]);
    const end = Math.min(text.length, bytes.subarray(healed).toString('utf8').length);
    pieces.push({ end, logProbability: logProbabilities[i] ?? 0 });
  }
  return { text, pieces, isEnded };
}

export function withPiece({ text, pieces }: Written, piece: string, logProbability: number): Written {
  const longer = text + piece;
  return { text: longer, pieces: [...pieces, { end: longer.length, logProbability }], isEnded: false };
}

/** The text up to `end`, as if nothing had been written behind it. */
export function beginningOf({ text, pieces }: Written, end: number): Written {
  const count = pieces.findIndex((piece) => piece.end >= end) + 1;
  return { text: text.slice(0, end), pieces: pieces.slice(0, count), isEnded: false };
}

/** Joint probability of the text up to `end`: a piece counts as soon as one of its characters is shown. */
export function probabilityTo({ pieces }: Written, end: number): number {
  let sum = 0;
  let begin = 0;
  for (const piece of pieces) {
    if (begin >= end) break;
    sum += piece.logProbability;
    begin = piece.end;
  }
  return Math.exp(sum);
}

/** Whether more may follow the last word of text, a beginning of what is written. */
export function mayGrow(text: string, { text: all, isEnded }: Written): boolean {
  return !isEnded && text.length === all.length;
}
