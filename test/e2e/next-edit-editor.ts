// The editor in which next edits are tested: a folder with a file that is edited, and with whatever else is given.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, inject } from 'vitest';
import { launchBrowser } from './browser.ts';
import { type CodeServer, startCodeServer } from './code-server.ts';
import { EditedFile } from './edited-file.ts';
import { Workbench } from './workbench.ts';

export const nextEditSettings = { 'hearth.nextEdit': 'eager', 'editor.detectIndentation': false, 'editor.tabSize': 2 };

export interface NextEditEditor {
  folder: string;
  server: CodeServer;
  bench: Workbench;
  /** prices.ts, which is open and empty. */
  edited: EditedFile;
}

interface Options {
  settings?: Record<string, unknown>;
  extensions?: string[];
  /** Name -> text. */
  files?: Record<string, string>;
}

/** Call at the top of a file of tests. What is returned has the editor while a test runs. */
export function nextEditEditor({ settings = {}, extensions = [], files = {} }: Options = {}): () => NextEditEditor {
  const all = { ...nextEditSettings, ...settings };
  const temporary = mkdtempSync(join(tmpdir(), 'hearth-e2e-'));
  const folder = join(temporary, 'shop');
  const file = join(folder, 'prices.ts');
  let browser: Browser | undefined;
  let editor: NextEditEditor | undefined;
  const opened = () => {
    if (!editor) throw new Error('the editor is not open yet');
    return editor;
  };

  beforeAll(async () => {
    mkdirSync(folder);
    for (const [name, text] of Object.entries({ 'prices.ts': '', ...files })) writeFileSync(join(folder, name), text);
    const server = await startCodeServer({ vsix: [inject('vsix'), ...extensions], settings: all });
    browser = await launchBrowser();
    const bench = await Workbench.open(browser, server, folder, file);
    editor = { folder, server, bench, edited: new EditedFile(bench, file) };
  }, 150_000);

  afterAll(async () => {
    await browser?.close();
    await editor?.server.stop();
    rmSync(temporary, { recursive: true, force: true });
  });

  beforeEach(() => opened().bench.statusSays(/ready/, 60_000), 90_000);
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await opened().bench.afterFailure(task.name, all);
  }, 90_000);

  return opened;
}
