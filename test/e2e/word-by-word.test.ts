// A suggestion is accepted word by word before a closing quote that the editor has inserted.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useEditor } from './editor.ts';
import { installedIn, replaceServer } from './installed.ts';

const { server, bench } = useEditor({
  files: { 'labels.py': '' },
  beforeWindow: () => replaceServer(installedIn(server), 'answering-server.ts'),
});

const before = 'LABELS = {\n    "ok": "All is fine",\n    "ng": ';
const after = '\n}\n';

test('a comma shown after the closing quote stays until it is accepted', async () => {
  await bench.statusSays(/ready/);
  await bench.setText(before + after);
  await bench.press('Control+Home', 'ArrowDown', 'ArrowDown', 'End');
  const answer = join(installedIn(server), 'answer.txt');
  writeFileSync(answer, 'Something failed",\n');
  await bench.type('"');
  await expect.poll(() => bench.shownGhostText()).toBe('Something failed,');
  rmSync(answer); // from now on, the model writes nothing, so only the rest of this suggestion can be shown
  const left = [' failed,', 'failed,', ','];
  for (const [i, typed] of ['"Something"', '"Something "', '"Something failed"'].entries()) {
    await bench.press('Control+ArrowRight');
    await expect.poll(() => bench.savedText()).toBe(before + typed + after);
    await expect.poll(() => bench.shownGhostText()).toBe(left[i]);
  }
  // This key makes VS Code step over the quote, and the next one over the comma.
  await bench.press('Control+ArrowRight');
  await expect.poll(() => server.hearthLog()).toMatch(/completion at labels\.py:3:29: typed-along/);
  await expect.poll(() => bench.shownGhostText()).toBe(',');
  await bench.press('Control+ArrowRight');
  await expect.poll(() => bench.savedText()).toBe(`${before}"Something failed",${after}`);
});
