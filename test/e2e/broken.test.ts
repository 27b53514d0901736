// A damaged installation: each fault is reported once, and Hearth works again once the installation is repaired.
import { copyFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useEditor } from './editor.ts';
import { installedIn, replaceServer } from './installed.ts';

const { server, bench } = useEditor({ files: { 'a.ts': '' }, beforeWindow: damage });
let installed: string;

function damage(): void {
  installed = installedIn(server);
  renameSync(join(installed, 'hearth.node'), join(installed, 'kept.node'));
  renameSync(join(installed, 'server.js'), join(installed, 'kept.js'));
  copyFileSync(join(installed, 'kept.js'), join(installed, 'server.js'));
  writeFileSync(join(installed, 'hearth.node'), 'for another system');
}

/**
 * Waits for VS Code's message with these words, and checks that it is shown once and that the status bar has them, too.
 */
async function message(words: RegExp) {
  const shown = bench.page.locator('.notification-toast', { hasText: words });
  await shown.waitFor();
  expect(await shown.count()).toBe(1);
  await bench.statusSays(words);
  return shown;
}

test('an engine for a different system is reported, with a button that opens the log', async () => {
  const shown = await message(/hearth\.node/);
  await shown.getByRole('button', { name: 'Show Log' }).click();
  await bench.page.locator('.output-view .view-line').first().waitFor();
});

test('a server that ends immediately is started only twice', async () => {
  writeFileSync(join(installed, 'server.js'), 'process.exit(3)');
  const before = server.hearthLog().length;
  await bench.runCommand('Hearth: Restart Server');
  await message(/did not start.*exit code 3/);
  const log = server.hearthLog().slice(before);
  expect(log.match(/\[error\] The language server did not start/g)).toHaveLength(2);
});

test('a missing server is named with its path', async () => {
  rmSync(join(installed, 'server.js'));
  // VS Code shows three messages at a time; further ones wait in its list.
  await bench.runCommand('Notifications: Clear All Notifications');
  await bench.runCommand('Hearth: Restart Server');
  await message(/server\.js is missing/);
});

test('a model that is too slow for the machine is reported once, with a button to choose a smaller one', async () => {
  await replaceServer(installed, 'slow-server.ts');
  await bench.runCommand('Notifications: Clear All Notifications');
  await bench.runCommand('Hearth: Restart Server');
  await bench.statusSays(/ready/);
  await bench.editor.locator('.view-line').first().click();
  await bench.page.keyboard.type('const answerToEverything = 42;', { delay: 150 });
  const shown = bench.page.locator('.notification-toast', { hasText: 'too slow for this computer' });
  await shown.getByRole('button', { name: 'Choose a Smaller Model' }).waitFor();
  expect(await shown.count()).toBe(1);
  await bench.statusSays(/too slow for this computer/);
});

test('a repaired installation works after a restart of the server', async () => {
  renameSync(join(installed, 'kept.js'), join(installed, 'server.js'));
  renameSync(join(installed, 'kept.node'), join(installed, 'hearth.node'));
  await bench.runCommand('Hearth: Restart Server');
  await bench.statusSays(/ready/);
});
