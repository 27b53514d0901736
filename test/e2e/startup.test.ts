// The first moments of a window: a key that is pressed as soon as the editor can be used is answered, without another key.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { launchBrowser } from './browser.ts';
import { startCodeServer } from './code-server.ts';
import { Workbench } from './workbench.ts';

const sample =
  'function add(a: number, b: number): number {\n  return a + b;\n}\n\nfunction multiply(a: number, b: number): number {\n';

/** Opens a window of a new editor and presses keys at once; how long both took. */
async function firstMoments(vsix: string[]): Promise<{ usableMs: number; ghostTextMs: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-e2e-'));
  const file = join(folder, 'sample/math.ts');
  mkdirSync(join(folder, 'sample'));
  writeFileSync(file, sample);
  const server = await startCodeServer({ vsix });
  const browser = await launchBrowser();
  try {
    const openedAt = performance.now();
    const bench = await Workbench.open(browser, server, join(folder, 'sample'), file);
    await bench.editor.locator('.view-line').first().click();
    const usableAt = performance.now();
    await bench.press('Control+End');
    await bench.type('  ret');
    if (vsix.length > 0)
      await expect.poll(() => bench.shownGhostText(), { timeout: 25_000, interval: 20 }).not.toBe('');
    return { usableMs: usableAt - openedAt, ghostTextMs: performance.now() - usableAt };
  } catch (error) {
    console.error(server.hearthLog());
    throw error;
  } finally {
    await browser.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

test('the first keys of a window bring ghost text', async () => {
  const without = await firstMoments([]);
  const { usableMs, ghostTextMs } = await firstMoments([inject('vsix')]);
  const ms = (time: number) => `${time.toFixed(0)} ms`;
  console.log(
    `editor usable after ${ms(usableMs)}, without Hearth ${ms(without.usableMs)}; ghost text ${ms(ghostTextMs)} later`,
  );
}, 240_000);
