import { expect, test } from 'vitest';
import { BenchError } from '../../../lab/bench/bench-error.ts';
import { parse, usage } from '../../../lab/bench/options.ts';

test('the error for an unknown option names it, and the usage follows', () => {
  expect(() => parse(['--fast'])).toThrow(BenchError);
  expect(() => parse(['--fast'])).toThrow(/'--fast'.*npm run bench -- --goals/s);
  expect(() => parse(['model.gguf'])).toThrow(/model\.gguf/);
});

test('the usage names every option, and --help prints it', () => {
  expect(parse(['--help'])).toBeNull();
  const options = Object.keys(parse([]) ?? {}).length;
  expect(options).toBeGreaterThan(10);
  const names =
    'goals quick models only depths variant threads llama-kernels repeat patience engines before ik-llama-bench';
  for (const name of names.split(' ')) expect(usage).toContain(`--${name}`);
});

test('a number below the minimum of its option is refused', () => {
  expect(() => parse(['--repeat', '0'])).toThrow('--repeat must be a whole number of at least 1, not "0"');
  expect(() => parse(['--threads', '0'])).toThrow('--threads must be');
  expect(() => parse(['--depths', 'deep'])).toThrow('--depths must be a whole number of at least 0, not "deep"');
  expect(parse(['--patience', '0'])?.patience).toBe(0);
});
