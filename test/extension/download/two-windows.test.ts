// Two windows want the same file: only one downloads at a time, and neither damages the bytes of the other.
import { randomFillSync } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type DownloadOptions, download } from '../../../extension/download/download.ts';
import { FileServer, serve } from './file-server.ts';

const content = Buffer.concat([Buffer.from('GGUF'), randomFillSync(Buffer.alloc(300_000))]);
/** No connection counts as too slow, however busy this machine is. */
const pace = { minBytes: 1000, periodMs: 600_000, retryMs: 1, maxFailures: 3 };

let folder: string;
let server: FileServer;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hearth-download-'));
  server = await new FileServer(content).start();
});

afterEach(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const fetchFile = (options: Partial<DownloadOptions> = {}) =>
  download(server.file(), folder, { signal: new AbortController().signal, pace, ...options });

const whole = () => readFileSync(join(folder, 'a.gguf'));

test('one of two windows downloads, and the other waits for it', async () => {
  let waits = 0;
  let onWait = () => {};
  const waiting = new Promise<void>((resolve) => {
    onWait = () => {
      waits++;
      resolve();
    };
  });
  server.answers.push((request, response, at) => void waiting.then(() => serve(request, response, at)));
  const window = () => fetchFile({ onWait });
  const paths = await Promise.all([window(), window()]);
  expect(new Set(paths)).toEqual(new Set([join(folder, 'a.gguf')]));
  expect(waits).toBe(1);
  expect(server.requests.length).toBe(1);
});

test('a suspended window does no damage when it continues after another window has finished its download', async () => {
  const half = 150_000;
  let goOn = () => {};
  const pause = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  server.answers.push((_, response) => {
    response.writeHead(200, { etag: '"one"', 'content-length': content.length });
    response.write(content.subarray(0, half));
    void pause.then(() => response.end(content.subarray(half)));
  });
  const still = fetchFile();
  const [lock, part] = ['a.gguf.lock', 'a.gguf.part'].map((name) => join(folder, name)) as [string, string];
  await expect.poll(() => existsSync(part) && statSync(part).size).toBe(half);
  rmSync(lock); // the other window removes a lock that nobody touches
  await fetchFile();
  expect(whole()).toEqual(content);
  goOn();
  expect(await still).toBe(join(folder, 'a.gguf'));
  expect(whole()).toEqual(content);
  expect(readdirSync(folder)).toEqual(['a.gguf']);
  expect(server.requests).toHaveLength(2);
});
