import { createHash, randomFillSync } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { downloadAll } from '../../../extension/download/download-all.ts';
import type { Progress } from '../../../extension/download/progress.ts';
import { FileServer, serve, status } from './file-server.ts';

const content = Buffer.concat([Buffer.from('GGUF'), randomFillSync(Buffer.alloc(200_000))]);
const sha256 = createHash('sha256').update(content).digest('hex');
const names = [1, 2, 3].map((part) => `a-0000${part}-of-00003.gguf`);

let folder: string;
let server: FileServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hearth-download-'));
  server = await new FileServer(content).start();
});

afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

const parts = () => names.map((name) => ({ name, url: `${server.origin}/${name}`, bytes: content.length, sha256 }));

test('the parts of a split file come one after the other, with one progress', async () => {
  const progress: Progress[] = [];
  const { signal } = new AbortController();
  const onProgress = (at: Progress) => progress.push(at);
  expect(await downloadAll(parts(), folder, { signal, onProgress })).toBe(join(folder, names[0] as string));
  expect(readdirSync(folder)).toEqual(names);
  expect(progress.at(-1)).toMatchObject({ receivedBytes: 3 * content.length, totalBytes: 3 * content.length });
  const received = progress.map(({ receivedBytes }) => receivedBytes);
  expect(received).toEqual(received.toSorted((a, b) => a - b));
});

test('parts that are there already count as received', async () => {
  rmSync(join(folder, names[2] as string));
  const progress: Progress[] = [];
  const { signal } = new AbortController();
  await downloadAll(parts(), folder, { signal, onProgress: (at) => progress.push(at) });
  expect(progress.at(-1)?.receivedBytes).toBe(3 * content.length);
});

test('a part that cannot be had fails the whole', async () => {
  for (const name of names) rmSync(join(folder, name));
  server.answers.push(serve, status(404));
  await expect(downloadAll(parts(), folder, { signal: new AbortController().signal })).rejects.toThrow('404');
});

test('there must be space for all parts before the first one is fetched', async () => {
  const { signal } = new AbortController();
  const fresh = mkdtempSync(join(tmpdir(), 'hearth-download-'));
  const have = (bytes: number) => ({ signal, freeBytes: async () => bytes });
  const large = parts().map((part) => ({ ...part, bytes: null }));
  const short = downloadAll(large, fresh, { ...have(1e9), modelBytes: 3e9 });
  await expect(short).rejects.toThrow(
    /^The disk has 1\.0 GB free, and a-00001\S+ and the parts after it need 2\.0 GB more\.$/,
  );
  expect(readdirSync(fresh).filter((name) => name.endsWith('.gguf'))).toEqual([]);
  await expect(downloadAll(parts(), fresh, have(2.5 * content.length))).rejects.toThrow('the parts after it');
  await downloadAll(parts(), fresh, have(3 * content.length));
  expect(readdirSync(fresh)).toEqual(names);
  rmSync(fresh, { recursive: true });
});
