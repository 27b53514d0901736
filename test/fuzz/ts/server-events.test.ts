// Server-sent events with JSON from a team's server, up to the answer in the engine's form.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asEvents, piecesIn } from './claims/server-events.ts';
import { fuzzTestOptions, holds, inPieces } from './fuzz.ts';

test('events arrive whole and in order, wherever the connection cuts them', fuzzTestOptions, async () => {
  const sent = fc.record({
    texts: fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 16 }), { minLength: 1, maxLength: 64 }),
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
