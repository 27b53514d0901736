// The cases in test/fixtures/cross-file. Each has a few files, a cursor ("$0") in one of them, and the text with which
// a completion there should begin. Only the other files have the name in that text.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LongText } from '../../language-server/documents/long-text.ts';
import { languageIdOf } from '../../language-server/prompt/document-path.ts';
import type { CursorDocument } from '../../language-server/prompt/text-window.ts';

export interface CaseFile {
  uri: string;
  path: string;
  languageId: string;
  text: string;
}

export interface CrossFileCase {
  name: string;
  wanted: string;
  document: CursorDocument;
  /** All files, open in an editor. */
  files: CaseFile[];
}

export const workspaceUri = 'file:///workspace';

export function readCrossFileCases(folder: string): CrossFileCase[] {
  return readdirSync(folder)
    .toSorted()
    .map((name) => parseCase(name.replace(/\.txt$/, ''), readFileSync(join(folder, name), 'utf8')));
}

/** Format: "=== wanted" and the text, then "=== PATH" and the text of each file. */
function parseCase(name: string, text: string): CrossFileCase {
  const [, wanted = '', ...parts] = text.split(/^=== .*\n/m);
  const paths = [...text.matchAll(/^=== (.*)$/gm)].slice(1).map(([, path = '']) => path);
  const marked = parts.findIndex((part) => part.includes('$0'));
  if (marked === -1) throw new Error(`${name}: no file has $0`);
  const offset = parts[marked]?.indexOf('$0') ?? 0;
  const files = paths.map((path, i) => ({
    uri: `${workspaceUri}/${path}`,
    path,
    languageId: languageIdOf(path),
    text: (parts[i] ?? '').replace('$0', ''),
  }));
  const own = files[marked];
  if (!own) throw new Error(`${name}: the cursor is in no file`);
  return { name, wanted: wanted.trim(), document: { ...own, text: LongText.of(own.text), offset }, files };
}
