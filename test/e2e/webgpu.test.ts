// WebGPU in a real VS Code, on Mesa's lavapipe, a driver that computes on the processor. The part "webgpu" of
// test/run.mjs runs these tests; without that part's library and driver they are skipped.
import { mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasWebgpu, useOwnCache } from '../support/webgpu.ts';
import { useEditor } from './editor.ts';
import { installedIn } from './installed.ts';

const root = resolve(import.meta.dirname, '../..');

const sample =
  'function add(a: number, b: number) {\n  return a + b;\n}\n\nfunction subtract(a: number, b: number) {\n  ';

describe.runIf(hasWebgpu)('on a GPU with WebGPU', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'hearth-webgpu-e2e-'));
    process.env.HEARTH_LOST_GPU = lostFile();
    process.env.HEARTH_WGPU_LIBRARY = join(root, 'build/native/addon/liblosing_wgpu.so');
    useOwnCache(join(folder, 'cache'));
  });
  const lostFile = () => join(folder, 'lost');
  const settings = { 'hearth.backend': 'webgpu' };
  const { server, bench } = useEditor({ files: { 'add.ts': '' }, settings, beforeWindow: copyAddonTimes });
  afterAll(() => rmSync(folder, { recursive: true }));

  /**
   * Gives the installed addon the times of dist/hearth.node, so that the record of its passed self-test holds for it.
   */
  function copyAddonTimes(): void {
    const { atime, mtime } = statSync(join(root, 'dist/hearth.node'));
    utimesSync(join(installedIn(server), 'hearth.node'), atime, mtime);
  }

  async function ghostTextComes(): Promise<void> {
    await expect.poll(() => bench.shownGhostText()).not.toBe('');
  }
  async function statusShows(sentence: string): Promise<void> {
    await bench.runCommand('Hearth: Show Status');
    await expect.poll(() => bench.page.locator('.view-lines').last().textContent()).toContain(sentence);
    await bench.press('Control+w');
  }

  test('the model is loaded, and typing brings ghost text', async () => {
    await bench.statusSays(/ready/);
    expect(server.hearthLog()).toMatch(/loaded .* on webgpu llvmpipe/);
    await bench.setText(sample);
    await bench.type('return');
    await ghostTextComes();
    await bench.statusSays(/ready, \d+ tokens per second/);
    await statusShows('It\u00a0runs\u00a0on\u00a0the\u00a0GPU\u00a0of\u00a0this\u00a0computer.');
  });

  test('if the device is lost while the user types, the server stays, and the CPU brings the text', async () => {
    const [pid] = server.connections();
    await bench.setText(sample);
    writeFileSync(lostFile(), '');
    await bench.type('return');
    await expect.poll(() => server.hearthLog()).toMatch(/the GPU failed; the model now runs on cpu/);
    await ghostTextComes();
    await bench.statusSays(/ready/);
    await statusShows('It\u00a0runs\u00a0on\u00a0the\u00a0processor\u00a0of\u00a0this\u00a0computer.');
    expect(server.connections()).toEqual([pid]);
  });
});
