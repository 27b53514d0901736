// A next edit that only inserts lines is ghost text once the user has gone there. A scripted server offers it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test, vi } from 'vitest';
import type { NextEdit } from '../../language-server/protocol/next-edit.ts';
import { type EditedFile, farApart } from './edited-file.ts';
import { installedIn, replaceServer } from './installed.ts';
import { nextEditEditor, nextEditSettings } from './next-edit-editor.ts';
import type { Workbench } from './workbench.ts';

const own = { 'editor.autoIndent': 'none', 'editor.autoClosingBrackets': 'never' };
const settings = { ...nextEditSettings, ...own };
const editor = nextEditEditor({ settings: own });
let bench: Workbench;
let edited: EditedFile;
let script: string;

beforeAll(async () => {
  const { server } = editor();
  ({ bench, edited } = editor());
  const installed = installedIn(server);
  script = join(installed, 'next-edit.json');
  await replaceServer(installed, 'scripted-server.ts');
  await vi.waitFor(async () => expect(await bench.statusLabel()).toMatch(/ready/), 60_000);
  await bench.runCommand('Hearth: Restart Server');
}, 150_000);

/** With an empty line, the 41st, above "step38();". */
const text = farApart('count').replace('step38', '\nstep38');
const added = 'open(b);\nread(b);';
const withLine = (line: string) => text.replace('\n\nstep38', `\n${line}\nstep38`);
const whole = withLine(added);

/** Behind what is in a line, counted from 0. */
function insertion(line: number, before: string, inserted: string): Omit<NextEdit, 'uri' | 'version'> {
  const end = { line, character: before.length };
  return {
    range: { start: { line, character: 0 }, end },
    ...{ oldText: before, newText: before + inserted, probability: 0.9 },
    changes: [{ range: { start: end, end }, text: inserted }],
  };
}

/** The answer to the next question. */
function writeScript(edit: Omit<NextEdit, 'uri' | 'version'>): void {
  writeFileSync(script, JSON.stringify(edit));
}

/** The insertion is offered, as one that is out of sight. */
async function offer(line: number, before: string, inserted: string): Promise<void> {
  await edited.start(text);
  writeScript(insertion(line, before, inserted));
  await bench.press('Control+Home', 'End');
  await bench.type(' ');
  await edited.offered();
}

/** The user goes to the insertion, and sees it. */
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

test('accepted word by word, and by Tab in the second line', async () => {
  await goTo(40, '', added);
  await picture('offered');
  for (let words = 0; words < 3; words++) {
    await bench.press('Control+ArrowRight');
    await sleep(400);
    await picture(`word-${words}`);
  }
  while (!(await bench.shownGhostText()).startsWith('read')) {
    await bench.press('Control+ArrowRight');
    await sleep(400);
  }
  await picture('words-in-second-line');
  await bench.press('Tab');
  await expect.poll(saved).toBe(whole);
});

test('typed up to the second line, and the other key inserts the rest', async () => {
  await goTo(39, 'step37();', '\nopen(b);\nread(b);');
  await bench.press('Enter');
  await bench.type('open(b);');
  await bench.press('Enter');
  await picture('typed');
  await expect.poll(() => bench.shownGhostText()).toBe('read(b);');
  await bench.press('Alt+Enter');
  await expect.poll(saved).toBe(text.replace('step37();', `step37();\n${added}`));
});

test('several lines that come before other text are drawn, since VS Code shows no ghost text there', async () => {
  await offer(41, '', `${added}\n`);
  await bench.press('Tab');
  await expect.poll(() => edited.drawn()).toEqual(['open(b); +1 line ⏎ ']);
  await picture('drawn');
  expect(await bench.shownGhostText()).toBe('');
  await bench.press('Tab');
  await expect.poll(saved).toBe(text.replace('step38', `${added}\nstep38`));
});

test('one Esc dismisses it, and Tab is Tab again', async () => {
  await goTo(40, '', added);
  await bench.press('Escape');
  await expect.poll(() => bench.shownGhostText()).toBe('');
  await sleep(500);
  await picture('dismissed');
  await bench.press('Tab');
  await expect.poll(saved).toBe(withLine('  '));
});

test('Tab accepts one that begins with more white space than Tab would insert', async () => {
  await goTo(40, '', '    open(b);');
  await picture('indented');
  await bench.press('Tab');
  await expect.poll(saved).toBe(withLine('    open(b);'));
});

test('one undo takes it back', async () => {
  await goTo(40, '', added);
  await bench.press('Tab');
  await expect.poll(saved).toBe(whole);
  await bench.press('Control+z');
  await expect.poll(saved).toBe(text);
  await picture('undone');
});

const unwanting = [
  { 'hearth.mode': 'manual' },
  { '[typescript]': { 'hearth.mode': 'off' } },
  { 'hearth.exclude': ['*.ts'] },
];
test.each(unwanting)('with %j no edit is offered any more', async (setting) => {
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
