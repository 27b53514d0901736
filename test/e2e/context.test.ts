// In the real editor, definitions and code of other open files become part of the prompt, if they may be shared.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { launchBrowser } from './browser.ts';
import { type CodeServer, startCodeServer } from './code-server.ts';
import { Workbench } from './workbench.ts';

const temporary = mkdtempSync(join(tmpdir(), 'hearth-e2e-'));
const folder = join(temporary, 'shop');
const price = (name: string) =>
  `export function ${name}(amount: number, rate: number): number {\n  const factor = 1 + rate / 100;\n  return Math.round(amount * factor);\n}\n\n`;
const prices = ['grossPrice', 'netPrice', 'salePrice', 'memberPrice', 'exportPrice', 'importPrice'].map(price).join('');
const main =
  "import { grossPrice, netPrice } from './prices';\n\nexport function total(amount: number): number {\n  return grossPrice(amount, 19);\n}\n";

let server: CodeServer;
let browser: Browser;
let bench: Workbench;

beforeAll(async () => {
  mkdirSync(folder);
  writeFileSync(join(folder, 'main.ts'), main);
  writeFileSync(join(folder, 'prices.ts'), prices);
  execFileSync('git', ['init', '-q', folder]);
  server = await startCodeServer({ vsix: [inject('vsix')] });
  browser = await launchBrowser();
  bench = await Workbench.open(browser, server, folder, join(folder, 'main.ts'));
}, 150_000);

afterAll(async () => {
  await browser?.close();
  await server?.stop();
  rmSync(temporary, { recursive: true, force: true });
});

/** The longest prompt of a completion in main.ts, in tokens. */
function longestPrompt(): number {
  const lines = [...server.hearthLog().matchAll(/completion at main\.ts.* of (\d+) prompt tokens cached/g)];
  return Math.max(0, ...lines.map(([, tokens]) => Number(tokens)));
}

test('a key finds the code of another file, where a name at the cursor is defined, in its prompt', async () => {
  await bench.statusSays(/ready/, 60_000);
  const alone = main.length / 2; // main.ts has far fewer tokens
  // The language features need a moment before they know a definition; what they say is read while the cursor rests.
  // Another digit each time: what was answered before is not asked again.
  let digit = 0;
  await expect
    .poll(
      async () => {
        await bench.press('Control+Home', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'End');
        await sleep(1000);
        await bench.type(String(digit++ % 10));
        await sleep(500);
        await bench.press('Control+z');
        return longestPrompt();
      },
      { timeout: 60_000 },
    )
    .toBeGreaterThan(alone);
}, 120_000);
