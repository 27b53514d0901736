// A workspace's settings, which may come from anybody, restrict what the user allows and never widen it: in a workspace
// that is trusted and in one that is not.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Editor, openingMs } from './editor.ts';
import type { Workbench } from './workbench.ts';

const user = { 'hearth.exclude': ['*.secret.ts'], '[python]': { 'hearth.mode': 'off' } };
const workspace = {
  'hearth.exclude': ['generated/**'],
  'hearth.mode': 'automatic',
  '[python]': { 'hearth.mode': 'automatic' },
  '[rust]': { 'hearth.mode': 'off' },
};
const texts = {
  'a.ts': /ready/,
  'b.secret.ts': /turned off for this file/,
  'generated/c.ts': /turned off for this file/,
  'd.py': /turned off for "python"/,
  'e.rs': /turned off for "rust"/,
  '.env': /turned off for this file, which may hold secrets/,
};

describe.each([true, false])('in a workspace whose trust is %s', (isTrusted) => {
  let editor: Editor;
  let bench: Workbench;

  beforeAll(async () => {
    const empty = Object.fromEntries(Object.keys(texts).map((name) => [name, '']));
    const files = { ...empty, '.vscode/settings.json': JSON.stringify(workspace) };
    editor = await Editor.open({ files, settings: user, isTrusted });
    ({ bench } = editor);
  }, openingMs);
  afterAll(() => editor?.close());

  test('the window says so', async () => {
    const badge = bench.page.locator('.statusbar-item', { hasText: 'Restricted Mode' });
    await bench.statusSays(/ready/, 60_000);
    if (!isTrusted) await badge.waitFor({ timeout: 20_000 });
    expect(await badge.count()).toBe(isTrusted ? 0 : 1);
  }, 90_000);

  test.each(Object.entries(texts))('%s gets what both allow', async (name, status) => {
    await bench.openFile(name);
    await bench.statusSays(status);
  });
});
