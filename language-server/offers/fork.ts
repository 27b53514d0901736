// Finds where other texts may leave the likeliest one, for requests that offer a choice. The model is often certain of
// the first token, so the others fork where it was least sure of a word:
//
//   likeliest   get thumbNode(): HTMLDivElement;    Node 50 %
//   fork        get thumb(): HTMLDivElement;        ( 47 %
import type { Alternative, Completer } from '../../native/index.ts';
import { concatTokens, type FimPrompt } from '../prompt/fim-prompt.ts';

/** If the model gives the beginning of an alternative less than this, it takes the whole alternative to be wrong. */
export const minFirstProbability = 0.01;

export interface Fork {
  /** The prompt and the tokens that the texts have in common. */
  prompt: FimPrompt;
  /** The number of common tokens that the model has generated. */
  common: number;
  /** Their text. */
  text: string;
  /** The natural logarithm of their joint probability. */
  logProbability: number;
}

/**
 * Null if the model was certain of each word, or least sure of the first one, where all alternatives fork anyway.
 * written: the likeliest text; shown: its part that is shown.
 */
export function forkOf(engine: Completer, prompt: FimPrompt, written: Alternative, shown: string): Fork | null {
  const { tokens, logProbabilities } = written;
  const healed = prompt.heal?.length ?? 0;
  const end = healed + Buffer.byteLength(partIn(written.text, shown));
  const pieces = [...tokens].map((token) => Buffer.from(engine.tokenBytes(token)));
  let common = 0;
  let lowest = Math.log(1 - minFirstProbability);
  for (let i = 0, at = 0; i < pieces.length && at < end; at += pieces[i++]!.length) {
    const logProbability = logProbabilities[i] ?? 0;
    // Without a word, the alternatives are mostly the same text with other white space.
    const isWord = /[\p{L}\p{N}]/u.test(pieces[i]!.toString('utf8'));
    const isInCharacter = (pieces[i]![0]! & 0xc0) === 0x80;
    if (!isWord || isInCharacter || at < healed || logProbability >= lowest) continue;
    common = i;
    lowest = logProbability;
  }
  if (common === 0) return null;
  return {
    prompt: { tokens: concatTokens(prompt.tokens, tokens.subarray(0, common)) },
    common,
    text: Buffer.concat(pieces.slice(0, common)).subarray(healed).toString('utf8'),
    logProbability: logProbabilities.subarray(0, common).reduce((sum, each) => sum + each, 0),
  };
}

/** The part of the written text that is shown. What is shown may have other white space, and closers at its end. */
function partIn(written: string, shown: string): string {
  let at = 0;
  for (const unit of shown.replace(/\s/g, '')) {
    const next = written.slice(at).search(/\S/);
    if (next === -1 || !written.startsWith(unit, at + next)) break;
    at += next + unit.length;
  }
  return written.slice(0, at);
}
