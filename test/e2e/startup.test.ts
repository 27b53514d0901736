// A key that is pressed as soon as a new window can be used gets a suggestion, without another key, and about as soon
// as one from an extension that has nothing to load.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { launchBrowser } from './browser.ts';
import { startCodeServer } from './code-server.ts';
import { packed } from './packed.ts';
import { Workbench } from './workbench.ts';

const sample =
  'function add(a: number, b: number): number {\n  return a + b;\n}\n\nfunction multiply(a: number, b: number): number {\n';

interface FirstMoments {
  usableMs: number;
  /** The time from when the editor could be used. */
  ghostTextMs: number;
  /** As the editor measures it: loading the extension's code and calling `activate`. */
  activationMs: number;
}

/** Opens a window of a new editor with an extension and presses keys at once. */
async function firstMoments(vsix: string, name: string, timeout = 60_000): Promise<FirstMoments> {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-e2e-'));
  const file = join(folder, 'sample/math.ts');
  mkdirSync(join(folder, 'sample'));
  writeFileSync(file, sample);
  const server = await startCodeServer({ vsix: [vsix] });
  const browser = await launchBrowser();
  try {
    const openedAt = performance.now();
    const bench = await Workbench.open(browser, server, join(folder, 'sample'), file);
    await bench.editor.locator('.view-line').first().click();
    const usableAt = performance.now();
    await bench.press('Control+End');
    await bench.type('  ret');
    await expect.poll(() => bench.shownGhostText(), { timeout, interval: 20 }).not.toBe('');
    const ghostTextMs = performance.now() - usableAt;
    return { usableMs: usableAt - openedAt, ghostTextMs, activationMs: await bench.activationMs(name) };
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
  // The measure to compare with. VS Code does not always ask an extension again that came after the key: not ours to mend.
  const vsix = packed('instant');
  const instant = await firstMoments(vsix, 'Instant', 10_000).catch(() => firstMoments(vsix, 'Instant'));
  const hearth = await firstMoments(inject('vsix'), 'Hearth');
  for (const [name, { usableMs, ghostTextMs, activationMs }] of Object.entries({ instant, hearth })) {
    const [usable, shown] = [usableMs, ghostTextMs].map((ms) => ms.toFixed(0));
    console.log(
      `${name}: editor usable after ${usable} ms, ghost text ${shown} ms later, activation ${activationMs} ms`,
    );
  }
}, 240_000);
