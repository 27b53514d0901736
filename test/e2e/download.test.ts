// Chooses a model from the list, downloads it and gets ghost text from it, in one window without a restart. The
// download comes from a mirror on this machine, which serves the starter model in place of a model of the list. The
// installed list has the starter's length and digest for it.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { catalogue } from '../../language-server/models/catalogue.ts';
import type { RemoteFile } from '../../language-server/protocol/models.ts';
import type { CodeServer } from './code-server.ts';
import { Editor, openingMs } from './editor.ts';
import type { Workbench } from './workbench.ts';

const starter = readFileSync(resolve('models/starter.gguf'));
const replaced = catalogueFile('qwen2.5-coder-7b-q8_0.gguf');
/** The mirror sends another file of this length. */
const wrong = catalogueFile('qwen2.5-coder-0.5b-q8_0.gguf');
const ranges: (string | undefined)[] = [];
/** Of each piece of a twentieth. */
let pieceMs = 100;

const mirror = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '', 'http://localhost');
  if (pathname === new URL(replaced.url).pathname) return void sendStarter(request, response);
  if (pathname === new URL(wrong.url).pathname) return void sendWrong(response);
  response.writeHead(404).end();
});

function sendStarter({ headers }: IncomingMessage, response: ServerResponse): Promise<void> {
  ranges.push(headers.range);
  const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0);
  const part = from > 0 && { 'content-range': `bytes ${from}-${starter.length - 1}/${starter.length}` };
  response.writeHead(part ? 206 : 200, { etag: '"starter"', 'content-length': starter.length - from, ...part });
  return send(response, async function* () {
    const piece = Math.ceil(starter.length / 20);
    for (let at = from; at < starter.length; at += piece) {
      yield starter.subarray(at, at + piece);
      await sleep(pieceMs);
    }
  });
}

function sendWrong(response: ServerResponse): Promise<void> {
  const { maxBytes } = wrong;
  response.writeHead(200, { etag: '"wrong"', 'content-length': maxBytes });
  return send(response, function* () {
    for (let sent = 0; sent < maxBytes; sent += starter.length) yield starter.subarray(0, maxBytes - sent);
  });
}

/** Ends when the client disconnects. */
const send = (response: ServerResponse, pieces: () => Iterable<Buffer> | AsyncIterable<Buffer>): Promise<void> =>
  pipeline(pieces, response).catch(() => undefined);

let address: string;
let editor: Editor;
let server: CodeServer;
let bench: Workbench;

beforeAll(async () => {
  await new Promise<void>((listening) => mirror.listen(0, '127.0.0.1', listening));
  address = `http://127.0.0.1:${(mirror.address() as AddressInfo).port}`;
  const settings = { 'hearth.download.mirror': address };
  editor = await Editor.open({ files: { 'math.ts': '' }, settings, beforeWindow: listStarter });
  ({ server, bench } = editor);
}, openingMs);

afterAll(async () => {
  await editor?.close();
  mirror.closeAllConnections();
  mirror.close();
});

afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') await bench.afterFailure(task.name, { 'hearth.download.mirror': address });
}, 90_000);

function catalogueFile(name: string): RemoteFile {
  const file = catalogue.map((model) => model.file).find((each) => each.name === name);
  if (!file) throw new Error(`${name} is not in the catalogue`);
  return file;
}

/** Changes the list of the installed extension. */
function listStarter({ root }: CodeServer): void {
  const { maxBytes, sha256 } = replaced;
  const digest = createHash('sha256').update(starter).digest('hex');
  const extensions = join(root, 'extensions');
  const programs = readdirSync(extensions, { recursive: true, encoding: 'utf8' })
    .map((name) => join(extensions, name))
    .filter((name) => name.endsWith('.js') && readFileSync(name, 'utf8').includes(String(sha256)));
  expect(programs.length).toBeGreaterThan(0);
  for (const program of programs) {
    const text = readFileSync(program, 'utf8');
    const listed = new RegExp(`${maxBytes}(, *['"])${sha256}`);
    expect(text).toMatch(listed);
    writeFileSync(program, text.replace(listed, `${starter.length}$1${digest}`));
  }
}

const notification = (words: RegExp) => bench.page.locator('.notification-toast', { hasText: words });

/** The files of models in the extension's folder. */
const modelFiles = () =>
  readdirSync(server.root, { recursive: true, encoding: 'utf8' })
    .filter((name) => /globalStorage.*\.gguf/.test(name))
    .map((name) => name.slice(name.lastIndexOf('/') + 1));

/** Opens the list, chooses a model and confirms its download. */
async function download(name: string, quantization: string): Promise<void> {
  await bench.runCommand('Hearth: Choose Model');
  const row = bench.page.locator('.quick-input-list .monaco-list-row', {
    hasText: new RegExp(`${name}\\s*${quantization}`),
  });
  await bench.page.locator('.quick-input-widget input.input').fill(name);
  await row.click({ timeout: 30_000 });
  await bench.page
    .getByText(/^Download .* from 127\.0\.0\.1:\d+\?$/)
    .first()
    .waitFor();
  await bench.page.getByRole('button', { name: 'Download' }).click();
}

test('a download is chosen, followed, paused, resumed and used, all in one window', async () => {
  await bench.statusSays(/ready/, 60_000);
  await download('Qwen2.5-Coder 7B', 'Q8_0');
  const progress = notification(/Downloading Qwen2\.5-Coder 7B.*MB/);
  await progress.waitFor({ timeout: 20_000 });
  await progress.getByRole('button', { name: 'Cancel' }).click();
  const paused = notification(/is paused at \d+ of \d+ MB/);
  await paused.waitFor({ timeout: 20_000 });
  expect(modelFiles().sort()).toEqual([`${replaced.name}.part`, `${replaced.name}.part.json`]);
  pieceMs = 10;
  await paused.getByRole('button', { name: 'Continue' }).click();
  await expect.poll(() => server.hearthLog(), { timeout: 60_000 }).toMatch(/loaded Starter Coder.*\n.*loaded Starter/s);
  expect(modelFiles()).toEqual([replaced.name]);
  expect(ranges).toEqual([undefined, expect.stringMatching(/^bytes=[1-9]\d*-$/)]);
  expect(JSON.parse(readFileSync(server.settingsFile, 'utf8'))['hearth.model.path']).toContain(replaced.name);
  await bench.statusSays(/ready/);
  await bench.setText(
    'function add(a: number, b: number): number {\n  return a + b;\n}\n\nfunction multiply(a: number, b: number): number {\n  ',
  );
  await bench.press('Control+End');
  await bench.type('return');
  await expect.poll(() => bench.shownGhostText(), { timeout: 20_000 }).not.toBe('');
}, 120_000);

test('what a mirror sends in place of a model with a known digest is refused, deleted and not used', async () => {
  const before = JSON.parse(readFileSync(server.settingsFile, 'utf8'))['hearth.model.path'];
  await download('Qwen2.5-Coder 0.5B', 'Q8_0');
  const refused = notification(/is damaged or another file: its length or SHA-256 digest is wrong/);
  await refused.waitFor({ timeout: 100_000 });
  expect(modelFiles()).toEqual([replaced.name]);
  expect(JSON.parse(readFileSync(server.settingsFile, 'utf8'))['hearth.model.path']).toBe(before);
}, 150_000);
