// The server with an editor that knows only the standard protocol, without an extension of ours.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { buildFakeServer } from '../../support/bundled-fake-server.ts';
import { CompletionServer } from '../../support/completion-server.ts';
import { LspClient } from '../../support/lsp-client.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-editors-'));
const command = [process.execPath, join(folder, 'server.js'), '--stdio'];
const uri = 'file:///code/main.ts';
const trace = join(folder, 'was-here');
let client: LspClient;

beforeAll(() => buildFakeServer(folder));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(async () => {
  expect(await client.stop()).toBe(0);
});

const problemsOf = () => client.statuses.at(-1)?.settingProblems ?? [];

test('the editor is asked for its configuration, and again when it has changed', async () => {
  const configuration = vi.fn((): unknown => ({ mode: 'off' }));
  client = await LspClient.start(command, {}, {}, null, configuration);
  await client.status(({ health }) => health === 'off');
  expect(client.statuses.some(({ health }) => health === 'loading')).toBe(false);
  configuration.mockReturnValue({ mode: 'automatic', completion: { maxTokens: 0 } });
  await client.connection.sendNotification('workspace/didChangeConfiguration', { settings: null });
  await client.settled();
  expect(problemsOf()).toEqual([
    'hearth.completion.maxTokens must be a whole number from 1 to 1024, not 0. The default 64 is used.',
  ]);
  expect(configuration).toHaveBeenCalledTimes(2);
  expect(client.registered).toMatchObject([
    { method: 'workspace/didChangeConfiguration', registerOptions: { section: 'hearth' } },
  ]);
});

test('a pushed configuration replaces the previous one, but not initializationOptions', async () => {
  client = await LspClient.start(command, { 'completion.confidence': 'calm' });
  const push = (settings: unknown) =>
    client.connection.sendNotification('workspace/didChangeConfiguration', { settings });
  await client.settled();
  await push({ hearth: { mode: 'off' }, python: { mode: 'none' } });
  await expect.poll(() => client.statuses.at(-1)?.health).toBe('off');
  await push({ hearth: { completion: { confidence: 'sure' } } });
  await expect.poll(() => client.statuses.at(-1)?.health).toBe('ready');
  expect(problemsOf()).toEqual([expect.stringContaining('hearth.completion.confidence must be one of')]);
  await push({});
  await expect.poll(() => problemsOf()).toEqual([]);
});

test.each([
  ['pushed', undefined],
  ['asked for', () => ({ server: { url: 'http://127.0.0.1:9' }, serverToken: `!touch ${trace}` })],
])('a folder that brings a configuration (%s) cannot name a server or a command', async (_, configuration) => {
  const server = await CompletionServer.start();
  server.pages.set('/v1/models', { data: [{ id: 'Qwen2.5-Coder-7B' }] });
  client = await LspClient.start(command, { 'server.url': server.url }, {}, null, configuration);
  const hostile = { hearth: { 'server.url': 'http://127.0.0.1:9', serverToken: `!touch ${trace}` } };
  await client.connection.sendNotification('workspace/didChangeConfiguration', { settings: hostile });
  const { model } = await client.status((status) => status.model?.device === 'server');
  expect(model?.backend).toBe(`server 127.0.0.1:${server.port}`);
  await expect
    .poll(problemsOf)
    .toEqual([
      'There is no setting "hearth.serverToken".',
      'hearth.server.url is only taken from "initializationOptions", where no folder can set it.',
    ]);
  expect(existsSync(trace)).toBe(false);
  await server.close();
});

test.each([
  ['answers too late', () => new Promise(() => {}), ['--impatient']],
  ['answers with an error', () => Promise.reject(new Error('no')), []],
  ['answers with nonsense', () => [[['a']]], []],
  ['answers with depth', () => JSON.parse(`${'{"a":'.repeat(3000)}1${'}'.repeat(3000)}`), []],
])('an editor that %s gets suggestions', async (_, configuration, more) => {
  client = await LspClient.start([...command, ...more], {}, {}, null, configuration);
  await client.open(uri, 'const a = ');
  expect(await client.complete(uri, 0, 10)).toHaveLength(1);
});

test.each([
  [{ mode: 'manual' }, { items: [], reason: 'manual' }],
  [{ completion: { maxTokens: 7 } }, { items: [{ insertText: 'answer' }] }],
])('a request that arrives before the configuration %j is answered according to it', async (given, expected) => {
  let answer = (_: unknown) => {};
  const configuration = vi.fn(() => new Promise((resolve) => (answer = resolve)));
  client = await LspClient.start(command, {}, {}, null, configuration);
  await expect.poll(() => configuration).toHaveBeenCalled();
  await client.open(uri, 'const a = ');
  const asked = client.answer(uri, 0, 10);
  // When this request is answered, the server has received the request before it.
  await expect(client.connection.sendRequest('hearth/none')).rejects.toThrow('Unhandled method');
  answer(given);
  expect(await asked).toMatchObject(expected);
});

test('the old configuration holds until the editor sends the new one', async () => {
  const configuration = vi.fn((): unknown => ({ mode: 'off' }));
  client = await LspClient.start([...command, '--impatient'], {}, {}, null, configuration);
  await client.status(({ health }) => health === 'off');
  let answer = (_: unknown) => {};
  configuration.mockReturnValue(new Promise((resolve) => (answer = resolve)));
  const told = client.statuses.length;
  await client.connection.sendNotification('workspace/didChangeConfiguration', { settings: null });
  await expect.poll(() => client.statuses.length).toBeGreaterThan(told);
  expect(client.statuses.slice(told).map(({ health }) => health)).not.toContain('loading');
  answer({ mode: 'automatic' });
  await client.settled();
});

const beside = 'export class UserStore {\n  insertUser(user) {}\n}\n';
const workspace = [{ uri: 'file:///code', name: 'code' }];

test.each([
  [{ sharesOpenDocuments: true }, 'file:///code/user-store.ts', true],
  [{ sharesOpenDocuments: true }, 'file:///elsewhere/user-store.ts', false],
  [{}, 'file:///code/user-store.ts', false],
])('with %j, code from %s is read where the cursor rests: %s', async (options, other, isRead) => {
  client = await LspClient.start(command, {}, options, workspace);
  await client.settled();
  await client.open(other, beside);
  await client.open(uri, 'const store = new UserStore();\n');
  await client.complete(uri, 1, 0);
  let typed = 0;
  const isInPrompt = async () => {
    await sleep(400);
    await client.type(uri, 1, typed, 'x');
    const { timings } = await client.answer(uri, 1, ++typed);
    return timings.promptTokens > beside.length;
  };
  if (isRead) await expect.poll(isInPrompt).toBe(true);
  else for (let keys = 0; keys < 4; keys++) expect(await isInPrompt()).toBe(false);
});
