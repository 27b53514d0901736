// Any bytes from a team's server, read as server-sent events with JSON, up to the answer in the engine's form.
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { type Piece, piecesOf } from '../../../../language-server/remote/event-stream.ts';
import type { Claim } from './claim.ts';

export const maxTokens = 64;

export async function piecesIn(chunks: Uint8Array[]): Promise<Piece[]> {
  const pieces: Piece[] = [];
  for await (const piece of piecesOf(Readable.from(chunks), maxTokens)) pieces.push(piece);
  return pieces;
}

export const asEvents = (values: unknown[], lineEnd: string, between: string) =>
  [...values.map((value) => `data: ${JSON.stringify(value)}`), 'data: [DONE]']
    .map((line) => `${between}${line}${lineEnd}${lineEnd}`)
    .join('');

const choice = { text: 'x = 1', finish_reason: null, logprobs: { token_logprobs: [-0.1, null] } };
const usage = { prompt_tokens: 5, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 1 } };
const values = ['null', '[]', '{}', '"', '1e999', '-1', 'true', '\\u0000', '\\ud83d', '"error":', ','];
const lines = ['data:', '[DONE]', '\n', '\r', '\ufeff'];

export const serverEvents: Claim = {
  title: 'any events from a server are an answer or an error',
  seeds: [
    asEvents([{ choices: [choice] }, { choices: [{ ...choice, finish_reason: 'length' }], usage }], '\n', ''),
    asEvents(
      [{ choices: [{ text: 'é', logprobs: { content: [{ logprob: -1 }] } }] }, { choices: [], usage }],
      '\r\n',
      ': ping\n',
    ),
    asEvents([{ error: { message: 'no such model', code: 404 } }], '\n', ''),
  ],
  words: [...values, ...lines],
  async check(chunks) {
    const pieces = await piecesIn(chunks).catch((error: unknown) => error);
    if (pieces instanceof Error) return;
    assert(Array.isArray(pieces));
    let chars = 0;
    for (const { text, logProbabilities, finishReason } of pieces) {
      assert.equal(typeof text, 'string');
      chars += text.length;
      for (const each of logProbabilities) assert(each <= 0 && Number.isFinite(each), String(each));
      assert([null, 'stop', 'length'].includes(finishReason));
    }
    assert(chars <= maxTokens * 16, `${chars} characters of ${maxTokens} tokens`);
  },
};
