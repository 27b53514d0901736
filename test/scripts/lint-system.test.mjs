import { expect, test } from 'vitest';
import { systemDifferences } from '../../scripts/lint-system.mjs';

test('code outside of system/ that depends on the operating system is found', () => {
  const text = [
    '#ifdef __x86_64__',
    '#include <sys/mman.h>',
    '#if defined(__clang__) && defined(__APPLE__)',
    '#  ifdef _WIN32',
    '#include <windows.h>',
    '#include <cstdio>',
    '// __linux__ in a comment',
  ].join('\n');
  const found = systemDifferences('native/engine/engine.cc', text);
  expect(found.map((each) => each.split(' ')[0])).toEqual(
    [2, 3, 4, 5].map((line) => `native/engine/engine.cc:${line}:`),
  );
  expect(found[0]).toBe('native/engine/engine.cc:2: sys/ differs between systems and belongs to system/');
  expect(systemDifferences('system/posix/memory.cc', text)).toEqual([]);
});

test('code outside of protocol/system.ts that reads the platform is found', () => {
  const text = "const path = join(process.platform, 'x');\nif (process.platform === 'win32') return;\n";
  expect(systemDifferences('extension/status/menu.ts', text)).toEqual([
    'extension/status/menu.ts:2: process.platform differs between systems and belongs to language-server/protocol/system.ts',
  ]);
  expect(systemDifferences('language-server/protocol/system.ts', text)).toEqual([]);
});
