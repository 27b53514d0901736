// The binding itself, in a process of its own.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const addon = join(import.meta.dirname, '../../dist/hearth.node');
const model = join(import.meta.dirname, '../fixtures/reference/tiny-mixed.gguf');

test('a process ends after a request whose values cannot be read', () => {
  const script = `
    const { load } = require(${JSON.stringify(addon)});
    const options = {
      modelPath: ${JSON.stringify(model)}, backend: 'cpu', gpuKernels: '', threads: 1, variant: '', cacheBytes: 0,
      kvType: 'f16', contextTokens: 0, draftModelPath: '', diskFolder: '', diskBytes: 0,
    };
    const unreadable = { valueOf() { throw new Error('unreadable'); } };
    load(options, null)[0].then(async (engine) => {
      const request = { kind: 'generate', tokens: Uint32Array.of(1), heal: new Uint8Array(), maxTokens: unreadable };
      try {
        engine.submit(1, request, () => {});
      } catch (error) {
        console.log(error.message);
      }
      await engine.close();
    });`;
  expect(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8', timeout: 20_000 })).toBe('unreadable\n');
});
