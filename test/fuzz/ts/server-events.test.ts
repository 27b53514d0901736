// What a team's server sends: server-sent events with JSON, as far as the answer in the engine's form.
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Piece, piecesOf } from '../../../language-server/remote/event-stream.ts';
import { damaged, holds, inPieces, patience } from './fuzz.ts';

async function piecesIn(chunks: Uint8Array[]): Promise<Piece[]> {
  const pieces: Piece[] = [];
  for await (const piece of piecesOf(Readable.from(chunks), 64)) pieces.push(piece);
  return pieces;
}

const asEvents = (values: unknown[], lineEnd: string, between: string) =>
  [...values.map((value) => `data: ${JSON.stringify(value)}`), 'data: [DONE]']
    .map((line) => `${between}${line}${lineEnd}${lineEnd}`)
    .join('');

test('events come through whole and in order, wherever the connection cuts them', patience, async () => {
  const sent = fc.record({
    texts: fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 16 }), { maxLength: 64 }),
    lineEnd: fc.constantFrom('\n', '\r\n'),
    between: fc.constantFrom('', ': a comment\n', 'event: x\nid: 1\n', 'retry: 5\r\n'),
  });
  const streams = sent.chain(({ texts, lineEnd, between }) => {
    const values = texts.map((text) => ({ choices: [{ text }] }));
    return inPieces(fc.constant(Buffer.from(asEvents(values, lineEnd, between)))).map((chunks) => ({ texts, chunks }));
  });
  await holds(streams, async ({ texts, chunks }) => {
    expect((await piecesIn(chunks)).map(({ text }) => text)).toEqual(texts);
  });
});

const choice = { text: 'x = 1', finish_reason: null, logprobs: { token_logprobs: [-0.1, null] } };
const usage = { prompt_tokens: 5, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 1 } };
const seeds = [
  asEvents([{ choices: [choice] }, { choices: [{ ...choice, finish_reason: 'length' }], usage }], '\n', ''),
  asEvents(
    [{ choices: [{ text: 'é', logprobs: { content: [{ logprob: -1 }] } }] }, { choices: [], usage }],
    '\r\n',
    ': ping\n',
  ),
  asEvents([{ error: { message: 'no such model', code: 404 } }], '\n', ''),
];
const values = ['null', '[]', '{}', '"', '1e999', '-1', 'true', '\\u0000', '\\ud83d', '"error":', ','];
const lines = ['data:', '[DONE]', '\n', '\r', '\ufeff'];

test('any bytes are an answer or an error', patience, async () => {
  const piece = {
    text: expect.any(String),
    logProbabilities: expect.any(Array),
    finishReason: expect.toSatisfy((reason) => [null, 'stop', 'length'].includes(reason)),
  };
  await holds(inPieces(damaged(seeds, [...values, ...lines])), async (chunks) => {
    const pieces = await piecesIn(chunks).catch((error: unknown) => error);
    if (pieces instanceof Error) return;
    for (const each of pieces as Piece[]) expect(each).toMatchObject(piece);
  });
});
