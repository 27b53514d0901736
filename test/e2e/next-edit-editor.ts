// The editor in which next edits are tested: a folder with a file that is edited, and with whatever else is given.
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { CodeServer } from './code-server.ts';
import { EditedFile } from './edited-file.ts';
import { Editor, openingMs } from './editor.ts';
import type { Workbench } from './workbench.ts';

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
  let editor: Editor | undefined;
  const opened = () => {
    if (!editor) throw new Error('the editor is not open yet');
    const { folder, server, bench } = editor;
    return { folder, server, bench, edited: new EditedFile(bench, join(folder, 'prices.ts')) };
  };

  beforeAll(async () => {
    editor = await Editor.open({ files: { 'prices.ts': '', ...files }, extensions, settings: all });
  }, openingMs);
  afterAll(() => editor?.close());

  beforeEach(() => opened().bench.statusSays(/ready/, 60_000), 90_000);
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await opened().bench.afterFailure(task.name, all);
  }, 90_000);

  return opened;
}
