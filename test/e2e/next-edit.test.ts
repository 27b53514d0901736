// Next edits in a real VS Code, with the keyboard alone and the starter model.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { cart, prices } from '../fixtures/shop.ts';
import { farApart } from './edited-file.ts';
import { useNextEditEditor } from './next-edit-editor.ts';

const { server, bench, edited, folder } = useNextEditEditor({ files: { 'cart.ts': cart } });

/** Takes a picture, only on request: one for README.md, and others to check by eye. */
async function picture(name: string, path = `build/e2e/${name}.png`, height = 330): Promise<void> {
  if (!process.env.HEARTH_PICTURES) return;
  await bench.page.mouse.move(700, 450); // away from anything with a tooltip
  await sleep(300);
  await bench.page.screenshot({ path, clip: { x: 52, y: 36, width: 984, height } });
}

/** The visible state: the drawn edits and the cursor's position. */
async function seen(): Promise<string> {
  return JSON.stringify([await edited.drawn(), await edited.cursor()]);
}

test('Tab alone completes a rename at seven places in two files', async () => {
  await bench.openFile('cart.ts');
  await bench.openFile('prices.ts');
  await edited.start(prices);
  await edited.rename('baseRate', 'vatRate');
  await edited.offered();
  await picture('next-edit-rename');
  const isOver = () => !/^.*: edit-offered;/.test(server.hearthLog().split('next edit at ').at(-1) ?? '');
  for (let keys = 0; !isOver(); keys++) {
    const before = await seen();
    await bench.press('Tab');
    await expect.poll(seen).not.toBe(before);
    await expect.poll(async () => isOver() || (await edited.drawn()).length > 0).toBe(true);
    await picture(`next-edit-rename-${keys}`);
  }
  await bench.runCommand('File: Save All');
  const saved = (name: string) => readFileSync(join(folder, name), 'utf8');
  await expect.poll(() => saved('prices.ts')).toBe(prices.replaceAll('baseRate', 'vatRate'));
  await expect.poll(() => saved('cart.ts')).toBe(cart.replaceAll('baseRate', 'vatRate'));
  await bench.openFile('prices.ts');
});

test('the example in README.md works: paste, a rename a moment later, Tab, and an undo', async () => {
  const [, text = ''] = /^```ts\n(.*?)^```$/ms.exec(readFileSync('README.md', 'utf8')) ?? [];
  await bench.setText(text);
  await sleep(500);
  await edited.goTo('sum');
  await bench.press('Control+Shift+ArrowRight');
  await bench.type('net');
  await expect.poll(() => edited.drawn()).toEqual(['net']);
  await picture('next-edit-readme', 'media/next-edit.png', 206);
  await bench.press('Tab');
  await expect.poll(() => bench.savedText()).toBe(text.replaceAll('sum', 'net'));
  await bench.press('Control+z');
  await expect.poll(() => bench.savedText()).toBe(text.replace('sum', 'net'));
});

test('all uses of a local variable are drawn, one Tab renames them, and one undo reverts that; a namesake in another function stays', async () => {
  const adding = (name: string) =>
    `function ${name}(items) {\n  let sum = 0;\n  for (const item of items) {\n    sum += item.price;\n  }\n  return sum;\n}\n`;
  const text = adding('total') + adding('average');
  await edited.start(text);
  await edited.rename('sum', 'subtotal');
  await expect.poll(() => edited.drawn()).toEqual(['subtotal']);
  await picture('next-edit-everywhere');
  await bench.press('Tab');
  const renamed = adding('total').replaceAll('sum', 'subtotal') + adding('average');
  await expect.poll(() => bench.savedText()).toBe(renamed);
  await sleep(1500);
  expect(await edited.drawn()).toEqual([]);
  await bench.press('Control+z');
  await expect.poll(() => bench.savedText()).toBe(text.replace('sum', 'subtotal'));
});

test('for an edit out of sight there is a hint at the cursor; Tab goes to the edit, and Tab again applies it', async () => {
  await edited.start(farApart('amount'));
  await edited.rename('amount', 'quantity');
  await expect.poll(() => edited.drawn()).toEqual(['⇥ line 59: amount → quantity']);
  await picture('next-edit-hint');
  await bench.press('Tab');
  await expect.poll(() => edited.cursor()).toBe('Ln 59, Col 13');
  await expect.poll(() => edited.drawn()).toEqual(['quantity']);
  await picture('next-edit-jumped');
  await expect.poll(() => bench.savedText()).toBe(farApart('amount').replace('amount', 'quantity'));
  await bench.press('Tab');
  await expect.poll(() => bench.savedText()).toBe(farApart('quantity'));
  await expect.poll(() => edited.cursor()).toBe('Ln 59, Col 21');
});

test('one undo reverts one edit, and no edit is offered after an undo', async () => {
  await edited.start(farApart('width'));
  await edited.rename('width', 'height');
  await edited.offered();
  await bench.press('Tab');
  await expect.poll(() => edited.drawn()).toEqual(['height']);
  await bench.press('Tab');
  await expect.poll(() => bench.savedText()).toBe(farApart('height'));
  await bench.press('Control+z');
  await expect.poll(() => bench.savedText()).toBe(farApart('width').replace('width', 'height'));
  await sleep(2000);
  expect(await edited.drawn()).toEqual([]);
});

test('one Esc dismisses an edit, which does not come back at that place', async () => {
  await edited.start(farApart('first'));
  await edited.rename('first', 'second');
  await expect.poll(() => edited.drawn()).toEqual(['⇥ line 59: first → second']);
  await bench.press('Escape');
  await expect.poll(() => edited.drawn()).toEqual([]);
  await bench.press('ArrowDown', 'ArrowDown', 'ArrowDown', 'End');
  const answers = () => server.hearthLog().split('next edit at prices.ts:4:').length;
  const before = answers();
  await bench.type(' ');
  await expect.poll(answers).toBeGreaterThan(before);
  await sleep(500);
  expect(await edited.drawn()).toEqual([]);
  expect(await bench.savedText()).toContain('console.log(first);');
});

test('Tab indents in leading white space, but Alt+Enter goes to the edit from anywhere', async () => {
  await edited.start(farApart('count'));
  await edited.rename('count', 'number');
  await edited.offered();
  await bench.press('ArrowDown', 'Tab');
  await expect
    .poll(() => bench.savedText())
    .toBe(farApart('count').replace('count', 'number').replace('\n\n', '\n  \n'));
  await expect.poll(() => edited.drawn()).toEqual(['⇥ line 59: count → number']);
  await bench.press('Alt+Enter');
  await expect.poll(() => edited.cursor()).toBe('Ln 59, Col 13');
  await bench.press('Alt+Enter');
  await expect.poll(() => bench.savedText()).toContain('console.log(number);');
});

test('while the list of suggestions is open, Tab accepts its entry', async () => {
  await edited.start(farApart('speed'));
  await edited.rename('speed', 'velocity');
  await edited.offered();
  await bench.press('ArrowDown');
  await bench.type('velo');
  await bench.press('Control+Space');
  await bench.page.locator('.suggest-widget.visible .monaco-list-row').first().waitFor();
  await picture('next-edit-list');
  await bench.press('Tab');
  await expect.poll(() => bench.savedText()).toContain('velocity\nstep0');
  expect(await bench.savedText()).toContain('console.log(speed);');
  await expect.poll(() => edited.drawn()).toEqual(['⇥ line 59: speed → velocity']);
});

test('with a selection, Tab indents the lines', async () => {
  await edited.start(farApart('red'));
  await edited.rename('red', 'blue');
  await edited.offered();
  await bench.press('Shift+ArrowDown', 'Shift+ArrowDown', 'Tab');
  await expect.poll(() => bench.savedText()).toMatch(/^ {2}let blue = 1;\n/);
  expect(await bench.savedText()).toContain('console.log(red);');
});

test('after a parameter is added and passed in one call, passing it in the other call is offered; at the cursor, it is ghost text', async () => {
  const text = farApart('unused').replace('console.log(unused);', 'send(message);');
  await edited.start(text.replace('let unused = 1;', 'function send(message) {}\n\nsend(message);'));
  for (const before of ['send(message', '\nsend(message']) {
    await edited.goTo(before);
    for (let i = 0; i < before.length; i++) await bench.press('ArrowRight');
    await bench.type(', retries');
  }
  await edited.offered();
  await picture('next-edit-parameter');
  await bench.press('Tab');
  await expect.poll(() => bench.shownGhostText()).toBe(', retries');
  await picture('next-edit-ghost-text');
  await bench.press('Tab');
  await expect.poll(async () => (await bench.savedText()).match(/send\(message, retries\)/g)).toHaveLength(3);
});
