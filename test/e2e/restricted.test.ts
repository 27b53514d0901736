// A workspace's settings might come from anybody. Whether the workspace is trusted or not, they can take away
// permissions of the user's settings, but never add any.
import { describe, expect, test } from 'vitest';
import { useEditor } from './editor.ts';

const user = { 'hearth.exclude': ['*.secret.ts'], '[python]': { 'hearth.mode': 'off' } };
const workspace = {
  'hearth.exclude': ['generated/**'],
  'hearth.mode': 'automatic',
  '[python]': { 'hearth.mode': 'automatic' },
  '[rust]': { 'hearth.mode': 'off' },
};
const statusByFile = {
  'a.ts': /ready/,
  'b.secret.ts': /turned off for this file/,
  'generated/c.ts': /turned off for this file/,
  'd.py': /turned off for Python/,
  'e.rs': /turned off for Rust/,
  '.env': /turned off for this file, which may hold secrets/,
};

describe.each([
  ['trusted', true],
  ['not trusted', false],
])('in a workspace that is %s', (_, isTrusted) => {
  const empty = Object.fromEntries(Object.keys(statusByFile).map((name) => [name, '']));
  const files = { ...empty, '.vscode/settings.json': JSON.stringify(workspace) };
  const { bench } = useEditor({ files, settings: user, isTrusted });

  test('the window says whether the workspace is trusted', async () => {
    const badge = bench.page.locator('.statusbar-item', { hasText: 'Restricted Mode' });
    await bench.statusSays(/ready/);
    if (!isTrusted) await badge.waitFor();
    expect(await badge.count()).toBe(isTrusted ? 0 : 1);
  });

  test.each(Object.entries(statusByFile))(
    '%s gets what both the user and the workspace allow',
    async (name, status) => {
      await bench.openFile(name);
      await bench.statusSays(status);
    },
  );
});
