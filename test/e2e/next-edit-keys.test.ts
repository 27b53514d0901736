// What Tab, Esc and a screen reader do while an edit is offered and something else is active: a snippet, an input
// method, several cursors, another mode of Vim.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { farApart } from './edited-file.ts';
import { useNextEditEditor } from './next-edit-editor.ts';
import { packed } from './packed.ts';

const { server, bench, edited } = useNextEditEditor({
  settings: { 'editor.accessibilitySupport': 'on' },
  extensions: [packed('vim')],
});

/** Renames a name at the top of a text, and waits until its use at the bottom is offered as an edit. */
async function offer(old: string, now: string): Promise<void> {
  await edited.start(farApart(old));
  await edited.rename(old, now);
  await edited.offered();
}

test('one Tab renames all uses of a name, even if a loop before them uses it as its bound', async () => {
  const loop = 'let top = 9;\n\nfor (let i = 0; i < top; i++) {\n  console.log(i);\n}\nconsole.log(top);\n';
  const text = `${loop}${Array.from({ length: 20 }, (_, i) => `step${i}(top);\n`).join('')}`;
  await edited.start(text);
  await edited.rename('top', 'most');
  await edited.offered();
  await bench.press('Tab');
  await expect.poll(() => bench.savedText()).toBe(text.replaceAll('top', 'most'));
});

test('a screen reader is told where the edit is and what it changes', async () => {
  await offer('amount', 'quantity');
  const notice = bench.page.locator('.notifications-toasts .notification-list-item-message', { hasText: 'quantity' });
  await notice.waitFor();
  expect(await notice.textContent()).toMatch(/line 59.*amount.*quantity/);
});

test("in a snippet, Tab goes to the snippet's next place", async () => {
  await offer('width', 'height');
  await bench.press('ArrowDown');
  await bench.runCommand('Snippets: Insert Snippet');
  await bench.page.locator('.quick-input-widget input.input').fill('Switch Statement');
  await bench.choose('Switch Statement');
  await expect.poll(() => bench.page.locator('.snippet-placeholder').count()).toBeGreaterThan(0);
  await bench.type('ready');
  await bench.press('Tab');
  await bench.type('go');
  await expect.poll(() => bench.savedText()).toMatch(/switch \(ready\) \{\s+case go:/);
  expect(await bench.savedText()).toContain('console.log(width);');
  await bench.press('Escape');
});

test('nothing is lost when an edit is offered while an input method composes', async () => {
  await offer('speed', 'velocity');
  await bench.press('ArrowDown');
  const input = await bench.page.context().newCDPSession(bench.page);
  await input.send('Input.imeSetComposition', { text: 'に', selectionStart: 1, selectionEnd: 1 });
  await sleep(1500);
  await input.send('Input.imeSetComposition', { text: 'にほ', selectionStart: 2, selectionEnd: 2 });
  await input.send('Input.insertText', { text: '日本' });
  await expect.poll(() => bench.savedText()).toMatch(/^let velocity = 1;\n日本\n/);
  expect(await bench.savedText()).toContain('console.log(speed);');
});

test('with several cursors, Tab acts at all of them, and no edit is requested', async () => {
  await offer('count', 'number');
  await bench.press('ArrowDown', 'ArrowDown', 'End');
  await bench.runCommand('Add Cursor Below');
  const asked = async () => (await server.settledLog()).split('next edit at').length;
  const before = await asked();
  await bench.press('Tab');
  await expect.poll(() => bench.savedText()).toMatch(/step0\(\);\s+\nstep1\(\);\s+\n/);
  await bench.press('x');
  expect(await asked()).toBe(before);
  expect(await bench.savedText()).toContain('console.log(count);');
  await bench.press('Escape');
});

test("in Vim's normal mode neither Esc nor Tab affects the edit, but in insert mode Tab goes to it", async () => {
  await bench.runCommand('Vim Test: Normal');
  await offer('first', 'second');
  await bench.press('Escape');
  await sleep(500);
  expect(await edited.drawn()).not.toEqual([]);
  await bench.press('Home', 'End', 'Tab');
  await sleep(500);
  expect(await edited.cursor()).toMatch(/^Ln 1,/);
  await bench.runCommand('Vim Test: Insert');
  await offer('third', 'fourth');
  await bench.press('Tab');
  await expect.poll(() => edited.cursor()).toBe('Ln 59, Col 13');
  await bench.runCommand('Vim Test: Off');
});
