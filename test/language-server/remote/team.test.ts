// A provider with a team's server that misbehaves: the model on this machine answers, and the user learns why.
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { InlineCompletionTriggerKind } from 'vscode-languageserver/node';
import { OpenDocument } from '../../../language-server/documents/open-document.ts';
import { CompletionProvider } from '../../../language-server/offers/provider.ts';
import { defaultSettings } from '../../../language-server/protocol/settings.ts';
import type { Timeouts } from '../../../language-server/remote/availability.ts';
import { Team } from '../../../language-server/remote/team.ts';
import type { ServerOptions } from '../../../language-server/remote/team-connection.ts';
import { FakeEngine } from '../../fixtures/fake-engine.ts';
import {
  type Answer,
  type Asked,
  begin,
  CompletionServer,
  endless,
  events,
  patient,
  refuse,
  send,
  stream,
} from '../../support/completion-server.ts';

/** For answers that never come. */
const impatient = { minMs: 200, maxMs: 300 };
const usual = stream('remote();');
const local = new FakeEngine({ respond: () => 'local();' });

let server: CompletionServer;
let messages: string[];
let team: Team;
let provider: CompletionProvider;
let version: number;
let timeouts: Timeouts;

beforeEach(async () => {
  server = await CompletionServer.start();
  server.defaultAnswer = usual;
  messages = [];
  version = 0;
});

afterEach(async () => {
  provider.close();
  team.close();
  await server.close();
});

async function connect(given: Partial<ServerOptions & Timeouts> = {}): Promise<CompletionProvider> {
  const options = { url: server.url, model: 'qwen2.5-coder', credential: 'token-123', ...given };
  timeouts = { ...patient, ...given };
  team = new Team(options, (message) => messages.push(message), timeouts);
  await team.tried;
  messages = [];
  provider = new CompletionProvider();
  return provider;
}

/** The text that is offered at the end of a new document. */
async function textFrom(provider: CompletionProvider, signal?: AbortSignal): Promise<string | undefined> {
  const text = `const a${version} = `;
  const document = OpenDocument.create('file:///a.ts', 'typescript', version++, text);
  const context = { triggerKind: InlineCompletionTriggerKind.Automatic };
  const request = { document, position: { line: 0, character: text.length }, context };
  const models = { local, remote: () => team.completer(local) };
  const source = { ready: async () => models, isLoading: () => false };
  const { items } = await provider.provide(request, source, () => defaultSettings, signal);
  return items[0]?.insertText as string | undefined;
}

const page = '<html><script>alert(1)</script></html>';
const answer = { choices: [{ text: 'remote();', finish_reason: 'stop' }] };
const respond =
  (status: number, type: string, text: string): Answer =>
  (response) =>
    void response.writeHead(status, { 'content-type': type }).end(text);

/** An answer that ends normally. */
const whole =
  (event: string): Answer =>
  (response) =>
    void begin(response).end(`data: ${event}\n\ndata: [DONE]\n\n`);

const misbehaving: [string, Answer, RegExp][] = [
  ['never answers', () => {}, /has not answered for \d+\.\d s/],
  ['sends its headers and then nothing', (response) => response.writeHead(200).flushHeaders(), /has not answered for/],
  ['begins an answer and sends only pings', endlessly(': ping\n\n'), /has not answered for \d+\.\d s/],
  ['closes the connection', (response) => response.destroy(), /has closed the connection/],
  ['ends its answer without a final event', events(), /the answer broke off/],
  ['breaks its answer off', breakOff, /has closed the connection/],
  ['sends a sign-in page', respond(200, 'text/html', page), /a page instead of a completion\. Perhaps a gateway/],
  ['sends JSON', respond(200, 'application/json', JSON.stringify(answer)), /application\/json instead of a completion/],
  ['sends an error as JSON', respond(200, 'application/json', '{"error":{"message":"no GPU"}}'), /no GPU/],
  ['sends an error as an event', events({ error: { message: 'no GPU' } }), /no GPU/],
  ['sends nothing', refuse(204), /status 204/],
  ['sends a text that is not a string', events({ choices: [{ text: { a: 1 } }] }), /not a string/],
  ['sends invalid choices', whole('{"choices":"abc"}'), /whose choices are none/],
  ['sends an invalid choice', whole('{"choices":[null]}'), /whose choices are none/],
  ['sends an invalid event', whole('5'), /an event that is no object/],
  ['sends an empty event', whole('{}'), /the answer has no choice/],
  ['redirects', refuse(308, '', { location: 'http://other.example/' }), /redirects to http:\/\/other\.example\//],
  ['refuses the token', refuse(401, 'token-123?'), /does not accept the token \(401\).*\*\*\*\?/],
  ['does not have the model', refuse(404, '{"message":"no such model"}'), /404.* no such model/],
  ['has had too many requests', refuse(429), /too many requests \(429\)/],
  ['is busy', refuse(503, page), /is busy \(503\)/],
  ['repeats the code in a refusal', repeatPrompt, /status 400\. no parser for .*\*\*\*/],
  [
    'repeats the code in an event',
    (response, asked) => events({ error: { message: asked.body.prompt } })(response, asked),
    /\*\*\*/,
  ],
  ['refuses at endless length', endless(400, 'text/plain', 'x'.repeat(65_536)), /status 400/],
  ['sends endless lines', endless(200, 'text/event-stream', '\n'.repeat(65_536)), /does not end|has not answered/],
];

function endlessly(text: string): Answer {
  return (response) => {
    begin(response).flushHeaders();
    const timer = setInterval(() => response.write(text), 20);
    response.on('close', () => clearInterval(timer));
  };
}

function repeatPrompt(response: ServerResponse, { body }: Asked): void {
  response.writeHead(400).end(JSON.stringify({ message: `no parser for ${body.prompt}` }));
}

function breakOff(response: ServerResponse): void {
  begin(response).write(': ping\n\n', () => response.destroy());
}

test.each(misbehaving)(
  'a server that %s: the local model answers, and the user learns why',
  async (_, behaviour, message) => {
    const provider = await connect();
    expect(await textFrom(provider)).toBe('remote();');
    if (message.source.includes('has not answered')) Object.assign(timeouts, impatient);
    server.defaultAnswer = behaviour;
    expect(await textFrom(provider)).toBe('local();');
    const asked = server.asked.length;
    expect(messages).toEqual([expect.stringMatching(message)]);
    expect(messages[0]).toMatch(/^\P{Cc}{10,700} The model on this machine answers until the server can\.$/u);
    expect(messages[0]).not.toContain('token-123');
    expect(messages[0]).not.toContain('const a');
    expect(team.info(local)).toMatchObject({ device: 'cpu', fallbackReason: expect.stringMatching(message) });
    // The next keys do not ask the server, and the user is told only once.
    expect(await textFrom(provider)).toBe('local();');
    expect(server.asked.length).toBe(asked);
  },
);

test('when keys come faster than a frozen server times out, text comes from the local model', async () => {
  const provider = await connect();
  const startedAt = performance.now();
  await textFrom(provider);
  const usualMs = performance.now() - startedAt;
  server.defaultAnswer = () => {};
  Object.assign(timeouts, impatient);
  while (messages.length === 0) {
    const superseded = new AbortController();
    const text = textFrom(provider, superseded.signal);
    await sleep(50 + usualMs);
    superseded.abort();
    // The cursor has moved, so nobody waits for this text any more.
    provider.leave('file:///a.ts');
    await text;
  }
  const last = `const a${version} `;
  expect(await textFrom(provider)).toBe('local();');
  expect(server.asked.filter(({ body }) => String(body.prompt).includes(last))).toEqual([]);
});

test('shown text stays when the answer then breaks off, and the local model adds nothing', async () => {
  const provider = await connect();
  server.defaultAnswer = (response) => {
    for (const text of ['remote', '.first', '.second'])
      send(response.headersSent ? response : begin(response), {
        choices: [{ text, logprobs: { token_logprobs: [0] } }],
      });
    setTimeout(() => response.destroy(), 20);
  };
  expect(await textFrom(provider)).toBe('remote.first');
  await expect.poll(() => messages).toEqual([expect.stringMatching(/The model on this machine answers/)]);
});

test('a probe in the background finds a server that is back, and the next key asks it', async () => {
  const provider = await connect({ pauseMs: 1 });
  server.defaultAnswer = refuse(503);
  server.probe = refuse(503);
  expect(await textFrom(provider)).toBe('local();');
  const probes = server.probes.length;
  await expect.poll(async () => [await textFrom(provider), server.probes.length > probes]).toEqual(['local();', true]);
  server.defaultAnswer = usual;
  server.probe = stream('b');
  await expect.poll(() => textFrom(provider)).toBe('remote();');
  expect(messages).toEqual([expect.stringContaining('is busy (503)'), "The team's server answers."]);
  expect(team.info(local)).toMatchObject({ name: 'qwen2.5-coder', device: 'server', fallbackReason: '' });
});

test("a server that comes back with a different model gets that model's prompts", async () => {
  const provider = await connect({ pauseMs: 1, model: '' });
  expect(team.info(local).fallbackReason).toMatch(/does not list its models/);
  server.pages.set('/v1/models', { data: [{ id: 'codestral-22b', max_model_len: 4096 }] });
  await expect.poll(() => textFrom(provider)).toBe('remote();');
  expect(server.asked.at(-1)?.body).toMatchObject({
    model: 'codestral-22b',
    prompt: expect.stringMatching(/^\[SUFFIX\]/),
  });
});

test('a lack of probabilities is reported for the model that lacks them, and not for the next one', async () => {
  server.pages.set('/v1/models', { data: [{ id: 'qwen2.5-coder-1.5b' }] });
  server.defaultAnswer = events({ choices: [{ text: 'remote();', finish_reason: 'stop' }] });
  const provider = await connect({ pauseMs: 1, model: '' });
  expect(await textFrom(provider)).toBe('remote();');
  expect(await textFrom(provider)).toBe('remote();');
  expect(team.info(local).backend).toMatch(/no probabilities/);
  server.pages.set('/v1/models', { data: [{ id: 'qwen2.5-coder-7b' }] });
  server.defaultAnswer = refuse(503);
  expect(await textFrom(provider)).toBe('local();');
  server.defaultAnswer = usual;
  await expect.poll(() => textFrom(provider)).toBe('remote();');
  expect(team.info(local)).toMatchObject({ name: 'qwen2.5-coder-7b', backend: `server ${server.url.slice(7)}` });
});

test.each([
  [401, /does not accept the token \(401\)/],
  [503, /is busy \(503\)/],
  [302, /redirects to/],
  [405, /does not list its models/],
])("if the server's list of models has status %i, the status gives that as the reason", async (status, message) => {
  server.refusedPages = status;
  await connect({ model: '' });
  expect(team.info(local).fallbackReason).toMatch(message);
  team.close();
  await connect();
  expect(team.info(local).fallbackReason).toBe('');
});

test.each([
  ['qwen2.5-7b-instruct', /was not trained to fill in the middle\. A base model/],
  ['', /does not list its models\. Set "hearth\.server\.model"/],
])('the model "%s" cannot complete, and the user is told', async (model, message) => {
  const provider = await connect({ model });
  expect(team.info(local).fallbackReason).toMatch(message);
  expect(await textFrom(provider)).toBe('local();');
});

test('an invalid address does not stop the local model', async () => {
  const provider = await connect({ url: 'ftp://coder' });
  expect(await textFrom(provider)).toBe('local();');
  expect(team.info(local).fallbackReason).toContain('is not an address');
});

test("the server's model determines the gate", async () => {
  // qwen2.5-coder's gate hides a line of this probability, and the gate of unknown models shows it.
  server.defaultAnswer = events({
    choices: [{ text: 'remote();', finish_reason: 'stop', logprobs: { token_logprobs: [Math.log(0.2)] } }],
  });
  expect(await textFrom(await connect())).toBeUndefined();
  team.close();
  expect(await textFrom(await connect({ model: 'alias=Seed-Coder-8B' }))).toBe('remote();');
  team.close();
  expect(await textFrom(await connect({ model: 'alias=Qwen2.5-Coder-7B' }))).toBeUndefined();
});
