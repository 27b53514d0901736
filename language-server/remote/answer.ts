// Collects a server's answer as it streams in and converts it to the form of the engine's answers.
import type { Completion, Engine, GenerateRequest } from '../../native/index.ts';
import type { Piece } from './event-stream.ts';

export class Answer {
  private readonly pieces: Piece[] = [];
  private readonly startedAt = performance.now();
  private firstAt = 0;
  /** What is still missing of the text that the answer must begin with. */
  private missing: string;

  /** begin: the text that the answer must begin with, if it is not part of the prompt. */
  constructor(begin = '') {
    this.missing = begin;
  }

  /** Returns the piece without the required beginning; null if the answer begins otherwise or ends too early. */
  add(piece: Piece): Piece | null {
    const { missing } = this;
    const begins = piece.text.startsWith(missing);
    if (!begins && (!missing.startsWith(piece.text) || piece.finishReason !== null)) return null;
    this.missing = missing.slice(piece.text.length);
    const own = { ...piece, text: piece.text.slice(missing.length) };
    if (missing !== '' && own.text === '') own.logProbabilities = [];
    if (own.text !== '') this.firstAt ||= performance.now();
    this.pieces.push(own);
    return own;
  }

  completion(
    local: Pick<Engine, 'tokenize'>,
    { tokens: prompt, heal = new Uint8Array(), alternatives = 1 }: GenerateRequest,
    isCancelled: boolean,
  ): Completion {
    const { pieces } = this;
    const text = pieces.map((piece) => piece.text).join('');
    // Pieces after the last text only contain the end token, which our answers do not have.
    const written = pieces.slice(0, pieces.findLastIndex((piece) => piece.text !== '') + 1);
    const ownTokens = local.tokenize(text);
    const given = spread(
      written.flatMap((piece) => piece.logProbabilities),
      ownTokens.length,
    );
    // Like the engine's answers, this one begins with the healed bytes, which have probability 1.
    const healed = local.tokenize(Buffer.from(heal).toString('utf8'));
    const tokens = Uint32Array.from([...healed, ...ownTokens]);
    const logProbabilities = Float32Array.from([...healed].fill(0).concat(given));
    const finishReason = pieces.findLast((piece) => piece.finishReason)?.finishReason ?? 'stop';
    return {
      text,
      tokens,
      finishReason: isCancelled ? 'cancelled' : finishReason,
      logProbabilities,
      alternatives: alternatives > 1 ? [{ text, tokens, logProbabilities }] : [],
      timings: this.timings(prompt.length),
    };
  }

  private timings(promptTokens: number): Completion['timings'] {
    const firstAt = this.firstAt || performance.now();
    const usage = this.pieces.find((piece) => piece.usage)?.usage;
    const completionTokens = usage?.completionTokens ?? this.pieces.filter((piece) => piece.text !== '').length;
    return {
      promptTokens: usage?.promptTokens ?? promptTokens,
      cachedTokens: usage?.cachedTokens ?? 0,
      prefillMs: firstAt - this.startedAt,
      ttftMs: firstAt - this.startedAt,
      completionTokens,
      decodeMs: performance.now() - firstAt,
      decodePasses: Math.max(0, completionTokens - 1),
    };
  }
}

/** If the server tokenizes the text differently, each of our tokens gets an equal share of the total. */
function spread(logProbabilities: number[], tokens: number): number[] {
  if (logProbabilities.length === tokens) return logProbabilities;
  return Array(tokens).fill(sum(logProbabilities) / Math.max(1, tokens));
}

export const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0);
