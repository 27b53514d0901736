// A next edit that only inserts lines becomes ghost text once the user has gone to its place. A scripted server offers
// such edits.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { farApart } from './edited-file.ts';
import { installedIn, replaceServer } from './installed.ts';
import { nextEditSettings, useNextEditEditor } from './next-edit-editor.ts';
import type { Script } from './scripted-server.ts';

const own = { 'editor.autoIndent': 'none', 'editor.autoClosingBrackets': 'never' };
const settings = { ...nextEditSettings, ...own };
const { server, bench, edited } = useNextEditEditor({
  settings: own,
  beforeWindow: () => replaceServer(installedIn(server), 'scripted-server.ts'),
});

/** The text with an empty line, the 41st, above "step38();". */
const text = farApart('count').replace('step38', '\nstep38');
const added = 'open(b);\nread(b);';
const withLine = (line: string) => text.replace('\n\nstep38', `\n${line}\nstep38`);
const whole = withLine(added);

/** An edit that inserts text at the end of a line. line: counted from 0. before: the line's text. */
function insertion(line: number, before: string, inserted: string): Script['edit'] {
  const end = { line, character: before.length };
  return {
    range: { start: { line, character: 0 }, end },
    ...{ oldText: before, newText: before + inserted, probability: 0.9 },
    changes: [{ range: { start: end, end }, text: inserted }],
  };
}

/** Types a space at the end of the first line, so that the server offers the insertion. */
async function provoke(line: number, before: string, inserted: string): Promise<void> {
  await edited.start(text);
  const script: Script = {
    position: { line: 0, character: text.indexOf('\n') + 1 },
    edit: insertion(line, before, inserted),
  };
  writeFileSync(join(installedIn(server), 'next-edit.json'), JSON.stringify(script));
  await bench.press('Control+Home', 'End');
  await bench.type(' ');
}

/** Provokes an insertion that is out of sight, and waits until it is offered. */
async function offer(line: number, before: string, inserted: string): Promise<void> {
  await provoke(line, before, inserted);
  await edited.offered();
}

/** Goes to the insertion and waits until it is shown. */
async function goTo(line: number, before: string, inserted: string): Promise<void> {
  await offer(line, before, inserted);
  await bench.press('Tab');
  await expect.poll(() => bench.shownGhostText()).toContain('open(b);');
}

const saved = async () => (await bench.savedText()).replace('= 1; \n', '= 1;\n');

async function picture(name: string): Promise<void> {
  if (!process.env.HEARTH_PICTURES) return;
  await sleep(300);
  await bench.page.screenshot({ path: `build/e2e/insertion-${name}.png` });
}

test('an insertion can be accepted word by word, and then with Tab in the second line', async () => {
  await goTo(40, '', added);
  await picture('offered');
  for (let shown = added; !shown.startsWith('read'); shown = await bench.shownGhostText()) {
    await bench.press('Control+ArrowRight');
    await expect.poll(() => bench.shownGhostText()).toSatisfy((now) => now !== '' && now !== shown);
  }
  await picture('words-in-second-line');
  await bench.press('Tab');
  await expect.poll(saved).toBe(whole);
});

test('an insertion can be typed up to its second line, and Alt+Enter inserts the rest', async () => {
  await goTo(39, 'step37();', '\nopen(b);\nread(b);');
  await bench.press('Enter');
  await bench.type('open(b);');
  await bench.press('Enter');
  await picture('typed');
  await expect.poll(() => bench.shownGhostText()).toBe('read(b);');
  await bench.press('Alt+Enter');
  await expect.poll(saved).toBe(text.replace('step37();', `step37();\n${added}`));
});

test('text that an edit inserts at the cursor is shown as ghost text, without a Tab to go there', async () => {
  const first = text.slice(0, text.indexOf('\n'));
  await provoke(0, `${first} `, '// changed');
  await expect.poll(() => bench.shownGhostText()).toBe('// changed');
  await picture('at-cursor');
  await bench.press('Tab');
  await expect.poll(() => bench.savedText()).toBe(text.replace(first, `${first} // changed`));
});

test('several inserted lines before other text are drawn, since VS Code shows no ghost text there', async () => {
  await offer(41, '', `${added}\n`);
  await bench.press('Tab');
  await expect.poll(() => edited.drawn()).toEqual(['open(b); +1 line ⏎ ']);
  await picture('drawn');
  expect(await bench.shownGhostText()).toBe('');
  await bench.press('Tab');
  await expect.poll(saved).toBe(text.replace('step38', `${added}\nstep38`));
});

test('one Esc dismisses an insertion, and then Tab indents again', async () => {
  await goTo(40, '', added);
  await bench.press('Escape');
  await expect.poll(() => bench.shownGhostText()).toBe('');
  await picture('dismissed');
  await bench.press('Tab');
  await expect.poll(saved).toBe(withLine('  '));
});

test('Tab accepts an insertion that begins with more white space than Tab would insert', async () => {
  await goTo(40, '', '    open(b);');
  await picture('indented');
  await bench.press('Tab');
  await expect.poll(saved).toBe(withLine('    open(b);'));
});

test('one undo reverts an insertion', async () => {
  await goTo(40, '', added);
  await bench.press('Tab');
  await expect.poll(saved).toBe(whole);
  await bench.press('Control+z');
  await expect.poll(saved).toBe(text);
  await picture('undone');
});

const settingsAgainstEdits = [
  { 'hearth.mode': 'manual' },
  { '[typescript]': { 'hearth.mode': 'off' } },
  { 'hearth.exclude': ['*.ts'] },
];
test.each(settingsAgainstEdits)('with %j no more edits are offered', async (setting) => {
  await offer(40, '', added);
  await bench.setSettings({ ...settings, ...setting });
  await expect.poll(() => edited.drawn()).toEqual([]);
  await bench.press('Tab');
  await sleep(500);
  expect(await edited.cursor()).toMatch(/^Ln 1,/);
  await bench.setSettings(settings);
});

test('while suggestions are snoozed, no edit is offered', async () => {
  await offer(40, '', added);
  await bench.runCommand('Hearth: Snooze Suggestions');
  await bench.choose('5 minutes');
  await expect.poll(() => edited.drawn()).toEqual([]);
});
