// Downloads from a real server on this machine, which misbehaves as servers and networks do.
import { createHash, randomFillSync } from 'node:crypto';
import {
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type DownloadOptions, discard, download } from '../../../extension/download/download.ts';
import type { RemoteFile } from '../../../language-server/protocol/models.ts';
import { type Answer, breakAfter, FileServer, page, serve, status } from './file-server.ts';

/** The free space on the disk for downloads in this file. */
const disk = vi.hoisted(() => ({ freeBytes: Number.POSITIVE_INFINITY, isReadOnly: false }));

vi.mock('node:fs/promises', async (original) => {
  const fs = await original<typeof import('node:fs/promises')>();
  const open: typeof fs.open = async (...args) => {
    if (disk.isReadOnly) throw Object.assign(new Error('read-only'), { code: 'EROFS' });
    const file = await fs.open(...args);
    const writeWhole = file.writeFile.bind(file);
    const write = file.write.bind(file) as (...args: [Uint8Array, number, number, number]) => Promise<unknown>;
    const limited = (bytes: Uint8Array, from: number, length: number, position: number) => {
      if (disk.freeBytes <= 0) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
      const fits = Math.min(length, disk.freeBytes);
      disk.freeBytes -= fits;
      return write(bytes, from, fits, position);
    };
    const writeFile: typeof file.writeFile = async (...args) => {
      if (disk.freeBytes <= 0) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
      return writeWhole(...args);
    };
    return Object.assign(file, { write: limited, writeFile });
  };
  return { ...fs, open };
});

const content = Buffer.concat([Buffer.from('GGUF'), randomFillSync(Buffer.alloc(300_000))]);
/** No connection counts as too slow, however busy this machine is. */
const pace = { minBytes: 1000, periodMs: 600_000, retryMs: 1, maxFailures: 3 };
/** A file whose digest and exact length are unknown. */
const unknown = { minBytes: 200_000, maxBytes: 400_000, sha256: null };

let folder: string;
let server: FileServer;

beforeEach(async () => {
  Object.assign(disk, { freeBytes: Number.POSITIVE_INFINITY, isReadOnly: false });
  folder = mkdtempSync(join(tmpdir(), 'hearth-download-'));
  server = await new FileServer(content).start();
});

afterEach(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const fetchFile = (file: RemoteFile = server.file(), options: Partial<DownloadOptions> = {}) =>
  download(file, folder, { signal: new AbortController().signal, pace, ...options });

const whole = () => readFileSync(join(folder, 'a.gguf'));

/** The error's message, after a check that no file got its final name. */
async function problem(file?: RemoteFile, options?: Partial<DownloadOptions>): Promise<string> {
  const message = await fetchFile(file, options).then(
    () => 'it succeeded',
    (error: Error) => error.message,
  );
  expect(existsSync(join(folder, 'a.gguf'))).toBe(false);
  return message;
}

test('a file is renamed when it is complete, and no other file is left', async () => {
  const progress: [number, number][] = [];
  const path = await fetchFile(server.file(), { onProgress: (...at) => progress.push(at) });
  expect(path).toBe(join(folder, 'a.gguf'));
  expect(whole().equals(content)).toBe(true);
  expect(readdirSync(folder)).toEqual(['a.gguf']);
  expect(progress.at(-1)).toEqual([content.length, content.length]);
});

test('a file that already exists is not requested', async () => {
  await fetchFile();
  await fetchFile();
  expect(server.requests.length).toBe(1);
});

test('after a broken connection, the download continues where it broke if the ETag is the same', async () => {
  server.answers.push(breakAfter(100_000));
  await fetchFile();
  expect(whole().equals(content)).toBe(true);
  const [first, second] = server.requests;
  expect(first?.range).toBeUndefined();
  expect(second?.range).toMatch(/^bytes=[1-9]\d*-$/);
  expect(second?.['if-range']).toBe('"one"');
});

test('a file that has changed on the server is downloaded from its start', async () => {
  server.answers.push(breakAfter(100_000));
  await problem(server.file(), { pace: { ...pace, maxFailures: 0 } });
  server.content = Buffer.concat([Buffer.from('GGUF'), randomFillSync(Buffer.alloc(200_000))]);
  server.etag = '"two"';
  await fetchFile(server.file());
  expect(whole().equals(server.content)).toBe(true);
});

test('after a restart, the download continues from the bytes on disk', async () => {
  const abort = new AbortController();
  server.answers.push(breakAfter(150_000));
  const options = { signal: abort.signal, onProgress: () => abort.abort() };
  await expect(fetchFile(server.file(), options)).rejects.toThrow('aborted');
  const kept = statSync(join(folder, 'a.gguf.part')).size;
  expect(kept).toBeGreaterThan(0);
  expect(readdirSync(folder).sort()).toEqual(['a.gguf.part', 'a.gguf.part.json']);
  await fetchFile();
  expect(whole().equals(content)).toBe(true);
  expect(server.requests.at(-1)?.range).toBe(`bytes=${kept}-`);
});

test('a file that was complete before a restart is verified without a request', async () => {
  const { url, minBytes } = server.file();
  writeFileSync(join(folder, 'a.gguf.part'), content);
  writeFileSync(join(folder, 'a.gguf.part.json'), JSON.stringify({ url, etag: '"one"', totalBytes: minBytes }));
  await fetchFile();
  expect(server.requests.length).toBe(0);
  expect(whole().equals(content)).toBe(true);
});

test('without an ETag, a download continues only if its digest is known', async () => {
  server.etag = null;
  server.answers.push(breakAfter(100_000), serve, breakAfter(100_000));
  await fetchFile();
  expect(server.requests[1]?.range).toBeDefined();
  rmSync(join(folder, 'a.gguf'));
  await fetchFile(server.file({ sha256: null }));
  expect(server.requests[3]?.range).toBeUndefined();
  expect(whole().equals(content)).toBe(true);
});

test('a weak ETag does not promise the same bytes', async () => {
  server.etag = 'W/"one"';
  server.answers.push(breakAfter(100_000));
  await fetchFile(server.file({ sha256: null }));
  expect(server.requests[1]?.range).toBeUndefined();
  expect(whole().equals(content)).toBe(true);
});

test('from a server without range requests, the file is downloaded from the start', async () => {
  server.answers.push(breakAfter(100_000), (request, response, at) => {
    delete request.headers.range;
    serve(request, response, at);
  });
  await fetchFile();
  expect(whole().equals(content)).toBe(true);
});

test('if the server sends a different range, the file is downloaded from the start', async () => {
  server.answers.push(breakAfter(100_000), (_, response) => {
    const headers = { 'content-range': `bytes 5-${content.length - 1}/${content.length}`, etag: '"one"' };
    response.writeHead(206, headers).end(content.subarray(5));
  });
  await fetchFile();
  expect(whole().equals(content)).toBe(true);
});

test('if the server refuses a range (416), the file is downloaded from the start', async () => {
  server.answers.push(breakAfter(100_000), status(416));
  await fetchFile();
  expect(whole().equals(content)).toBe(true);
});

test('a server that refuses every range ends the download', async () => {
  server.answers.push(...Array(9).fill(status(416)));
  expect(await problem()).toContain('does not offer the rest of this file (416)');
});

test.each([
  [401, 'requires a sign-in for this file (401)'],
  [403, 'refuses this file (403)'],
  [404, 'does not have this file (404)'],
  [418, 'sent an unexpected answer (status 418)'],
  [511, 'If this network requires a sign-in'],
])('status %i ends the download at once', async (code, words) => {
  server.answers.push(status(code));
  expect(await problem()).toContain(words);
  expect(server.requests.length).toBe(1);
});

test.each([500, 502, 503])('after status %i, the request is repeated a few times', async (code) => {
  server.answers.push(status(code), status(code));
  await fetchFile();
  expect(server.requests.length).toBe(3);
  rmSync(join(folder, 'a.gguf'));
  server.answers.push(...Array(9).fill(status(code)));
  expect(await problem()).toContain(`has a server error (${code})`);
  expect(server.requests.length).toBe(3 + pace.maxFailures);
});

test('after "too many requests" (429), the download waits as long as the server says', async () => {
  server.answers.push(status(429, { 'retry-after': '1' }));
  const startedAt = performance.now();
  await fetchFile();
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(990);
});

test('if the server asks for a pause of an hour (429), the download fails at once', async () => {
  server.answers.push(status(429, { 'retry-after': new Date(Date.now() + 3.6e6).toUTCString() }));
  expect(await problem()).toContain('has received too many requests (429)');
  expect(server.requests.length).toBe(1);
});

test('a file with the wrong length is refused before any of it is read', async () => {
  expect(await problem(server.file({ minBytes: 12, maxBytes: 12 }))).toContain(`has ${content.length} bytes`);
  expect(readFileSync(join(folder, 'a.gguf.part')).length).toBe(0);
});

test('a file that ends too early, without an error, is refused', async () => {
  server.answers.push(...Array(9).fill(unannounced(content.subarray(0, 1000))));
  expect(await problem()).toContain('ended early');
});

test('a file that is longer than announced is deleted', async () => {
  server.answers.push(unannounced(Buffer.concat([content, content])));
  expect(await problem()).toContain('its length or SHA-256 digest is wrong');
  expect(readdirSync(folder)).toEqual([]);
});

test('a wrong digest deletes the download', async () => {
  expect(await problem(server.file({ sha256: '0'.repeat(64) }))).toContain('its length or SHA-256 digest is wrong');
  expect(readdirSync(folder)).toEqual([]);
});

test('a file that is not GGUF is refused', async () => {
  server.content = Buffer.from('{"error": "no such thing"}');
  expect(await problem(server.file({ sha256: null }))).toContain('is not a GGUF file');
});

test("a captive portal's page leads to an error that suggests signing in", async () => {
  server.answers.push(page);
  expect(await problem()).toContain('sent a web page instead of the file');
});

test("a captive portal's page does not discard the bytes received so far", async () => {
  server.answers.push(breakAfter(100_000), page);
  expect(await problem()).toContain('sent a web page');
  const kept = statSync(join(folder, 'a.gguf.part')).size;
  expect(kept).toBeGreaterThan(0);
  await fetchFile();
  expect(server.requests.at(-1)?.range).toBe(`bytes=${kept}-`);
  expect(whole().equals(content)).toBe(true);
});

test('a web page without a content type is recognized by its first byte', async () => {
  server.answers.push((_, response) => void response.writeHead(200).end('<!doctype html>'));
  expect(await problem(server.file(unknown))).toContain('sent a web page');
});

test('free disk space is checked before the download begins', async () => {
  expect(await problem(server.file(), { freeBytes: async () => 1000 })).toMatch(/The disk has 0\.0 GB free/);
});

test.each([
  ['file', 'its digest', () => rmSync(join(folder, 'a.gguf.part')), {}],
  ['file', 'only its length', () => rmSync(join(folder, 'a.gguf.part')), unknown],
  ['folder', 'its digest', () => rmSync(folder, { recursive: true }), {}],
])('if the %s is deleted during a download with known %s, the error says so', async (_, __, remove, known) => {
  let isRemoved = false;
  const onProgress = () => {
    if (!isRemoved) remove();
    isRemoved = true;
  };
  expect(await problem(server.file(known), { onProgress })).toMatch(/^The unfinished file or its folder was deleted/);
  mkdirSync(folder, { recursive: true });
  await fetchFile(server.file(known));
  expect(whole().equals(content)).toBe(true);
});

test('if the disk fills up, the bytes received so far are kept', async () => {
  disk.freeBytes = 100_000;
  expect(await problem()).toContain('The disk is full');
  expect(statSync(join(folder, 'a.gguf.part')).size).toBe(100_000);
  disk.freeBytes = Number.POSITIVE_INFINITY;
  await fetchFile();
  expect(server.requests.at(-1)?.range).toBeDefined();
  expect(whole().equals(content)).toBe(true);
});

test('a disk that is full from the start leaves no lock behind', async () => {
  disk.freeBytes = 0;
  expect(await problem()).toContain('The disk is full');
  expect(readdirSync(folder)).toEqual([]);
});

test('the error names a folder that cannot be created', async () => {
  writeFileSync(join(folder, 'file'), '');
  const { signal } = new AbortController();
  const inFile = download(server.file(), join(folder, 'file', 'models'), { signal, pace });
  await expect(inFile).rejects.toThrow(/cannot write to the folder for models \(ENOTDIR: .*file\/models/);
  disk.isReadOnly = true;
  expect(await problem()).toBe('Hearth cannot write to the folder for models (read-only).');
});

test('a paused download can be discarded, unless another window continues it', async () => {
  server.answers.push(breakAfter(100_000));
  await problem(server.file(), { pace: { ...pace, maxFailures: 0 } });
  writeFileSync(join(folder, 'a.gguf.lock'), '');
  await discard(server.file(), folder);
  expect(existsSync(join(folder, 'a.gguf.part'))).toBe(true);
  rmSync(join(folder, 'a.gguf.lock'));
  await discard(server.file(), folder);
  expect(readdirSync(folder)).toEqual([]);
});

test('being offline is reported after a few attempts', async () => {
  const file = server.file();
  await server.stop();
  expect(await problem(file)).toMatch(/cannot be reached \(ECONNREFUSED\)/);
  expect(await problem({ ...file, url: 'http://models.invalid/a.gguf' })).toMatch(/cannot be found/);
  server = await new FileServer(content).start();
});

test('a connection that stays silent is dropped and opened again', async () => {
  server.answers.push(
    (_, response) => void response.writeHead(200, { 'content-length': content.length }).write('GGUF'),
  );
  const startedAt = performance.now();
  await fetchFile(server.file(), { pace: { ...pace, periodMs: 200, maxFailures: 100 } });
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(200);
  expect(whole().equals(content)).toBe(true);
});

test('a redirect to another host does not reveal the credentials for the first one', async () => {
  const other = await new FileServer(content).start();
  const redirect = status(302, { location: other.file().url.replace('127.0.0.1', 'localhost') });
  server.answers.push(breakAfter(100_000), redirect);
  const mirror = server.origin.replace('//', '//user:secret@');
  await fetchFile(other.file(), { mirror });
  expect(server.requests.map(({ authorization }) => authorization)).toEqual(Array(2).fill('Basic dXNlcjpzZWNyZXQ='));
  expect(other.requests[0]?.authorization).toBeUndefined();
  expect(other.requests[0]?.range).toMatch(/^bytes=/);
  expect(whole().equals(content)).toBe(true);
  await other.stop();
});

test("a mirror is used instead of the file's host", async () => {
  const file = { ...server.file(), url: 'https://huggingface.co/models/a.gguf' };
  await fetchFile(file, { mirror: `${server.origin}/` });
  expect(whole().equals(content)).toBe(true);
  rmSync(join(folder, 'a.gguf'));
  expect(await problem(file, { mirror: 'not an address' })).toContain('must be an address');
});

/** HEARTH_DOWNLOAD_BYTES=1000000000 makes a file of a gigabyte. */
test('a large file that is interrupted five times is verified in the end', async () => {
  const bytes = Number(process.env.HEARTH_DOWNLOAD_BYTES ?? 6_000_000);
  const block = randomFillSync(Buffer.alloc(1 << 20));
  server.content = Buffer.alloc(bytes, block);
  server.content.write('GGUF');
  const file = server.file();
  server.answers.push(...Array(5).fill(breakAfter(Math.floor(bytes / 7))));
  await fetchFile(file, { pace: { ...pace, maxFailures: 1 } });
  expect(server.requests.length).toBe(6);
  expect(server.requests.slice(1).every(({ range }) => range !== undefined)).toBe(true);
  const hash = createHash('sha256');
  await pipeline(createReadStream(join(folder, 'a.gguf')), hash);
  expect(hash.digest('hex')).toBe(file.sha256);
});

const unannounced =
  (bytes: Buffer): Answer =>
  (_, response) => {
    response.writeHead(200);
    response.write(bytes.subarray(0, 500));
    response.end(bytes.subarray(500));
  };
