// Chooses a model from the list, downloads it and gets ghost text from it, in one window without a restart. A mirror on
// this machine serves the starter model in place of two models on the list. In the installed list, both have the
// starter's length, but only one has its digest.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { catalogue } from '../../language-server/models/catalogue.ts';
import type { RemoteFile } from '../../language-server/protocol/models.ts';
import { useEditor } from './editor.ts';
import { installedIn } from './installed.ts';

const starter = readFileSync('models/starter.gguf');
const replaced = catalogueFile('qwen2.5-coder-7b-q8_0.gguf');
/** In the list, this model has the starter's length, but not its digest. */
const wrong = catalogueFile('qwen2.5-coder-0.5b-q8_0.gguf');
const ranges: (string | undefined)[] = [];

const mirror = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '', 'http://localhost');
  if (pathname === new URL(replaced.url).pathname) return sendInTwoParts(request, response);
  if (pathname === new URL(wrong.url).pathname) return void response.end(starter);
  response.writeHead(404).end();
});

/**
 * Answers a request for the whole file with its first half and then hangs; answers a request for the rest completely.
 */
function sendInTwoParts({ headers }: IncomingMessage, response: ServerResponse): void {
  ranges.push(headers.range);
  const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0);
  const part = from > 0 && { 'content-range': `bytes ${from}-${starter.length - 1}/${starter.length}` };
  response.writeHead(part ? 206 : 200, { etag: '"starter"', 'content-length': starter.length - from, ...part });
  if (part) response.end(starter.subarray(from));
  else response.write(starter.subarray(0, starter.length / 2));
}

await once(mirror.listen(0, '127.0.0.1'), 'listening');
const { server, bench } = useEditor({
  files: { 'math.ts': '' },
  settings: { 'hearth.download.mirror': `http://127.0.0.1:${(mirror.address() as AddressInfo).port}` },
  beforeWindow: listStarter,
});

afterAll(() => {
  mirror.closeAllConnections();
  mirror.close();
});

function catalogueFile(name: string): RemoteFile {
  const file = catalogue.map((model) => model.file).find((each) => each.name === name);
  if (!file) throw new Error(`${name} is not in the catalogue`);
  return file;
}

/** Changes the entries for the two files in the installed extension's list of models. */
function listStarter(): void {
  list(replaced, createHash('sha256').update(starter).digest('hex'));
  list(wrong, wrong.sha256);
}

function list({ maxBytes, sha256 }: RemoteFile, digest: string | null): void {
  const programs = readdirSync(installedIn(server))
    .filter((name) => name.endsWith('.js'))
    .map((name) => join(installedIn(server), name));
  const listed = new RegExp(`${maxBytes}(, *['"])${sha256}`);
  const programsWithList = programs.filter((name) => listed.test(readFileSync(name, 'utf8')));
  expect(programsWithList.length).toBeGreaterThan(0);
  for (const program of programsWithList)
    writeFileSync(program, readFileSync(program, 'utf8').replace(listed, `${starter.length}$1${digest}`));
}

const notification = (words: RegExp) => bench.page.locator('.notification-toast', { hasText: words });

/** The model files in the extension's folder. */
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
  await row.click();
  await bench.page
    .getByText(/^Download .* from 127\.0\.0\.1:\d+\?$/)
    .first()
    .waitFor();
  await bench.page.getByRole('button', { name: 'Download' }).click();
}

test('a user can choose a model, pause and resume its download, and use it, all in one window', async () => {
  await bench.statusSays(/ready/);
  await download('Qwen2.5-Coder 7B', 'Q8_0');
  const progress = notification(/Downloading Qwen2\.5-Coder 7B.*MB/);
  await progress.waitFor();
  await progress.getByRole('button', { name: 'Cancel' }).click();
  const paused = notification(/is paused at \d+ of \d+ MB/);
  await paused.waitFor();
  expect(modelFiles().sort()).toEqual([`${replaced.name}.part`, `${replaced.name}.part.json`]);
  await paused.getByRole('button', { name: 'Continue' }).click();
  await expect.poll(() => server.hearthLog()).toMatch(/loaded Starter Coder.*\n.*loaded Starter/s);
  expect(modelFiles()).toEqual([replaced.name]);
  expect(ranges).toEqual([undefined, expect.stringMatching(/^bytes=[1-9]\d*-$/)]);
  expect(JSON.parse(readFileSync(server.settingsFile, 'utf8'))['hearth.model.path']).toContain(replaced.name);
  await bench.statusSays(/ready/);
  await bench.setText(
    'function add(a: number, b: number): number {\n  return a + b;\n}\n\nfunction multiply(a: number, b: number): number {\n  ',
  );
  await bench.press('Control+End');
  await bench.type('return');
  await expect.poll(() => bench.shownGhostText()).not.toBe('');
});

test('if a download has the wrong digest, it is deleted and not used', async () => {
  const before = JSON.parse(readFileSync(server.settingsFile, 'utf8'))['hearth.model.path'];
  await download('Qwen2.5-Coder 0.5B', 'Q8_0');
  const refused = notification(/is damaged or another file: its length or SHA-256 digest is wrong/);
  await refused.waitFor();
  expect(modelFiles()).toEqual([replaced.name]);
  expect(JSON.parse(readFileSync(server.settingsFile, 'utf8'))['hearth.model.path']).toBe(before);
});
