// With the disk cache, the KV cache survives a restart. Uses dist/server.js with the starter model.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { Settings } from '../../language-server/protocol/messages.ts';
import { LspClient } from '../support/lsp-client.ts';

const root = join(__dirname, '../..');
const bundledModel = join(root, 'models/starter.gguf');
const storageFolder = mkdtempSync(join(tmpdir(), 'hearth-storage-'));
const pages = join(storageFolder, 'pages');
const uri = 'file:///sample.ts';

afterAll(() => rmSync(storageFolder, { recursive: true }));

/** Starts a server, completes at one place and stops it. Returns the answer and where its pages came from. */
async function session(settings: Partial<Settings>) {
  const command = [process.execPath, join(root, 'dist/server.js'), '--stdio'];
  const eager = { ...settings, 'completion.confidence': 'eager' } as const;
  const client = await LspClient.start(command, eager, { bundledModel, storageFolder });
  const { health, model } = await client.settled();
  expect(health).toBe('ready');
  const source = readFileSync(join(root, 'test/fixtures/sample.ts.txt'), 'utf8');
  const lines = source.split('\n').slice(0, 60);
  await client.open(uri, `${lines.join('\n')}\nlet at = \n`);
  const items = await client.complete(uri, 60, 9);
  const { last } = await client.status((status) => status.last !== undefined);
  expect(await client.stop()).toBe(0);
  return { text: items?.[0]?.insertText, cachedTokens: last?.cachedTokens, restoredPages: model?.restoredPages };
}

test('after a restart, a document is read from the disk cache, and the answer is the same', async () => {
  const first = await session({ 'cache.diskMiB': 64 });
  expect(first.text).toMatch(/\S/);
  expect(first.restoredPages).toBe(0);
  expect(readdirSync(pages)).toHaveLength(1);
  const second = await session({ 'cache.diskMiB': 64 });
  expect(second.text).toBe(first.text);
  expect(second.cachedTokens).toBeGreaterThan(300);
  expect(second.restoredPages).toBeGreaterThan(300 / 32);
});

test('turning the disk cache off deletes its files, and no more are written', async () => {
  await session({ 'cache.diskMiB': 64 });
  expect(existsSync(pages)).toBe(true);
  expect(await session({})).toMatchObject({ restoredPages: 0 });
  expect(existsSync(pages)).toBe(false);
});
