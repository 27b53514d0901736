import { afterEach, expect, test, vi } from 'vitest';
import { checkBuildTools, compiler, main, NotRun } from '../../scripts/tools.mjs';

afterEach(() => vi.unstubAllEnvs());

test('CXX may name a compiler with arguments, as CMake reads it', () => {
  const usual = compiler();
  vi.stubEnv('CXX', `env ${usual}`);
  expect(() => checkBuildTools()).not.toThrow();
});

test('a compiler that is missing or does not know C++20 is reported as missing', () => {
  for (const each of ['false', 'env false', 'no-such-compiler -v']) {
    vi.stubEnv('CXX', each);
    expect(() => checkBuildTools()).toThrow(/a C\+\+20 compiler/);
  }
});

test('a missing tool is reported without a stack trace', async () => {
  const error = vi.spyOn(console, 'error').mockReturnValue();
  await main(() => Promise.reject(new NotRun('needs hipcc')));
  expect(error.mock.calls).toEqual([['\nneeds hipcc']]);
  process.exitCode = undefined;
  error.mockRestore();
});
