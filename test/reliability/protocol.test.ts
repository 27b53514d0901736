// Messages that no correct client sends: each is answered or ends the server with a reason, and none makes it hang.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { FrameClient, frame } from './frame-client.ts';
import { serverCommand, serverThreadMs, startServer } from './real-server.ts';
import { patienceMs, tries } from './scale.ts';

const uri = 'file:///sample.ts';
let client: FrameClient;

afterEach(() => {
  client.child.kill('SIGKILL');
});

test('a request before initialize is answered, and afterwards the server works as usual', async () => {
  client = new FrameClient(serverCommand);
  await client.open(uri, 'const a = ');
  const early = await client.ask(uri, 0, 10);
  await client.initialize();
  expect(await client.reply(early)).toHaveProperty('result.reason');
  await client.open('file:///other.ts', 'const b = ');
  expect(await client.reply(await client.ask('file:///other.ts', 0, 10))).toHaveProperty('result.reason');
  expect(await client.stop()).toBe(0);
});

test('a second initialize changes nothing, and a request after shutdown gets no text', async () => {
  client = await startServer();
  await client.open(uri, 'const a = ');
  expect(await client.request('initialize', { capabilities: {} })).toHaveProperty('result.capabilities');
  expect(await client.reply(await client.ask(uri, 0, 10))).toHaveProperty('result.reason');
  const stopped = client.request('shutdown');
  expect(await client.reply(await client.ask(uri, 0, 10))).toMatchObject({ result: { items: [] } });
  expect(await stopped).toMatchObject({ result: null });
  await client.notify('exit', {});
  expect((await client.ended)[0]).toBe(0);
});

test('requests that reuse the id of a waiting request are answered, and so are later ones', async () => {
  client = await startServer();
  await client.open(uri, 'const a = ');
  const params = { textDocument: { uri }, position: { line: 0, character: 10 }, context: { triggerKind: 2 } };
  const ask = (id: number | string) =>
    JSON.stringify({ jsonrpc: '2.0', id, method: 'textDocument/inlineCompletion', params });
  // In one piece, so that the first still waits when the second arrives. The connection's queue takes 100 for "100".
  await client.write(frame(ask(100)) + frame(ask(100)) + frame(ask('100')));
  for (const id of [100, '100']) expect(await client.reply(id)).toHaveProperty('result.reason');
  expect(await client.reply(await client.ask(uri, 0, 10))).toHaveProperty('result.reason');
  // Two answers with one id are harmless, too.
  const answer = frame(JSON.stringify({ jsonrpc: '2.0', id: 7, result: null }));
  await client.write(answer + answer);
  expect(await client.reply(await client.ask(uri, 0, 9))).toHaveProperty('result');
  expect(await client.stop()).toBe(0);
});

test('exit without shutdown ends the server at once, with a code that says so', async () => {
  client = await startServer();
  await client.notify('exit', {});
  expect((await client.ended)[0]).toBe(1);
});

test('an unknown request is answered with an error, an unknown notification with nothing', async () => {
  client = await startServer();
  await client.notify('hearth/none', {});
  expect(await client.request('hearth/none', {})).toMatchObject({ error: { code: -32601 } });
  expect(await client.stop()).toBe(0);
});

test.each([
  ['no length', 'Content-Type: text\r\n\r\n{}'],
  ['an invalid length', 'Content-Length: many\r\n\r\n{}'],
  ['half a sentence', frame('{"jsonrpc": "2.0", "method":')],
  ['bytes that are not text', frame(String.fromCharCode(0, 255, 254, 128))],
  ['another protocol', 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'],
])('a frame with %s ends the server, which says why', async (_, bytes) => {
  client = await startServer();
  await client.write(bytes);
  const [code] = await client.ended;
  expect(code).toBe(1);
  expect(client.stderr).toMatch(/connection is closed because of a broken message: \S+/);
});

test('empty and meaningless messages do no harm', async () => {
  const bodies: [string, string][] = [
    ['an empty object', '{}'],
    ['a number', '42'],
    ['null', 'null'],
    ['a list', '[1, 2]'],
    ['a request without parameters', '{"jsonrpc": "2.0", "id": 900, "method": "textDocument/inlineCompletion"}'],
    ['the answer to a request that nobody made', '{"jsonrpc": "2.0", "id": 77, "result": null}'],
    [
      'a change of a document that is not open',
      '{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///b","version":2},"contentChanges":[{"text":""}]}}',
    ],
    [
      'an empty change',
      '{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///sample.ts","version":2},"contentChanges":[{}]}}',
    ],
    [
      'a cancellation of a request that nobody made',
      '{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":12345}}',
    ],
  ];
  client = await startServer();
  await client.open(uri, 'const a = ');
  for (const [name, body] of bodies) {
    await client.write(frame(body));
    expect(await client.reply(await client.ask(uri, 0, 10)), name).toMatchObject({
      result: { reason: expect.any(String) },
    });
  }
  expect(await client.stop()).toBe(0);
});

test('a frame that arrives byte by byte and several frames in one piece are both read', async () => {
  client = await startServer();
  await client.open(uri, 'const a = ');
  const bodies = [901, 902, 903].map((id) => frame(`{"jsonrpc":"2.0","id":${id},"method":"hearth/none","params":{}}`));
  for (const byte of bodies[0] ?? '') {
    await client.write(byte);
    await sleep(0);
  }
  await client.write(bodies.slice(1).join(''));
  for (const id of [901, 902, 903]) expect(await client.reply(id)).toMatchObject({ error: { code: -32601 } });
  expect(await client.stop()).toBe(0);
});

test('an invalid position means the nearest valid one', async () => {
  client = await startServer();
  await client.open(uri, 'const a = 1;\nconst b = ');
  for (const odd of [-1, 2 ** 31, 2 ** 53, 1e300, 0.5, null, 'one']) {
    const position = { line: odd, character: odd };
    const params = { textDocument: { uri }, position, context: { triggerKind: 2 } };
    expect(await client.request('textDocument/inlineCompletion', params), `${odd}`).toHaveProperty('result.reason');
    await client.notify('hearth/cursor', { uri, position });
    const range = { start: position, end: { line: 0, character: odd } };
    await client.notify('textDocument/didChange', {
      textDocument: { uri, version: 2 },
      contentChanges: [{ range, text: '' }],
    });
  }
  expect(await client.reply(await client.ask(uri, 0, 0))).toHaveProperty('result.reason');
  expect(await client.stop()).toBe(0);
});

test.each([
  ['a length that nobody could send', 'Content-Length: 4000000000\r\n\r\n', 'it promises 4000000000 bytes'],
  ['a length beyond all numbers', `Content-Length: ${'9'.repeat(400)}\r\n\r\n`, 'it promises Infinity bytes'],
  ['a second length', 'Content-Length: 2\r\nContent-Length: +4000000000\r\n\r\n', 'it promises 4000000000 bytes'],
  ['a header without end', 'Content-Length: 5\r\n'.repeat(1000), 'its header has more than 4096 bytes'],
])('%s ends the server with a reason, even if it arrives in pieces', async (_, header, reason) => {
  for (const step of [header.length, 7]) {
    client = await startServer();
    await client.open(uri, 'const a = ');
    expect(await client.reply(await client.ask(uri, 0, 10))).toHaveProperty('result.reason');
    for (let i = 0; i < header.length; i += step) await client.write(header.slice(i, i + step));
    expect((await client.ended)[0]).toBe(1);
    expect(client.stderr).toContain(`The connection is closed because of a broken message: ${reason}`);
  }
});

test('from a client that does not read answers, the server reads no more requests, and answers all of them later', {
  timeout: patienceMs,
}, async () => {
  client = await startServer();
  await client.open(uri, 'const a = ');
  expect(await client.reply(await client.ask(uri, 0, 10))).toHaveProperty('result.reason');
  const before = memoryOf(client);
  client.child.stdout.pause();
  const asked: number[] = [];
  let isFull = false;
  while (!isFull && asked.length < 100_000) {
    const sent = client.post('hearth/none', { padding: 'x'.repeat(1000) });
    isFull = (await Promise.race([sent, sleep(3000)])) === undefined;
    asked.push(asked.length + 3);
  }
  expect(isFull, `${asked.length} requests were read`).toBe(true);
  expect(memoryOf(client) - before).toBeLessThan(150);
  client.child.stdout.resume();
  for (const id of asked.slice(0, -1)) expect(await client.reply(id)).toMatchObject({ error: { code: -32601 } });
  expect(await client.stop()).toBe(0);
});

/** The memory that the server uses, in MiB. */
function memoryOf({ child }: FrameClient): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024;
}

test('a line of 1 MB is completed like a short one', { timeout: patienceMs }, async () => {
  client = await startServer();
  const pid = client.child.pid ?? 0;
  const typeInto = async (document: string, values: number) => {
    await client.open(document, `const table = [${'"value", '.repeat(values)}`);
    const before = serverThreadMs(pid);
    for (let i = 0; i < 8; i++) {
      await client.edit(document, i + 2, 0, values * 4 + i, 'x');
      expect(await client.reply(await client.ask(document, 0, values * 4 + i + 1))).toHaveProperty('result.reason');
    }
    return serverThreadMs(pid) - before;
  };
  // The server's CPU time, since the time until an answer depends on what else the machine does.
  const shortMs = await typeInto('file:///short.ts', 500);
  expect(await typeInto('file:///long.ts', 125_000)).toBeLessThan(shortMs * 4 + 500);
  expect(await client.stop()).toBe(0);
});

test('64 documents are edited at once', { timeout: patienceMs }, async () => {
  client = await startServer();
  const uris = Array.from({ length: 64 }, (_, i) => `file:///many/${i}.ts`);
  for (const [i, each] of uris.entries()) await client.open(each, `// file ${i}\nfunction run${i}(list) {\n  \n}\n`);
  const asked: number[] = [];
  for (let key = 0; key < tries(3, 40); key++) {
    for (const each of uris) {
      await client.edit(each, key + 2, 2, 2 + key, 'r');
      asked.push(await client.ask(each, 2, 3 + key));
    }
  }
  for (const id of asked) expect((await client.reply(id)).result).toHaveProperty('reason');
  const last = asked.slice(-64).map((id) => client.replies.get(id)?.result);
  expect(last.every((result) => (result as { reason: string }).reason !== 'superseded')).toBe(true);
  expect(await client.stop()).toBe(0);
});
