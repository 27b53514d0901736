// The order in which messages reach the connection, and the messages that the inbox answers itself.
import { beforeEach, expect, test } from 'vitest';
import type { DataCallback, Message, MessageReader, MessageWriter } from 'vscode-languageserver/node';
import { Inbox } from '../../../language-server/server/inbox.ts';

const jsonrpc = '2.0';
const completion = (id: number) => ({ jsonrpc, id, method: 'textDocument/inlineCompletion' });
const nextEdit = (id: number) => ({ jsonrpc, id, method: 'hearth/nextEdit' });
const change = { jsonrpc, method: 'textDocument/didChange' };
const cancel = (id: number | string) => ({ jsonrpc, method: '$/cancelRequest', params: { id } });

let receive: DataCallback;
let delivered: Message[];
let written: Message[];
let inbox: Inbox;

beforeEach(() => {
  [delivered, written] = [[], []];
  const nothing = () => ({ dispose: () => {} });
  const reader: MessageReader = {
    ...{ onError: nothing, onClose: nothing, onPartialMessage: nothing, dispose: () => {} },
    listen: (callback) => {
      receive = callback;
      return { dispose: () => {} };
    },
  };
  const write = async (message: Message) => void written.push(message);
  const writer: MessageWriter = { onError: nothing, onClose: nothing, write, end: () => {}, dispose: () => {} };
  inbox = new Inbox(reader, writer, null);
  inbox.listen((message) => void delivered.push(message));
});

/** Lets the connection handle its last message. */
const handle = () => inbox.options.messageStrategy?.handleMessage(delivered.at(-1) as Message, () => {});

test('a message is delivered once the previous one has reached its handler', () => {
  for (const message of [change, completion(1), nextEdit(2)]) receive(message);
  expect(delivered).toEqual([change]);
  handle();
  expect(delivered).toEqual([change, completion(1)]);
  handle();
  expect(delivered).toEqual([change, completion(1), nextEdit(2)]);
});

test('a completion cancelled while it waits is answered and never delivered', () => {
  for (const message of [change, completion(1), cancel(1)]) receive(message);
  expect(written).toMatchObject([{ id: 1, result: { items: [], reason: 'superseded' } }]);
  handle();
  expect(delivered).toEqual([change]);
});

test('the cancellation of another waiting request is delivered directly after the request', () => {
  for (const message of [change, nextEdit(2), change, cancel(2)]) receive(message);
  handle();
  handle();
  expect(delivered).toEqual([change, nextEdit(2), cancel(2), change]);
  expect(written).toEqual([]);
});

test('the cancellation of a running request is delivered at once, and one without an id is dropped', () => {
  receive(nextEdit(2));
  handle();
  for (const message of [change, change, cancel(2), { ...cancel(2), params: null }]) receive(message as Message);
  expect(delivered).toEqual([nextEdit(2), change, cancel(2)]);
});

test('a handler can wait for all messages received so far, but not for later ones', async () => {
  receive(change);
  receive(completion(1));
  let isCaughtUp = false;
  const waiting = inbox.caughtUp().then(() => {
    isCaughtUp = true;
  });
  receive(change);
  handle();
  await Promise.resolve();
  expect(isCaughtUp).toBe(false);
  handle();
  await waiting;
  expect(delivered).toHaveLength(3);
  handle();
  await inbox.caughtUp();
});
