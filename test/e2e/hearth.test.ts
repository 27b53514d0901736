// The packaged extension in a real VS Code, used with the keyboard. The tests do not depend on the text that the model
// generates.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { daysBefore } from '../../extension/statistics/statistics.ts';
import { useEditor } from './editor.ts';

const sample = `class Stack<Item> {
  private items: Item[] = [];

  push(item: Item): void {
    this.items.push(item);
  }

  pop(): Item | undefined {
    return this.items.pop();
  }

  isEmpty(): boolean {
    `;
const typed = 'return';

// Runs in the page.
declare const document: { documentElement: unknown };
declare function getComputedStyle(element: unknown): {
  fill: string;
  overflowX: string;
  getPropertyValue(name: string): string;
};

const { server, bench } = useEditor({ files: { 'stack.ts': '' } });

/** Takes a picture for README.md or the walkthrough, only on request, so that tests do not change the working tree. */
async function picture(name: string): Promise<void> {
  if (!process.env.HEARTH_PICTURES) return;
  await bench.page.mouse.move(520, 450); // away from anything with a tooltip
  await bench.page.locator('.workbench-hover').waitFor({ state: 'hidden' });
  await bench.page.screenshot({ path: `media/${name}.png` });
}

/** How often, according to the log, the server has answered a request at the document's end with a complete text. */
function answersAtEnd(text: string): number {
  const lines = text.split('\n');
  const place = `completion at stack.ts:${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}: `;
  const answers = server.hearthLog().split(place).slice(1);
  return answers.filter((answer) => /^(shown|typed-along);/.test(answer)).length;
}

/** Types these characters at the end of the sample. Returns the ghost text that is then shown. */
async function ghostTextFor(last: string): Promise<string> {
  await bench.setText(sample);
  const before = answersAtEnd(sample + last);
  await bench.type(last);
  await expect.poll(() => answersAtEnd(sample + last)).toBeGreaterThan(before);
  await expect.poll(() => bench.shownGhostText()).not.toBe('');
  return bench.shownGhostText();
}

test('the status bar says ready once the bundled model is loaded', async () => {
  await bench.statusSays(/ready/);
});

// The test moves the cursor instead of typing: a key would also request a completion, which might evaluate the text
// first.
test('the text around the cursor is evaluated before a key is pressed', async () => {
  await bench.setText(sample);
  await bench.press('ArrowUp', 'ArrowUp', 'ArrowUp', 'End');
  const line = sample.split('\n').length - 3;
  const read = new RegExp(`read \\d+ tokens around stack\\.ts:${line}:`);
  await expect.poll(() => server.hearthLog()).toMatch(read);
});

test('typing brings ghost text, and the status bar shows its time and that the model is the starter', async () => {
  await ghostTextFor(typed);
  await bench.statusSays(/ready, \d+ tokens per second/);
  expect(await bench.statusItem.textContent()).toBe(' Starter Model');
});

test('the tooltip of the status bar names the model, the cache and the last answer', async () => {
  await ghostTextFor(typed);
  await bench.statusItem.hover();
  const tooltip = bench.page.locator('.monaco-hover', { hasText: 'Hearth' }).last();
  await tooltip.waitFor();
  const text = await tooltip.textContent();
  for (const words of ['Model', 'Runs on', 'Cache', 'Last answer', 'writing', 'Get a Better Model']) {
    expect(text).toContain(words);
  }
  await bench.press('Escape');
});

test('Tab accepts the whole ghost text', async () => {
  const ghostText = await ghostTextFor(typed);
  await bench.press('Tab');
  await expect.poll(() => bench.savedText()).toBe(sample + typed + ghostText);
});

test('Ctrl+Right accepts the next word of the ghost text', async () => {
  const ghostText = await ghostTextFor(typed);
  await bench.press('Control+ArrowRight');
  const accepted = async () => (await bench.savedText()).slice((sample + typed).length);
  await expect.poll(accepted).not.toBe('');
  expect(ghostText.startsWith(await accepted())).toBe(true);
});

test('Alt+End accepts a line of the ghost text', async () => {
  const ghostText = await ghostTextFor(typed);
  await bench.press('Alt+End');
  const line = ghostText.split('\n')[0] ?? '';
  const accepted = async () => (await bench.savedText()).slice((sample + typed).length);
  await expect.poll(accepted).toSatisfy((text: string) => text.trimEnd() === line.trimEnd());
});

test('a request for suggestions brings several, and Alt+] and Alt+[ switch between them', async () => {
  await ghostTextFor(typed);
  await bench.press('Alt+Backslash');
  const seen = new Set<string>();
  const next = async () => {
    await bench.press('Alt+]');
    return seen.add(await bench.shownGhostText()).size;
  };
  await expect.poll(next).toBeGreaterThan(1);
  const second = await bench.shownGhostText();
  await bench.press('Alt+[');
  await expect.poll(() => bench.shownGhostText()).not.toBe(second);
});

test('Explain Selection writes an explanation into a page beside the editor', async () => {
  await bench.setText(sample);
  await bench.selectLines(4, 6);
  await bench.runCommand('Hearth: Explain Selection');
  const page = bench.webview();
  await page.getByText(/^\d+ tokens in [\d.]+ s/).waitFor();
  expect(await page.locator('h1').textContent()).toBe('stack.ts, lines 4–6');
  expect((await page.locator('main').textContent())?.trim()).not.toBe('');
  expect(await page.getByRole('button', { name: 'Stop' }).isVisible()).toBe(false);
  await page.getByRole('textbox').fill('Why?');
  await page.getByRole('textbox').press('Enter');
  await page.getByRole('heading', { name: 'Why?' }).waitFor();
  await page.getByRole('button', { name: 'Retry' }).waitFor();
});

test('turning off all suggestions also affects a language that was turned off and on, and leaves no mode in the settings', async () => {
  const modes = () => readFileSync(server.settingsFile, 'utf8').match(/"hearth\.mode".*/g) ?? [];
  const before = modes();
  await bench.setText(sample);
  for (const status of [/turned off for TypeScript/, /ready/]) {
    await bench.statusItem.click();
    await bench.page.locator('.quick-input-widget input.input').fill('Suggestions in');
    await bench.choose('Suggestions in TypeScript');
    await bench.statusSays(status);
  }
  await ghostTextFor(typed);
  await bench.runCommand('Hearth: Turn Suggestions On or Off');
  await bench.statusSays(/turned off/);
  await expect.poll(() => bench.shownGhostText()).toBe('');
  await bench.setText(sample);
  await bench.type(typed);
  await sleep(1000);
  expect(await bench.shownGhostText()).toBe('');
  await bench.runCommand('Hearth: Turn Suggestions On or Off');
  await bench.statusSays(/ready/);
  expect(modes()).toEqual(before);
  await ghostTextFor(typed);
});

// The first row of a section also has the section's name, which leaves less room for the description. Which model is
// recommended depends on the machine.
test('the list of models recommends one, and shows its whole description', async () => {
  await bench.runCommand('Hearth: Choose Model');
  const best = bench.page.locator('.quick-input-list .monaco-list-row[data-index="1"]', { hasText: / GB · / });
  await best.waitFor();
  expect(await bench.choosable('The Starter Model').textContent()).toMatch(/In Use$/);
  expect(await best.textContent()).toMatch(/ of memory.*Recommended$/);
  const cut = await best.evaluate((row) =>
    [...row.querySelectorAll('*')]
      .filter(
        (element) => element.scrollWidth > element.clientWidth && getComputedStyle(element).overflowX === 'hidden',
      )
      .map((element) => element.textContent),
  );
  expect(cut).toEqual([]);
  await picture('choose-model');
  await bench.press('Escape');
});

test('the charts of the statistics are drawn in High Contrast, too', async () => {
  await ghostTextFor(typed);
  await bench.press('Tab');
  // There are no charts on the first day, so yesterday gets statistics, too.
  const yesterday = join(
    server.root,
    `data/User/globalStorage/hearth.hearth/statistics/${daysBefore(new Date(), 1)}.jsonl`,
  );
  writeFileSync(yesterday, '\n{"languageId":"typescript","latencyMs":80}');
  for (const theme of ['Default Dark Modern', 'Default High Contrast', 'Default High Contrast Light']) {
    await bench.setSettings({ 'workbench.colorTheme': theme });
    await bench.runCommand('Hearth: Show Statistics');
    const bar = bench.webview().locator('svg .inner').last();
    await bar.waitFor();
    const { fill, background } = await bar.evaluate((element) => ({
      fill: getComputedStyle(element).fill,
      background: getComputedStyle(document.documentElement).getPropertyValue('--vscode-editor-background'),
    }));
    expect(luminance(fill), theme).toSatisfy((value: number) => Math.abs(value - luminance(background)) > 100);
    await picture(`statistics-${theme.replaceAll(' ', '-').toLowerCase()}`);
    await bench.press('Control+w');
  }
  await bench.setSettings({});
});

/** The brightness, from 0 to 255, of a colour given as rgb() or in hexadecimal digits. */
function luminance(color: string): number {
  const digits = /^#(..)(..)(..)/.exec(color.trim())?.slice(1) ?? [];
  const [red, green, blue] =
    digits.length > 0 ? digits.map((two) => Number.parseInt(two, 16)) : (color.match(/\d+/g) ?? []).map(Number);
  return 0.299 * (red ?? 0) + 0.587 * (green ?? 0) + 0.114 * (blue ?? 0);
}
