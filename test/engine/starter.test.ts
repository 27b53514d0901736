// dist/server.js with the real engine and the starter model.
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { CancellationTokenSource, type InlineCompletionList } from 'vscode-languageserver-protocol/node';
import type { ExplainChunk, ExplainParams, ExplainResult, Settings } from '../../language-server/protocol/messages.ts';
import { LspClient } from '../support/lsp-client.ts';
import { dist, node } from '../support/program.ts';

const root = join(__dirname, '../..');
const server = join(dist, 'server.js');
const model = join(root, 'models/starter.gguf');
const uri = 'file:///sample.ts';
const folder = mkdtempSync(join(tmpdir(), 'hearth-starter-'));
let client: LspClient | null = null;

afterAll(() => rmSync(folder, { recursive: true }));
afterEach(async () => {
  if (client) expect(await client.stop()).toBe(0);
  client = null;
});

async function start(settings: Partial<Settings> = {}, storageFolder?: string): Promise<LspClient> {
  const folders = { bundledModel: model, ...(storageFolder !== undefined && { storageFolder }) };
  client = await LspClient.start([...node, server, '--stdio'], settings, folders);
  return client;
}

async function startReady(settings: Partial<Settings> = {}): Promise<LspClient> {
  const editor = await start(settings);
  expect(await editor.settled()).toMatchObject({ health: 'ready' });
  return editor;
}

/** Lines of code that the model can make sense of. */
function sampleLines(count: number): string {
  const path = join(root, 'test/fixtures/sample.ts.txt');
  return readFileSync(path, 'utf8').split('\n').slice(0, count).join('\n');
}

test('completes a document with the starter model', async () => {
  const editor = await startReady({ 'completion.confidence': 'eager' });
  const text = sampleLines(30);
  await editor.open(uri, `${text}\nexport function sum(a: number, b: number): number {\n  return \n}\n`);
  const [item] = (await editor.complete(uri, 31, 9)) ?? [];
  expect(item?.insertText).toMatch(/\S/);
  expect(item?.insertText).not.toMatch(/<\|/);
});

test('a keystroke reuses all but a few tokens of the prompt', async () => {
  const editor = await startReady();
  const text = sampleLines(60);
  await editor.open(uri, `${text}\nconst total = \n`);
  await editor.complete(uri, 60, 14);
  // The ghost text is unlikely to begin with this letter, so a key with it reaches the engine.
  await editor.type(uri, 60, 14, 'Q');
  const { timings } = await editor.answer(uri, 60, 15);
  expect(timings.promptTokens - timings.cachedTokens).toBeLessThanOrEqual(4);
  expect(timings.promptTokens).toBeGreaterThan(300);
});

test('an accepted text is cached, so continuing after it costs only a few tokens', async () => {
  const editor = await start({ 'completion.maxTokens': 8, 'completion.confidence': 'eager' });
  await editor.settled();
  await editor.open(uri, `${sampleLines(30)}\nfor (let i = 0; \n`);
  const [item] = (await editor.complete(uri, 30, 16)) ?? [];
  if (!item) throw new Error('the model suggests nothing here');
  const text = String(item.insertText);
  expect(text).toMatch(/^\S[^\n]*$/);
  await editor.type(uri, 30, 16, text);
  const { timings } = await editor.answer(uri, 30, 16 + text.length);
  expect(timings.promptTokens).toBeGreaterThan(300);
  expect(timings.promptTokens - timings.cachedTokens).toBeLessThanOrEqual(4);
});

test('offers alternatives when asked for explicitly, the automatic answer first', async () => {
  const editor = await startReady();
  await editor.open(uri, `${sampleLines(30)}\nlet at = \n`);
  const ask = (triggerKind: number): Promise<InlineCompletionList> => {
    const place = { textDocument: { uri }, position: { line: 30, character: 9 } };
    return editor.connection.sendRequest('textDocument/inlineCompletion', { ...place, context: { triggerKind } });
  };
  const { items: asked } = await ask(1);
  const texts = asked.map(({ insertText }) => String(insertText).replace(/\s/g, ''));
  expect(texts.length).toBeGreaterThan(1);
  expect(texts.length).toBeLessThanOrEqual(3);
  expect(new Set(texts).size).toBe(texts.length);
  // In a new server, since this one would answer from memory.
  await client?.stop();
  const other = await startReady({ 'completion.confidence': 'eager' });
  await other.open(uri, `${sampleLines(30)}\nlet at = \n`);
  expect(await other.complete(uri, 30, 9)).toEqual(asked.slice(0, 1));
});

test('a request made before the model is loaded is answered once it is', async () => {
  const editor = await start();
  await editor.open(uri, 'const a = ');
  expect((await editor.answer(uri, 0, 10)).timings.promptTokens).toBeGreaterThan(0);
  expect(editor.statuses.at(-1)?.health).toBe('ready');
});

test('completes in the middle of a 5 MB line', async () => {
  const editor = await startReady();
  const half = 'x = x + 1; '.repeat(230_000);
  await editor.open(uri, half + half);
  await editor.type(uri, 0, half.length, 'y');
  await editor.complete(uri, 0, half.length + 1);
  const { last } = await editor.status((status) => status.last !== undefined);
  expect(last?.promptTokens).toBeLessThan(4096);
});

test('survives special tokens and lone surrogates in a document', async () => {
  const editor = await startReady();
  const line = 'const a = "<|fim_suffix|> \ud83d <|fim_middle|> \udc00 <|endoftext|>" + ';
  await editor.open(uri, line);
  const items = await editor.complete(uri, 0, line.length);
  for (const { insertText } of items ?? []) expect(insertText).not.toMatch(/<\|fim_/);
  expect((await editor.status(({ last }) => last !== undefined)).health).toBe('ready');
});

test('a cancelled request ends soon and the next one is answered', async () => {
  const editor = await startReady();
  await editor.open(uri, `${sampleLines(90)}\nconst a = `);
  const source = new CancellationTokenSource();
  const answer = editor.complete(uri, 90, 10, source.token);
  source.cancel();
  expect(await answer).toEqual([]);
  await editor.type(uri, 90, 10, 'text.');
  expect((await editor.answer(uri, 90, 15)).timings.promptTokens).toBeGreaterThan(300);
});

test('names a missing model file and keeps running', async () => {
  const editor = await start({ 'model.path': join(folder, 'nowhere.gguf') });
  const { health, message } = await editor.settled();
  expect(health).toBe('error');
  expect(message).toContain('nowhere.gguf');
  await editor.open(uri, 'const a = ');
  expect(await editor.complete(uri, 0, 10)).toEqual([]);
});

test('names a truncated model file, and loads a complete one afterwards', async () => {
  const path = join(folder, 'half.gguf');
  const half = Buffer.alloc(18_000_000);
  readSync(openSync(model, 'r'), half);
  writeFileSync(path, half);
  const editor = await start({ 'model.path': path });
  const { health, message } = await editor.settled();
  expect(health).toBe('error');
  expect(message).toContain('half.gguf');
  await editor.settings({ 'model.path': model });
  await editor.status((status) => status.health === 'ready');
});

test('streams an explanation', async () => {
  const editor = await startReady();
  const chunks: string[] = [];
  editor.connection.onNotification('hearth/explainChunk', ({ text }: ExplainChunk) => void chunks.push(text));
  const code = 'function add(a, b) {\n  return a + b;\n}';
  const turns = [{ answer: '' }];
  const params: ExplainParams = { id: 1, uri, text: code, languageId: 'javascript', turns, attempt: 0 };
  const result: ExplainResult = await editor.connection.sendRequest('hearth/explain', params);
  expect(result.text).toMatch(/\S/);
  expect(result.text).not.toMatch(/<\|/);
  expect(chunks.join('')).toBe(result.text);
});

test('the doctor finds nothing broken', async () => {
  const editor = await startReady();
  const report: string = await editor.connection.sendRequest('hearth/doctor');
  expect(report.split('\n').filter((line) => !line.startsWith('ok'))).toEqual([]);
  expect(report).toContain('same answer');
});

test('the command line serves editors, too', async () => {
  client = await LspClient.start([...node, join(dist, 'hearth.js'), 'lsp', '--stdio', '--model', model]);
  await client.settled();
  await client.open(uri, 'const a = ');
  expect((await client.answer(uri, 0, 10)).timings.promptTokens).toBeGreaterThan(0);
});

test('ends when the editor does', async () => {
  const editor = await startReady();
  client = null;
  const exited = once(editor.child, 'exit');
  editor.connection.dispose();
  editor.child.stdin?.end();
  await exited;
});
