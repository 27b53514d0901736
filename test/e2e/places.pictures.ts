// Takes the pictures for docs/suggestions.md: what the starter model suggests in ten languages. In each file in
// test/fixtures/sessions, begins the last lines one after the other, first with indentation alone and then with the
// line's first word, until a suggestion is shown. Takes a picture of that one.
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
const linesToBegin = 25;
const minShownChars = 12;
/** Longer than any answer takes. */
const answerMs = 1000;
const lineHeight = 20;
const settings = {
  'editor.cursorBlinking': 'solid',
  'editor.cursorSurroundingLines': 7,
  'editor.lineHeight': lineHeight,
  'editor.minimap.enabled': false,
  'editor.stickyScroll.enabled': false,
  'editor.quickSuggestions': false,
  'editor.suggestOnTriggerCharacters': false,
  'editor.parameterHints.enabled': false,
  'workbench.activityBar.location': 'hidden',
  // Prevents a message about missing PHP, which would cover the picture.
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
    writeFileSync(join(folder, name), '');
    const bench = await new Workbench(server, folder, join(folder, name)).open(browser);
    await bench.page.setViewportSize({ width: 1000, height: 420 });
    await bench.statusSays(/ready/);
    expect(await beginUntilShown(bench, rows)).not.toBe('');
    const box = await bench.editor.boundingBox();
    if (!box) throw new Error('there is no editor');
    const height = box.height - (box.height % lineHeight); // no line is cut
    await bench.page.screenshot({ path: join(pictures, `${name}.png`), clip: { ...box, width: 960, height } });
    await bench.close();
  },
  240_000,
);

/** Begins one line after another. Returns the first suggestion of some length, or '' if there is none. */
async function beginUntilShown(bench: Workbench, rows: string[]): Promise<string> {
  for (const [i, row] of rows.entries()) {
    if (i < rows.length - linesToBegin || row.trim() === '' || isClosing(row)) continue;
    const indentation = row.slice(0, indentOf(row));
    const before = rows.slice(0, i).join('\n');
    // The last white space is typed, since only a key brings a suggestion.
    const line = indentation === '' ? '' : `\n${indentation.slice(0, -1)}`;
    await bench.setText(`${before}${line}\n${closing(rows, i).join('\n')}\n`);
    await bench.press('Control+Home');
    for (let n = line === '' ? 1 : 0; n < i; n++) await bench.press('ArrowDown');
    await bench.press('End');
    await (line === '' ? bench.press('Enter') : bench.page.keyboard.insertText(indentation.slice(-1)));
    const [word = ''] = /^\S+ ?/.exec(row.trimStart()) ?? [];
    for (const typed of ['', word]) {
      await bench.page.keyboard.insertText(typed);
      await sleep(answerMs);
      const shown = await bench.shownGhostText();
      if (shown.trim().length >= minShownChars) return await wholeText(bench, shown);
    }
  }
  return '';
}

const isClosing = (row: string) => /^\s*([)\]}]|<\/)/.test(row);

const indentOf = (row: string) => row.length - row.trimStart().length;

/** The lines that close the blocks around a row. An editor would already have inserted them. */
function closing(rows: string[], i: number): string[] {
  let indent = indentOf(rows[i] ?? '');
  return rows.slice(i).filter((row) => {
    const closes = isClosing(row) && indentOf(row) < indent;
    if (closes) indent = indentOf(row);
    return closes;
  });
}

/** The ghost text once it no longer grows. */
async function wholeText(bench: Workbench, shown: string): Promise<string> {
  await sleep(answerMs);
  const now = await bench.shownGhostText();
  return now === shown ? shown : await wholeText(bench, now);
}
