import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { grammarOf, languageIds } from '../../language-server/syntax/grammars.ts';
// @ts-expect-error a script without types
import { copyGrammars, grammarFiles } from '../../scripts/grammars.mjs';
// @ts-expect-error a script without types
import { listedFiles } from '../../scripts/package.mjs';

const root = join(import.meta.dirname, '../..');

test('packages contain the grammars that languages use and the runtime, and no others', () => {
  const packed: string[] = listedFiles().filter((file: string) => file.startsWith('dist/grammars/'));
  expect(packed.sort()).toEqual([...grammarFiles].sort());
  const used = languageIds.map((id) => `tree-sitter-${grammarOf(id)?.name}.wasm`);
  const files: string[] = grammarFiles.map((file: string) => basename(file));
  expect(files.sort()).toEqual([...new Set([...used, 'web-tree-sitter.wasm'])].sort());
});

test('each grammar ships with its own licence', () => {
  const notices = readFileSync(join(root, 'dist/NOTICES.txt'), 'utf8');
  for (const name of ['web-tree-sitter', 'tree-sitter-python', '@tree-sitter-grammars/tree-sitter-lua'])
    expect(notices).toMatch(new RegExp(`^${name} [\\d.]+ \\(MIT\\)$`, 'm'));
});

test('the build refuses a grammar whose digest is not the listed one', () => {
  expect(() => copyGrammars({ 'tree-sitter-json/tree-sitter-json.wasm': '0'.repeat(64) })).toThrow(
    /^node_modules\/tree-sitter-json\/tree-sitter-json.wasm has the digest [0-9a-f]{64}, but .* lists 0{64}$/,
  );
});
