// What a team's server sends: server-sent events with JSON, as far as the answer in the engine's form.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Answer } from '../../../language-server/remote/answer.ts';
import { eventsOf, pieceOf } from '../../../language-server/remote/event-stream.ts';
import { damaged, holds, inPieces, patience } from './fuzz.ts';

const streamOf = (pieces: Uint8Array[]) =>
  new Response(
    new ReadableStream({
      start(controller) {
        for (const piece of pieces) controller.enqueue(piece);
        controller.close();
      },
    }),
  ).body;

async function eventsIn(pieces: Buffer[]): Promise<unknown[]> {
  const events: unknown[] = [];
  for await (const event of eventsOf(streamOf(pieces), () => {})) events.push(event);
  return events;
}

const asEvents = (values: unknown[], lineEnd: string, between: string) =>
  [...values.map((value) => `data: ${JSON.stringify(value)}`), 'data: [DONE]']
    .map((line) => `${between}${line}${lineEnd}${lineEnd}`)
    .join('');

test('events come through whole and in order, wherever the connection cuts them', patience, async () => {
  const sent = fc.record({
    values: fc.array(fc.object().map((value) => JSON.parse(JSON.stringify(value)))),
    lineEnd: fc.constantFrom('\n', '\r\n'),
    between: fc.constantFrom('', ': a comment\n', 'event: x\nid: 1\n', 'retry: 5\r\n'),
  });
  const streams = sent.chain(({ values, lineEnd, between }) =>
    inPieces(fc.constant(Buffer.from(asEvents(values, lineEnd, between)))).map((pieces) => ({ values, pieces })),
  );
  await holds(streams, async ({ values, pieces }) => {
    expect(await eventsIn(pieces)).toEqual(values);
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
const tokenizer = { tokenize: (text: string) => Uint32Array.from(Buffer.from(text)) };

async function answerTo(pieces: Buffer[]) {
  const answer = new Answer();
  for await (const event of eventsOf(streamOf(pieces), () => {})) answer.add(pieceOf(event));
  return answer.completion(tokenizer, { tokens: new Uint32Array(), maxTokens: 64 }, false);
}

test('any bytes are an answer or an error', patience, async () => {
  await holds(inPieces(damaged(seeds, [...values, ...lines])), async (pieces) => {
    const outcome = await answerTo(pieces).catch((error: unknown) => error);
    if (outcome instanceof Error) return;
    expect(outcome).toMatchObject({ text: expect.any(String), finishReason: expect.stringMatching(/^(stop|length)$/) });
  });
});
