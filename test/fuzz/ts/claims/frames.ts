// Any bytes from a client, read as frames of the language server protocol, up to the inbox.
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { Message, MessageWriter } from 'vscode-languageserver';
import { StreamMessageReader } from 'vscode-languageserver/node';
import { Inbox } from '../../../../language-server/server/inbox.ts';
import type { Claim } from './claim.ts';

export const initialize = { jsonrpc: '2.0', id: 0, method: 'initialize', params: {} };
export const headerLines = ['', 'Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n', 'X: y\r\n'];
export const frame = (message: unknown, headerLine = '') => {
  const body = JSON.stringify(message);
  return `Content-Length: ${Buffer.byteLength(body)}\r\n${headerLine}\r\n${body}`;
};

/** Delivers the pieces one by one. Resolves to the messages that arrived once the reader has nothing left to do. */
export async function delivered(pieces: Buffer[]): Promise<{ messages: Message[]; errors: unknown[] }> {
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
  const errors: unknown[] = [];
  inbox.onError((error) => errors.push(error));
  const closed = new Promise<void>((resolve) => void inbox.onClose(resolve));
  inbox.listen((message) => {
    messages.push(message);
    inbox.options.messageStrategy?.handleMessage(message, () => {});
  });
  for (const piece of pieces) input.write(piece);
  input.end();
  await closed;
  // The reader passes on one message per turn.
  for (let turn = 0; turn < 50; turn++) await setImmediate();
  await inbox.caughtUp();
  return { messages, errors };
}

const numbers = ['0', '-1', '1e3', '99', '4294967296'];

export const frames: Claim = {
  title: 'any bytes from a client are messages or errors',
  seeds: [
    frame(initialize) +
      frame({ jsonrpc: '2.0', method: 'initialized', params: {} }) +
      frame({ jsonrpc: '2.0', id: 1, method: 'x' }),
    frame(initialize, headerLines[1]) + frame({ jsonrpc: '2.0', method: '$/cancelRequest', params: { id: 1 } }),
    frame(null) + frame([initialize, null]) + frame('text') + frame(5),
  ],
  words: ['Content-Length: ', '\r\n\r\n', '\r\n', ': ', '{', 'null', 'charset=utf-16', '\ufeff', 'é', ...numbers],
  async check(pieces) {
    const { errors } = await delivered(pieces);
    for (const error of errors) assert(error instanceof Error);
  },
};
