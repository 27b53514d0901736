// The server as a child process with a fake engine: tests the protocol, not the model.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { CancellationTokenSource } from 'vscode-languageserver-protocol/node';
import {
  type ExplainChunk,
  type ExplainParams,
  type ExplainResult,
  type RelatedParams,
  type RelatedResult,
  relatedRequest,
  type Settings,
} from '../../../language-server/protocol/messages.ts';
import { buildFakeServer } from '../../support/bundled-fake-server.ts';
import { CompletionServer, events, refuse } from '../../support/completion-server.ts';
import { LspClient } from '../../support/lsp-client.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-server-'));
const server = join(folder, 'server.js');
const uri = 'file:///sample.ts';
let client: LspClient | null = null;

beforeAll(() => buildFakeServer(folder));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(async () => {
  expect(await client?.stop()).toBe(0);
});

async function start(settings: Partial<Settings> = {}): Promise<LspClient> {
  client = await LspClient.start([process.execPath, server, '--stdio'], settings);
  return client;
}

test('completes a document that is typed in', async () => {
  const editor = await start();
  await editor.settled();
  await editor.open(uri, 'const a = \nend');
  await editor.type(uri, 0, 10, 'b');
  const items = await editor.complete(uri, 0, 11);
  const position = { line: 0, character: 11 };
  expect(items).toEqual([{ insertText: 'answer();', range: { start: position, end: position } }]);
});

test('reports how fast it answered', async () => {
  const editor = await start();
  await editor.settled();
  await editor.open(uri, 'const a = ');
  await editor.complete(uri, 0, 10);
  const status = await editor.status(({ last }) => last !== undefined);
  expect(status).toMatchObject({ health: 'ready', model: { name: 'fake' }, engine: { state: 'idle' } });
  expect(status.decodeTokensPerSecond).toBeGreaterThan(0);
  expect(status.last?.completionTokens).toBe(9);
});

test.each([
  [false, ['backend', 'diskBytes', 'diskFolder', 'draftModelPath', 'modelPath'], 'auto'],
  [true, ['backend', 'modelPath'], 'cpu'],
])('safe mode (%s) means the CPU, no draft model and no disk cache', async (isSafeMode, keys, backend) => {
  const settings = { 'model.path': 'told', 'cache.diskMiB': 100 };
  const options = { isSafeMode, storageFolder: folder };
  client = await LspClient.start([process.execPath, server, '--stdio'], settings, options);
  const { message } = await client.status(({ health }) => health === 'error');
  const told = JSON.parse(message ?? '');
  expect(Object.keys(told).sort()).toEqual(keys);
  expect(told.backend).toBe(backend);
});

test('a request made while the model loads is answered once it is loaded', async () => {
  const editor = await start({ 'model.path': 'endless' });
  const { progress } = await editor.status((status) => status.health === 'loading' && (status.progress ?? 0) > 0);
  expect(progress).toBeLessThan(1);
  await editor.open(uri, 'const a = ');
  const answer = editor.complete(uri, 0, 10);
  await editor.settings({ 'model.path': 'bundled' });
  expect(await answer).toMatchObject([{ insertText: 'answer();' }]);
});

test('a request that is cancelled while the model loads is answered at once', async () => {
  const editor = await start({ 'model.path': 'endless' });
  await editor.open(uri, 'const a = ');
  const source = new CancellationTokenSource();
  const answer = editor.answer(uri, 0, 10, source.token);
  // When this request is answered, the server has received the request before it.
  await expect(editor.connection.sendRequest('hearth/none')).rejects.toThrow('Unhandled method');
  source.cancel();
  expect(await answer).toMatchObject({ items: [], reason: 'still-loading' });
});

test("asks the team's server, or the local model while that server fails", async () => {
  const team = await CompletionServer.start();
  team.defaultAnswer = events({ choices: [{ text: 'remote();', finish_reason: 'stop' }] });
  const settings = { 'server.url': team.url, 'server.model': 'coder', serverToken: 'secret', 'model.path': 'late' };
  client = await LspClient.start([process.execPath, server, '--stdio'], settings);
  const { model } = await client.status(({ model }) => model?.device === 'server');
  expect(model).toMatchObject({ name: 'coder', backend: `server ${new URL(team.url).host}` });
  await client.open(uri, 'const a = ');
  expect(await client.complete(uri, 0, 10)).toMatchObject([{ insertText: 'remote();' }]);
  expect(team.asked[0]?.headers.authorization).toBe('Bearer secret');
  team.defaultAnswer = refuse(401);
  await client.type(uri, 0, 10, 'now');
  expect(await client.complete(uri, 0, 13)).toMatchObject([{ insertText: 'answer();' }]);
  const after = await client.status(
    ({ model }) => model?.fallbackReason.includes('does not accept the token') ?? false,
  );
  expect(after.model?.name).toBe('fake');
  await team.close();
});

test("never sends an edit to a team's server, nor asks it for one", async () => {
  const team = await CompletionServer.start();
  const settings = { 'server.url': team.url, 'server.model': 'coder' };
  client = await LspClient.start([process.execPath, server, '--stdio'], settings);
  await client.status(({ model }) => model?.device === 'server');
  await client.open(uri, 'let sum = 0;\nadd(sum);\nend(sum);\n');
  await client.type(uri, 0, 7, 'mary');
  expect(await client.nextEdit(uri, 0, 11)).toMatchObject({ reason: expect.stringMatching(/^edit-|nothing-follows/) });
  expect(team.asked).toEqual([]);
  await team.close();
});

test("asks the local model, too, when the team's server is silent, even before the silence counts as a failure", async () => {
  const team = await CompletionServer.start();
  team.defaultAnswer = () => {};
  const settings = { 'server.url': team.url, 'server.model': 'coder' };
  client = await LspClient.start([process.execPath, server, '--stdio'], settings);
  await client.status(({ model }) => model?.device === 'server');
  await client.open(uri, 'const a = ');
  expect(await client.complete(uri, 0, 10)).toMatchObject([{ insertText: 'answer();' }]);
  expect(client.statuses.at(-1)?.model).toMatchObject({ name: 'coder', fallbackReason: '' });
  await expect.poll(() => team.closed).toEqual([false]);
  await team.close();
});

test('says why a model cannot be loaded, and keeps running', async () => {
  const editor = await start({ 'model.path': 'missing' });
  expect(await editor.settled()).toEqual({
    health: 'error',
    problem: 'model',
    message: 'There is no model file "missing".',
  });
  await editor.open(uri, 'const a = ');
  expect(await editor.complete(uri, 0, 10)).toEqual([]);
});

test('ignores a setting with an invalid value', async () => {
  const wrong = { 'completion.maxTokens': -1, 'engine.threads': 0.5, backend: 'gpu' } as unknown as Partial<Settings>;
  const editor = await start(wrong);
  expect(await editor.settled()).toMatchObject({ health: 'ready' });
  await editor.open(uri, 'const a = ');
  expect(await editor.complete(uri, 0, 10)).toHaveLength(1);
});

test('loads another model when the settings name one', async () => {
  const editor = await start({ 'model.path': 'missing' });
  await editor.settled();
  await editor.settings({ 'model.path': '' });
  await editor.status(({ health }) => health === 'ready');
  await editor.open(uri, 'const a = ');
  expect(await editor.complete(uri, 0, 10)).toHaveLength(1);
});

test('keeps the model when an unrelated setting changes', async () => {
  const editor = await start();
  await editor.settled();
  const loads = () => editor.statuses.filter(({ health }) => health === 'loading').length;
  const loadsBefore = loads();
  await editor.settings({ 'completion.maxTokens': 7 });
  await editor.open(uri, 'const a = ');
  expect(await editor.complete(uri, 0, 10)).toMatchObject([{ insertText: 'answer' }]);
  expect(loads()).toBe(loadsBefore);
});

test('cancels a load when the settings change meanwhile', async () => {
  const editor = await start({ 'model.path': 'endless' });
  await editor.status(({ health }) => health === 'loading');
  await editor.settings({ 'model.path': 'bundled' });
  await editor.status(({ health }) => health === 'ready');
});

test('reports a bug as an internal error', async () => {
  const editor = await start({ 'model.path': 'broken' });
  expect((await editor.settled()).message).toMatch(/fault in Hearth: a fault of the program/);
});

test('loads nothing while suggestions are off', async () => {
  const editor = await start({ mode: 'off' });
  expect(await editor.status(({ health }) => health === 'off')).toEqual({ health: 'off' });
  await editor.open(uri, 'const a = ');
  expect(await editor.complete(uri, 0, 10)).toEqual([]);
});

test('a cancelled request gets an empty answer', async () => {
  const editor = await start({ 'model.path': 'late' });
  await editor.settled();
  await editor.open(uri, 'const a = ');
  const source = new CancellationTokenSource();
  const answer = editor.complete(uri, 0, 10, source.token);
  source.cancel();
  expect(await answer).toEqual([]);
});

test('a keystroke supersedes the request before it', async () => {
  const editor = await start({ 'model.path': 'late' });
  await editor.settled();
  await editor.open(uri, 'const a = no');
  const first = editor.complete(uri, 0, 12);
  await editor.type(uri, 0, 12, 'w');
  const second = editor.complete(uri, 0, 13);
  expect(await first).toEqual([]);
  expect(await second).toHaveLength(1);
});

test('evaluates the prompt at a resting cursor before a request', async () => {
  const editor = await start();
  await editor.settled();
  await editor.open(uri, 'const a = ');
  const reports = editor.statuses.length;
  await editor.rest(uri, 0, 10);
  await editor.rest('file:///closed.ts', 0, 0);
  await expect.poll(() => editor.statuses.length).toBeGreaterThan(reports);
  await editor.complete(uri, 0, 10);
  const status = await editor.status(({ last }) => last !== undefined);
  expect(status.last?.promptTokens).toBeGreaterThan(12);
  expect(status.last?.cachedTokens).toBe(status.last?.promptTokens);
});

test('answers early if the client supports growing suggestions, and tells it when the text has grown', async () => {
  client = await LspClient.start([process.execPath, server, '--stdio'], { 'model.path': 'slow' }, { asksAgain: true });
  const editor = client;
  await editor.settled();
  await editor.open(uri, 'const a = ');
  const told = new Promise((resolve) => editor.connection.onNotification('hearth/grown', resolve));
  expect(await editor.complete(uri, 0, 10)).not.toMatchObject([{ insertText: 'answer();' }]);
  expect(await told).toEqual({ uri, version: 1, position: { line: 0, character: 10 } });
  await expect
    .poll(() => editor.answer(uri, 0, 10))
    .toMatchObject({ items: [{ insertText: 'answer();' }], reason: 'typed-along' });
});

test('answers nothing for a document that is not open', async () => {
  const editor = await start();
  await editor.settled();
  expect(await editor.complete('file:///closed.ts', 0, 0)).toEqual([]);
});

test('completes next to lone surrogates and special tokens', async () => {
  const editor = await start();
  await editor.settled();
  const text = 'a = "\ud83d <|fim_suffix|> \udc00" + ';
  await editor.open(uri, text);
  expect(await editor.complete(uri, 0, text.length)).toHaveLength(1);
});

test('answers in the middle of a 5 MB line', async () => {
  const editor = await start();
  await editor.settled();
  const half = 'x = 1; '.repeat(360_000);
  await editor.open(uri, half + half);
  await editor.type(uri, 0, half.length, 'y');
  // The cursor is inside the word "yx", which the scripted text would split.
  expect(await editor.answer(uri, 0, half.length + 1)).toMatchObject({ items: [], reason: 'splits-word' });
});

test('streams an explanation in pieces', async () => {
  const editor = await start();
  await editor.settled();
  const chunks: ExplainChunk[] = [];
  editor.connection.onNotification('hearth/explainChunk', (chunk: ExplainChunk) => void chunks.push(chunk));
  const params: ExplainParams = {
    id: 7,
    uri,
    text: 'a + b',
    languageId: 'typescript',
    turns: [{ answer: '' }],
    attempt: 0,
  };
  const result: ExplainResult = await editor.connection.sendRequest('hearth/explain', params);
  expect(result).toMatchObject({ text: 'answer();', finishReason: 'stop' });
  expect(chunks.map(({ text }) => text).join('')).toBe('answer();');
  expect(new Set(chunks.map(({ id }) => id))).toEqual(new Set([7]));
});

test('completes while a hostile chat template is rendered, and afterwards', async () => {
  const editor = await start({ 'model.path': 'hostile' });
  await editor.settled();
  await editor.open(uri, 'const a = \nend');
  const params: ExplainParams = { id: 1, uri, text: 'a', languageId: 'c', turns: [{ answer: '' }], attempt: 0 };
  let isRendering = true;
  const explained = editor.connection.sendRequest('hearth/explain', params).finally(() => {
    isRendering = false;
  });
  const refused = expect(explained).rejects.toThrow(/cannot be used: it (needs too much memory|takes too long)\.$/);
  expect(await editor.complete(uri, 0, 10)).toHaveLength(1);
  expect(isRendering).toBe(true);
  await refused;
  expect(await editor.complete(uri, 0, 10)).toHaveLength(1);
});

test('explaining fails with a message for the user when there is no model', async () => {
  const editor = await start({ 'model.path': 'missing' });
  const params: ExplainParams = { id: 1, uri, text: 'a', languageId: 'c', turns: [{ answer: '' }], attempt: 0 };
  await expect(editor.connection.sendRequest('hearth/explain', params)).rejects.toThrow('There is no model file');
});

test.each([
  ['of a file of secrets', { uri: 'file:///.env', text: 'a' }],
  ['with a password in it', { uri, text: `password = "hunter${'2!'}"` }],
])('explains nothing %s', async (_, selected) => {
  const editor = await start();
  const params = { id: 1, languageId: 'c', ...selected };
  await expect(editor.connection.sendRequest('hearth/explain', params)).rejects.toThrow('a password or a key');
});

const storeText = 'export class UserStore {\n  insertUser(user) {}\n}\n';

const workspace = { uri: 'file:///code', name: 'code' };

/**
 * Rests the cursor in a document that uses another open one, with a client that may share code, and requests a
 * completion. Returns the questions to the client: one, or two because the first answer has no definitions.
 */
async function restBeside(sharesCode: boolean, folders = [workspace], added = [] as typeof folders) {
  const command = [process.execPath, server, '--stdio'];
  client = await LspClient.start(command, {}, { sharesCode }, folders);
  await client.connection.sendNotification('workspace/didChangeWorkspaceFolders', { event: { added, removed: [] } });
  const asked: RelatedParams[] = [];
  client.connection.onRequest(relatedRequest.method, (params: RelatedParams): RelatedResult => {
    asked.push(params);
    return { defined: [], shared: params.documents };
  });
  await client.settled();
  await client.open('file:///code/user-store.ts', storeText);
  await client.open('file:///code/main.ts', 'const store = new UserStore();\n');
  const reports = client.statuses.length;
  await client.rest('file:///code/main.ts', 1, 0);
  await expect.poll(() => client?.statuses.length).toBeGreaterThan(reports);
  await client.complete('file:///code/main.ts', 1, 0);
  return asked;
}

test('shared code is evaluated before the next request', async () => {
  const asked = await restBeside(true);
  expect(asked[0]).toMatchObject({ uri: 'file:///code/main.ts', documents: ['file:///code/user-store.ts'] });
  const status = await client?.status(({ last }) => last !== undefined);
  expect(status?.last?.promptTokens).toBeGreaterThan(storeText.length);
  expect(status?.last?.cachedTokens).toBe(status?.last?.promptTokens);
});

test('code from a folder is used once the folder is added to the workspace', async () => {
  expect(await restBeside(true, [], [])).toEqual([]);
  await client?.stop();
  expect(await restBeside(true, [], [workspace])).not.toEqual([]);
});

test('an editor that does not support sharing code is not asked for code', async () => {
  expect(await restBeside(false)).toEqual([]);
  const status = await client?.status(({ last }) => last !== undefined);
  expect(status?.last?.promptTokens).toBeLessThan(storeText.length + 31);
});

test('the doctor reports what is broken', async () => {
  const editor = await start({ 'model.path': 'missing' });
  const report: string = await editor.connection.sendRequest('hearth/doctor');
  expect(report).toMatch(/^ok +addon: CPU variants, best first: fake$/m);
  expect(report).toMatch(/^BROKEN +model: There is no model file "missing"\.$/m);
});
