// Frames of the language server protocol from a client, up to the inbox.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { delivered, frame, headerLines, initialize } from './claims/frames.ts';
import { fuzzTestOptions, holds, inPieces } from './fuzz.ts';

const methods = ['textDocument/inlineCompletion', '$/cancelRequest', 'hearth/cursor', 'x', '\u2028'];
const messages = fc.array(
  fc.record({
    jsonrpc: fc.constant('2.0'),
    id: fc.oneof(fc.nat(), fc.string()),
    method: fc.constantFrom(...methods),
    params: fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value))),
  }),
);

test('messages arrive whole and in order, wherever the connection cuts them', fuzzTestOptions, async () => {
  const sent = fc
    .tuple(messages, fc.constantFrom(...headerLines))
    .map(([rest, headerLine]) => ({ all: [initialize, ...rest], headerLine }));
  const conversations = sent.chain(({ all, headerLine }) =>
    inPieces(fc.constant(Buffer.from(all.map((each) => frame(each, headerLine)).join('')))).map((pieces) => ({
      all,
      pieces,
    })),
  );
  await holds(conversations, async ({ all, pieces }) => {
    expect(await delivered(pieces)).toEqual({ messages: all, errors: [] });
  });
});
