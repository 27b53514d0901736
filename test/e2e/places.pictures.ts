// Takes the pictures of docs/suggestions.md: what the starter model suggests in ten languages. In each file of
// test/fixtures/sessions, the second half is typed until a suggestion of some length is shown: the first one counts.
//   HEARTH_PICTURES=1 npx vitest run --root test/e2e places
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { launchBrowser } from './browser.ts';
import { CodeServer } from './code-server.ts';
import { Workbench } from './workbench.ts';

const sources = 'test/fixtures/sessions';
const pictures = 'docs/suggestions';
const linesToType = 20;
const minShown = 16;
// Longer than an answer takes.
const answerMs = 600;
const settings = {
  'editor.cursorBlinking': 'solid',
  'editor.minimap.enabled': false,
  'editor.autoClosingBrackets': 'never',
  'editor.autoIndent': 'none',
  'editor.quickSuggestions': false,
  'editor.suggestOnTriggerCharacters': false,
  'editor.parameterHints.enabled': false,
  'workbench.activityBar.location': 'hidden',
  // It would say in front of the picture that there is no PHP.
  'php.validate.enable': false,
};

const server = new CodeServer({ vsix: [inject('vsix')], settings });
const folder = join(server.root, 'sample');
let browser: Browser;

beforeAll(async () => {
  mkdirSync(pictures, { recursive: true });
  await server.start();
  mkdirSync(folder);
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  await server.stop();
});

test.each(readdirSync(sources))(
  '%s',
  async (source) => {
    const name = basename(source, '.txt');
    const rows = readFileSync(join(sources, source), 'utf8').trimEnd().split('\n');
    const begun = rows.length - linesToType;
    writeFileSync(join(folder, name), `${rows.slice(0, begun).join('\n')}\n`);
    const bench = await new Workbench(server, folder, join(folder, name)).open(browser);
    await bench.page.setViewportSize({ width: 760, height: 380 });
    await bench.statusSays(/ready/);
    await bench.press('Control+End');
    const shown = await typeUntilShown(bench, rows.slice(begun).join('\n'));
    expect(shown).not.toBe('');
    await bench.page.screenshot({
      path: join(pictures, `${name}.png`),
      clip: { x: 0, y: 57, width: 720, height: 280 },
    });
    await bench.close();
  },
  240_000,
);

/** Returns the first long suggestion; '' if there is none. */
async function typeUntilShown(bench: Workbench, text: string): Promise<string> {
  for (const key of text) {
    await (key === '\n' ? bench.press('Enter') : bench.page.keyboard.insertText(key));
    await sleep(answerMs / 10);
    const isWordEnd = /\W/.test(key);
    if (isWordEnd) await sleep(answerMs);
    const shown = await bench.shownGhostText();
    if (shown.trim().length >= minShown) return await wholeText(bench, shown);
  }
  return '';
}

/** What is shown when it no longer grows. */
async function wholeText(bench: Workbench, shown: string): Promise<string> {
  await sleep(answerMs);
  const now = await bench.shownGhostText();
  return now === shown ? shown : await wholeText(bench, now);
}
