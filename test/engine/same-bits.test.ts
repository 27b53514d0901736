// The fingerprint of the engine's results, which is the same on every system, processor and CPU variant.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compareBits, fingerprint, knownFingerprint } from '../../language-server/diagnosis/same-bits.ts';
import { loadModel } from '../../language-server/engine/load-model.ts';
import { addonInfo } from '../../native/index.ts';
import { commandLine } from '../support/command-line.ts';

const modelPath = join(__dirname, '../../models/starter.gguf');
const { json } = commandLine(join(__dirname, '../../dist/hearth.js'));

// If the bundled model, or a rounding in the kernels, was changed on purpose, update the value in same-bits.ts.
test.each(addonInfo().variants)('%s computes the known values, whatever the number of threads', async (variant) => {
  for (const threads of variant === 'scalar' ? [2] : [1, 2]) {
    const { engine } = await loadModel({ modelPath, backend: 'cpu', variant, threads });
    expect(await fingerprint(engine)).toBe(knownFingerprint);
    await engine.close();
  }
});

test('docs/first-run.md shows the known fingerprint', () => {
  expect(readFileSync(join(__dirname, '../../docs/first-run.md'), 'utf8')).toContain(`sha256 ${knownFingerprint} (`);
});

test('the error for different values names both fingerprints', async () => {
  const load = async () => {
    const model = await loadModel({ modelPath, backend: 'cpu' });
    const logits = model.engine.logits.bind(model.engine);
    model.engine.logits = async (tokens) => {
      const values = await logits(tokens);
      const bytes = new DataView(values.buffer);
      bytes.setUint8(12_345, bytes.getUint8(12_345) ^ 1);
      return values;
    };
    return model;
  };
  const problem = compareBits(load);
  await expect(problem).rejects.toThrow(`not ${knownFingerprint}: this machine computes different values`);
  await expect(problem).rejects.toThrow(/^sha256 [0-9a-f]{64} \(cpu /);
});

test("the doctor prints the bundled model's fingerprint even when it examines an int8 cache", () => {
  const { checks } = json<{ checks: { name: string; isOk: boolean; detail: string }[] }>('doctor', '--kv-type', 'int8');
  const bits = checks.find(({ name }) => name === 'same bits');
  expect(bits).toMatchObject({ isOk: true, detail: expect.stringContaining(knownFingerprint) });
});
