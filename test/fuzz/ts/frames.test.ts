// What a client sends: frames of the language server protocol, as far as the inbox.
import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Message, MessageWriter } from 'vscode-languageserver';
import { StreamMessageReader } from 'vscode-languageserver/node';
import { Inbox } from '../../../language-server/server/inbox.ts';
import { damaged, holds, inPieces, patience } from './fuzz.ts';

const initialize = { jsonrpc: '2.0', id: 0, method: 'initialize', params: {} };
const frame = (message: unknown, type = '') => {
  const body = JSON.stringify(message);
  return `Content-Length: ${Buffer.byteLength(body)}\r\n${type}\r\n${body}`;
};

/** Delivers the pieces one by one. Resolves to what has come through when the reader has nothing left to do. */
async function delivered(pieces: Buffer[]) {
  const input = new PassThrough();
  const nowhere: MessageWriter = {
    onError: () => ({ dispose: () => {} }),
    onClose: () => ({ dispose: () => {} }),
    write: () => Promise.resolve(),
    end: () => {},
    dispose: () => {},
  };
  const inbox = new Inbox(new StreamMessageReader(input), nowhere, input);
  const messages: Message[] = [];
  const errors: Error[] = [];
  inbox.onError((error) => errors.push(error));
  const closed = new Promise<void>((resolve) => void inbox.onClose(resolve));
  inbox.listen((message) => {
    messages.push(message);
    inbox.options.messageStrategy?.handleMessage(message, () => {});
  });
  for (const piece of pieces) input.write(piece);
  input.end();
  await closed;
  // The reader passes on one message a turn.
  for (let turn = 0; turn < 50; turn++) await setImmediate();
  await inbox.caughtUp();
  return { messages, errors };
}

const methods = ['textDocument/inlineCompletion', '$/cancelRequest', 'hearth/cursor', 'x', '\u2028'];
const messages = fc.array(
  fc.record({
    jsonrpc: fc.constant('2.0'),
    id: fc.oneof(fc.nat(), fc.string()),
    method: fc.constantFrom(...methods),
    params: fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value))),
  }),
);
const types = ['', 'Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n', 'X: y\r\n'];

test('messages come through whole and in order, wherever the connection cuts them', patience, async () => {
  const sent = fc
    .tuple(messages, fc.constantFrom(...types))
    .map(([rest, type]) => ({ all: [initialize, ...rest], type }));
  const conversations = sent.chain(({ all, type }) =>
    inPieces(fc.constant(Buffer.from(all.map((each) => frame(each, type)).join('')))).map((pieces) => ({
      all,
      pieces,
    })),
  );
  await holds(conversations, async ({ all, pieces }) => {
    expect(await delivered(pieces)).toEqual({ messages: all, errors: [] });
  });
});

const seeds = [
  frame(initialize) +
    frame({ jsonrpc: '2.0', method: 'initialized', params: {} }) +
    frame({ jsonrpc: '2.0', id: 1, method: 'x' }),
  frame(initialize, types[1]) + frame({ jsonrpc: '2.0', method: '$/cancelRequest', params: { id: 1 } }),
  frame(null) + frame([initialize, null]) + frame('text') + frame(5),
];
const numbers = ['0', '-1', '1e3', '99', '4294967296'];
const words = ['Content-Length: ', '\r\n\r\n', '\r\n', ': ', '{', 'null', 'charset=utf-16', '\ufeff', 'é', ...numbers];

test('any bytes are messages or errors', patience, async () => {
  await holds(inPieces(damaged(seeds, words)), async (pieces) => {
    const { errors } = await delivered(pieces);
    for (const error of errors) expect(error).toBeInstanceOf(Error);
  });
});
