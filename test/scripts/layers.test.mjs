// `npm run check` refuses imports that break the order of the layers.
import { expect, test } from 'vitest';
import { circles, forbiddenImports, forbiddenIncludes, importsOf } from '../../scripts/layers.mjs';

const importing = (specifier) => `import { x } from '${specifier}';\n`;

test.each([
  ['extension/connection/client.ts', '../../language-server/server/server.ts'],
  ['extension/connection/client.ts', '../../native/index.ts'],
  ['extension/connection/client.ts', '../../test/support/vscode.ts'],
  ['extension/connection/client.ts', 'vscode-languageserver'],
  ['extension/ghost-text/ghost-text.ts', '../next-edit/offered-edit.ts'],
  ['extension/connection/client.ts', '../extension.ts'],
  ['language-server/server/server.ts', 'vscode'],
  ['language-server/server/server.ts', 'vscode-languageclient/node'],
  ['language-server/server/server.ts', '../../extension/settings/config.ts'],
  ['language-server/prompt/anchors.ts', '../shape/place.ts'],
  ['language-server/shape/shape.ts', '../offers/complete.ts'],
  ['language-server/shape/shape.ts', 'vscode-languageserver'],
  ['language-server/offers/provider.ts', '../../native/addon.ts'],
  ['language-server/engine/shared-engine.ts', '../explain/explanations.ts'],
  ['native/index.ts', '../language-server/protocol/messages.ts'],
  ['language-server/elsewhere/new.ts', 'node:fs'],
])('%s may not import %s', (file, specifier) => {
  expect(forbiddenImports(new Map([[file, importing(specifier)]]))).toHaveLength(1);
});

test.each([
  ['extension/download/download.ts', '../../language-server/protocol/models.ts'],
  ['extension/connection/client.ts', 'vscode-languageclient/node'],
  ['language-server/offers/provider.ts', '../shape/shape.ts'],
  ['language-server/offers/provider.ts', '../../native/index.ts'],
  ['language-server/server/server.ts', 'vscode-languageserver/node'],
  ['language-server/shape/shape.ts', './place.ts'],
  ['native/index.ts', 'node:path'],
])('%s may import %s', (file, specifier) => {
  expect(forbiddenImports(new Map([[file, importing(specifier)]]))).toEqual([]);
});

test('every form of import counts: of types, over several lines, re-exported, dynamic, for side effects', () => {
  const text =
    "import type { A } from './a.ts';\nimport {\n  b,\n} from './b.ts';\nexport { c } from './c.ts';\nimport('./d.ts');\nimport './e.ts';\n";
  expect(importsOf('native/index.ts', text)).toEqual(['a', 'b', 'c', 'd', 'e'].map((name) => `native/${name}.ts`));
});

test('files that import each other in a circle are found', () => {
  const files = new Map([
    ['native/a.ts', importing('./b.ts')],
    ['native/b.ts', importing('./c.ts') + importing('./d.ts')],
    ['native/c.ts', importing('./a.ts')],
    ['native/d.ts', ''],
  ]);
  expect(circles(files)).toEqual([['native/a.ts', 'native/b.ts', 'native/c.ts']]);
});

test.each([
  ['native/gguf/gguf.cc', 'engine/engine.h', 1],
  ['native/common/error.cc', 'gguf/gguf.h', 1],
  ['native/elsewhere/new.cc', 'system/paths.h', 1],
  ['native/engine/engine.cc', 'gguf/gguf.h', 0],
  ['native/gguf/gguf.cc', 'gguf_part.h', 0],
  ['native/gguf/gguf.cc', 'system/paths.h', 0],
])('%s includes %s: %i problems', (file, header, n) => {
  expect(forbiddenIncludes(new Map([[file, `#include "${header}"\n`]]))).toHaveLength(n);
});
