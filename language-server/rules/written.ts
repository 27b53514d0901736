// The text that the model has generated so far, with the probability of each piece.
import type { Engine } from '../../native/index.ts';

export interface Piece {
  /** The end of the piece in the text. */
  end: number;
  /** Natural logarithm of the joint probability of its tokens. */
  logProbability: number;
}

export interface Written {
  text: string;
  pieces: Piece[];
  /** Whether the model itself ended the text, rather than a limit or a rule. */
  isEnded: boolean;
}

interface Tokens {
  text: string;
  tokens: Uint32Array;
  logProbabilities?: Float32Array;
}

/** From the tokens of an answer, which begin with `healed` bytes. Tokens without a probability count as certain. */
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

/** The text up to `end`, as it was before more was generated. */
export function beginningOf({ text, pieces }: Written, end: number): Written {
  const count = pieces.findIndex((piece) => piece.end >= end) + 1;
  return { text: text.slice(0, end), pieces: pieces.slice(0, count), isEnded: false };
}

/** The joint probability of the text up to `end`, including the piece in which it ends. */
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

/** Whether `text` may still grow: it is all that has been generated, and the model has not ended it. */
export function mayGrow(text: string, { text: all, isEnded }: Written): boolean {
  return !isEnded && text.length === all.length;
}
