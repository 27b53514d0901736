import { afterEach, expect, test, vi } from 'vitest';
import { checkBuildTools, compiler } from '../../scripts/tools.mjs';

afterEach(() => vi.unstubAllEnvs());

test('CXX may name a compiler with arguments, as CMake reads it', () => {
  const usual = compiler();
  vi.stubEnv('CXX', `env ${usual}`);
  expect(() => checkBuildTools()).not.toThrow();
});

test('a compiler that does not know C++20, or is not there, is named as missing', () => {
  for (const each of ['false', 'env false', 'no-such-compiler -v']) {
    vi.stubEnv('CXX', each);
    expect(() => checkBuildTools()).toThrow(/a C\+\+20 compiler/);
  }
});
