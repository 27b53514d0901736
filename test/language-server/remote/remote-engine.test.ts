// The engine over a server on this machine that speaks the completion protocol, well or badly.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { RemoteEngine } from '../../../language-server/remote/remote-engine.ts';
import { FakeEngine, fakeSpecial } from '../../fixtures/fake-engine.ts';

type Answer = (response: ServerResponse) => void;
interface Asked {
  body: Record<string, unknown>;
  headers: IncomingMessage['headers'];
  path: string | undefined;
}

const pace = { stallMs: 500, retryMs: 1, mostAttempts: 3 };
const http = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  asked.push({ body: JSON.parse(body), headers: request.headers, path: request.url });
  response.on('close', () => closed.push(response.writableEnded));
  (answers.shift() ?? stream('one', ' two'))(response);
});

let asked: Asked[];
/** For each request that is over, whether the server had come to its end. */
let closed: boolean[];
let answers: Answer[];
let words: string[];

beforeEach(async () => {
  asked = [];
  closed = [];
  answers = [];
  words = [];
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  http.closeAllConnections();
  await new Promise((resolve) => http.close(resolve));
});

const send = (response: ServerResponse, event: unknown) => response.write(`data: ${JSON.stringify(event)}\n\n`);

const stream =
  (...texts: string[]): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const text of texts) send(response, { choices: [{ index: 0, text, finish_reason: null }] });
    send(response, { choices: [{ index: 0, text: '', finish_reason: 'length' }] });
    const usage = { prompt_tokens: 40, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 32 } };
    send(response, { choices: [], usage });
    response.end('data: [DONE]\n\n');
  };

const refuse =
  (status: number, text = ''): Answer =>
  (response) =>
    void response.writeHead(status).end(text);

function connect(local = new FakeEngine({ respond: () => 'local' }), changes = {}): RemoteEngine {
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1/`;
  const server = { url, model: 'coder', token: 'secret', pace, ...changes };
  return new RemoteEngine(server, local, (message) => words.push(message));
}

const bytes = (text: string) => Uint32Array.from(Buffer.from(text));
const { fimPrefix, fimSuffix, fimMiddle } = fakeSpecial;
const prompt = Uint32Array.of(fimPrefix, ...bytes('let a'), fimSuffix, ...bytes(';'), fimMiddle);

test('a prompt goes as text, and the answer comes piece by piece', async () => {
  const pieces: string[] = [];
  const completion = await connect().generate({ tokens: prompt, maxTokens: 7 }, (text) => pieces.push(text));
  expect(asked[0]?.path).toBe('/v1/completions');
  expect(asked[0]?.headers.authorization).toBe('Bearer secret');
  expect(asked[0]?.body).toEqual({
    model: 'coder',
    prompt: '<|fim_prefix|>let a<|fim_suffix|>;<|fim_middle|>',
    logprobs: 1,
    max_tokens: 7,
    temperature: 0,
    stream: true,
    stream_options: { include_usage: true },
  });
  expect(pieces).toEqual(['one', ' two']);
  expect(completion).toMatchObject({ text: 'one two', finishReason: 'length', alternatives: [] });
  expect(completion.timings).toMatchObject({
    promptTokens: 40,
    cachedTokens: 32,
    completionTokens: 2,
    decodePasses: 1,
  });
});

test('text of a document that looks like a special token does not become one', async () => {
  const tokens = Uint32Array.of(fimPrefix, ...bytes('"<|fim_suffix|>" é'));
  await connect().generate({ tokens, heal: Buffer.from('wörd'), maxTokens: 1 });
  expect(asked[0]?.body.prompt).toBe('<|fim_prefix|>"< |fim_suffix|>" éwörd');
});

test('events may be split anywhere, even inside a character', async () => {
  answers.push(async (response) => {
    response.writeHead(200);
    const whole = Buffer.from('data: {"choices":[{"text":"é…"}]}\r\n\r\n: a comment\n\ndata: [DONE]\n\n');
    for (let at = 0; at < whole.length; at += 7) {
      response.write(whole.subarray(at, at + 7));
      await sleep(1);
    }
    response.end();
  });
  expect((await connect().generate({ tokens: prompt, maxTokens: 7 })).text).toBe('é…');
});

test.each([
  ['vLLM', { token_logprobs: [-0.5, null] }],
  ['llama.cpp', { content: [{ logprob: -0.5 }, { logprob: 0 }] }],
])('log-probabilities are read as %s gives them', async (_, logprobs) => {
  answers.push((response) => {
    send(response, { choices: [{ text: 'xy', logprobs }] });
    response.end('data: [DONE]\n\n');
  });
  const completion = await connect().generate({ tokens: prompt, maxTokens: 7 });
  expect(asked[0]?.body.logprobs).toBe(1);
  expect([...completion.logProbabilities]).toEqual([-0.5, 0]);
});

test('whitespace left of the cursor is left to the model, and given to it where it would write something else', async () => {
  const ask = () =>
    connect().generate({ tokens: prompt, heal: Buffer.from('    '), maxTokens: 7 }, (text) => pieces.push(text));
  let pieces: string[] = [];
  answers.push(stream('  ', '  re', 'turn'));
  expect(await ask()).toMatchObject({ text: 'return', finishReason: 'length' });
  expect(pieces).toEqual(['re', 'turn']);
  expect(asked.map(({ body }) => String(body.prompt).endsWith(' '))).toEqual([false]);
  pieces = [];
  answers.push(stream('  }', ' else'), stream('return'));
  expect(await ask()).toMatchObject({ text: 'return' });
  expect(pieces).toEqual(['return']);
  expect(asked.map(({ body }) => String(body.prompt).endsWith('    '))).toEqual([false, false, true]);
  // An answer that ends before has not begun so either.
  answers.push(stream('  '), stream('return'));
  expect(await ask()).toMatchObject({ text: 'return' });
  await expect.poll(() => closed.length).toBe(5);
});

test('the healed bytes come first, as from the engine, and the token that ends an answer does not count', async () => {
  answers.push((response) => {
    send(response, { choices: [{ text: 'xy', logprobs: { content: [{ logprob: -0.5 }, { logprob: -1 }] } }] });
    send(response, { choices: [{ text: '', logprobs: { content: [{ logprob: -3 }] } }] });
    send(response, { choices: [{ text: '', finish_reason: 'stop' }] });
    response.end('data: [DONE]\n\n');
  });
  const heal = Buffer.from('ab');
  const { text, tokens, logProbabilities } = await connect().generate({ tokens: prompt, heal, maxTokens: 7 });
  expect(text).toBe('xy');
  expect(Buffer.from(tokens).toString()).toBe('abxy');
  expect([...logProbabilities]).toEqual([0, 0, -0.5, -1]);
});

test('a cancelled request ends at the server, too', async () => {
  const abort = new AbortController();
  answers.push((response) => {
    response.writeHead(200);
    send(response, { choices: [{ text: 'so far' }] });
  });
  const completion = await connect().generate({ tokens: prompt, maxTokens: 7 }, () => abort.abort(), abort.signal);
  expect(completion).toMatchObject({ text: 'so far', finishReason: 'cancelled' });
  await expect.poll(() => closed).toEqual([false]);
  expect(words).toEqual([]);
});

test.each([429, 500, 503])('status %i is tried again', async (status) => {
  answers.push(refuse(status), refuse(status));
  expect((await connect().generate({ tokens: prompt, maxTokens: 7 })).text).toBe('one two');
  expect(asked.length).toBe(3);
});

test.each([
  [401, 'does not accept the token (401).'],
  [403, 'does not accept the token (403).'],
  [404, 'has no /v1/completions, or no such model (404). coder?'],
  [400, 'answers with status 400. coder?'],
])('status %i is not tried again: the local model answers, and the user is told', async (status, message) => {
  answers.push(refuse(status, 'coder?'));
  expect((await connect().generate({ tokens: prompt, maxTokens: 9 })).text).toBe('local');
  expect(asked.length).toBe(1);
  expect(words).toEqual([expect.stringContaining(message)]);
});

test('after a failure the server is not asked for a while', async () => {
  answers.push(refuse(401));
  const engine = connect();
  await engine.generate({ tokens: prompt, maxTokens: 9 });
  expect((await engine.generate({ tokens: prompt, maxTokens: 9 })).text).toBe('local');
  expect(asked.length).toBe(1);
  expect(words.length).toBe(1);
});

test('a server that does not answer is not waited for', async () => {
  answers.push(() => undefined);
  expect((await connect().generate({ tokens: prompt, maxTokens: 9 })).text).toBe('local');
  expect(words[0]).toContain(`has not answered for ${pace.stallMs} ms`);
});

test('a server that cannot be reached is named', async () => {
  const engine = connect();
  await new Promise((resolve) => http.close(resolve));
  expect((await engine.generate({ tokens: prompt, maxTokens: 9 })).text).toBe('local');
  expect(words[0]).toMatch(/^127\.0\.0\.1:\d+: ECONNREFUSED/);
});

test('an answer that breaks in its middle is not mixed with the local one', async () => {
  answers.push((response) => {
    response.writeHead(200);
    send(response, { choices: [{ text: 'half' }] });
    setTimeout(() => response.destroy(), 20);
  });
  const broken = connect().generate({ tokens: prompt, maxTokens: 9 });
  await expect(broken).rejects.toMatchObject({ code: 'server-failed' });
});

test('an error inside of the stream is an error', async () => {
  answers.push((response) => {
    response.writeHead(200);
    send(response, { error: { message: 'out of memory' } });
    response.end();
  });
  await connect().generate({ tokens: prompt, maxTokens: 9 });
  expect(words[0]).toContain('out of memory');
});

test('reading ahead asks for one token, and status says what runs', async () => {
  const engine = connect();
  const reading = engine.prefill(prompt, 'background');
  expect(engine.status()).toMatchObject({ state: 'decode', op: 'server', queued: 0 });
  expect(await reading).toMatchObject({ promptTokens: 40, cachedTokens: 32 });
  expect(engine.status().state).toBe('idle');
  expect(asked[0]?.body.max_tokens).toBe(1);
});

test('its info names the server, and unsupported functions are refused', async () => {
  const engine = connect();
  expect(engine.info).toMatchObject({ name: 'coder', contextTokens: 32_768 });
  expect(engine.info.backend).toMatch(/^server 127\.0\.0\.1:\d+$/);
  await expect(engine.logits()).rejects.toThrow('gives no logits');
  await expect(engine.score()).rejects.toThrow('gives no scores');
});

test('a token is not sent over the network unencrypted', async () => {
  const { text } = await connect(undefined, { url: 'http://coder.example' }).generate({ tokens: prompt, maxTokens: 7 });
  expect(text).toBe('local');
  expect(words[0]).toMatch(/not sent to coder\.example without encryption/);
});
