import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { Workspaces } from '../../../lab/tools/closed-files.ts';
import { LongText } from '../../../language-server/documents/long-text.ts';
import { FakeEngine } from '../../fixtures/fake-engine.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-workspaces-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a case belongs to the workspace that has its text, not to one with a file at the same path', async () => {
  for (const name of ['one', 'two']) {
    mkdirSync(join(folder, name, 'src'), { recursive: true });
    writeFileSync(join(folder, name, 'src/a.ts'), `const ${name} = 1;\r\nuse(${name});\r\n`);
  }
  const found = async (before: string, path = 'src/a.ts') => {
    const at = { uri: path, languageId: 'typescript', text: LongText.of(`${before});\n`), offset: before.length };
    return (await new Workspaces(folder).anchorsFor(new FakeEngine(), at))?.document.uri;
  };
  expect(await found('const two = 1;\nuse(')).toBe(pathToFileURL(join(folder, 'two/src/a.ts')).href);
  expect(await found('const one = 1;\nuse(')).toBe(pathToFileURL(join(folder, 'one/src/a.ts')).href);
  expect(await found('const three = 1;\nuse(')).toBeUndefined();
  expect(await found('const one', 'src')).toBeUndefined();
});
