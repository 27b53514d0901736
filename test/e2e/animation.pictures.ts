// Takes the frames for the animation in README.md: a person writes a file with Hearth. A frame's name says how long it
// is shown: 110 ms after a key, longer where the person reads. How long it took to take the frame does not matter.
//   HEARTH_PICTURES=1 npx vitest run --root test/e2e animation && python3 test/e2e/animate.py
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject, test } from 'vitest';
import { launchBrowser } from './browser.ts';
import { CodeServer } from './code-server.ts';
import { Workbench } from './workbench.ts';

const frames = 'build/e2e/frames';
const keyMs = 110;
const readMs = 900;
const settings = {
  'editor.cursorBlinking': 'solid',
  'editor.detectIndentation': false,
  'editor.tabSize': 2,
  'workbench.activityBar.location': 'hidden',
};
const sample = `export interface Point {
  x: number;
  y: number;
}

export function add(a: Point, b: Point): Point {
  return { x: a.x + b.x, y: a.y + b.y };
}

`;

test('writes two functions', async () => {
  const server = new CodeServer({ vsix: [inject('vsix')], settings });
  const folder = join(server.root, 'geometry');
  const file = join(folder, 'point.ts');
  await server.start();
  mkdirSync(folder);
  writeFileSync(file, '');
  rmSync(frames, { recursive: true, force: true });
  mkdirSync(frames, { recursive: true });
  const browser = await launchBrowser();
  const bench = await new Workbench(server, folder, file).open(browser);
  let count = 0;
  const frame = async (ms: number) => {
    const name = `${String(count++).padStart(3, '0')}-${ms}.png`;
    await bench.page.screenshot({ path: join(frames, name), clip: { x: 0, y: 35, width: 720, height: 435 } });
  };
  const type = async (text: string) => {
    for (const key of text) {
      await bench.page.keyboard.type(key);
      await frame(keyMs);
    }
  };
  const press = async (key: string, ms: number) => {
    await bench.press(key);
    await frame(ms);
  };
  const suggestion = async (words: RegExp) => {
    await expect.poll(() => bench.shownGhostText()).toMatch(words);
    await frame(readMs);
  };

  await bench.statusSays(/ready/);
  await bench.setText(sample);
  await bench.page.setViewportSize({ width: 720, height: 470 });
  await bench.page.mouse.move(600, 300);
  // The suggestion for the empty line disappears, and the editor finishes saving.
  await bench.press('Escape');
  await sleep(2000);
  await frame(readMs);
  await type('export function sub');
  await suggestion(/Point$/);
  await type('tra'); // agrees with the suggestion, whose rest stays
  await press('Tab', keyMs);
  await type(' {');
  await press('Enter', keyMs);
  await suggestion(/;$/);
  await press('Tab', readMs);
  await press('ArrowDown', keyMs);
  await press('End', keyMs);
  await press('Enter', keyMs);
  await press('Enter', keyMs);
  await type('export function scale(a: Point, factor: number): Point {');
  await press('Enter', keyMs);
  await type('return');
  await suggestion(/\S/);
  await type(' { x: a.x *'); // a suggestion for different code disappears at the first key that differs from it
  await suggestion(/factor/);
  await press('Tab', 2500);
  await browser.close();
  await server.stop();
}, 240_000);
