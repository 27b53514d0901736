// The editor in which next edits are tested: its folder has a file to edit, and other files if a test gives some.
import { join } from 'node:path';
import { beforeEach } from 'vitest';
import { EditedFile } from './edited-file.ts';
import { type Editor, type EditorOptions, useEditor } from './editor.ts';

export const nextEditSettings = { 'hearth.nextEdit': 'eager', 'editor.detectIndentation': false, 'editor.tabSize': 2 };

interface NextEditEditor extends Editor {
  /** prices.ts, which is open and empty. */
  edited: EditedFile;
}

/** Call this at the top of a test file. */
export function useNextEditEditor({ files, settings, ...others }: Partial<EditorOptions> = {}): NextEditEditor {
  const editor = useEditor({
    ...others,
    files: { 'prices.ts': '', ...files },
    settings: { ...nextEditSettings, ...settings },
  });
  beforeEach(() => editor.bench.statusSays(/ready/));
  return { ...editor, edited: new EditedFile(editor.bench, join(editor.folder, 'prices.ts')) };
}
