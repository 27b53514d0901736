// Compares logits with the exact logits of llama.cpp or transformers. test/fixtures/reference has tiny random models,
// one with every tensor type and one per family, and an adapter for the first (scripts/make-adapter-reference.py).
// HEARTH_REFERENCE names a folder with more models (NAME.gguf, NAME.json, and NAME.I.f32 for prompt I).
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addonInfo, type Engine, loadEngine } from '../../native/index.ts';
import { argmax, floats, nmse } from '../support/exact-logits.ts';
import { hasWebgpu } from '../support/webgpu.ts';

interface Reference {
  n_vocab: number;
  prompts: { tokens: number[]; rows: number; greedy: { id: number; logit: number; margin: number }[] }[];
}

// The limits for the mean NMSE (normalized mean squared error) of the logits: the NMSE of llama.cpp's own fast path on
// one of the prompts. It was measured for each file of K-quants and IQ4_XS, for which both programs use one scale for
// 256 activations.
const distanceOfLlamaCpp: Record<string, number> = {
  F32: 2e-7,
  F16: 5e-7,
  BF16: 2e-5,
  Q4_0: 3e-4,
  Q8_0: 3e-4,
  Q4_K_M: 4.9e-4,
  Q5_K_M: 5.5e-4,
  Q6_K: 5.4e-4,
  Q3_K_M: 5.1e-4,
  Q2_K: 6.1e-4,
  IQ4_XS: 5e-4,
  mixed: 3.27e-4,
  // Files from scripts/make-family-reference.py, in which every matrix has its own type. The limits are the NMSE of
  // llama.cpp's probabilities at the same positions (5.30e-4, 4.97e-4, 2.75e-5), plus 5 %.
  llama: 5.57e-4,
  qwen3: 5.22e-4,
  granite: 2.89e-5,
  // The same with 1.89e-3, two thirds of which come from one token: rounding makes both programs choose a different
  // expert than exact arithmetic does.
  qwen3moe: 1.99e-3,
  // Not from llama.cpp, which assumes a single RoPE base and so has an NMSE of 0.25.
  mellum: 1.2e-3,
};

const folder = process.env.HEARTH_REFERENCE ?? join(import.meta.dirname, '../fixtures/reference');
const names = readdirSync(folder)
  .filter((file) => /^tiny.*\.gguf$/.test(file))
  .map((file) => file.slice(0, -'.gguf'.length));

/** All variants of the CPU kernels. WebGPU, where its tests run, is tested without experts and sliding windows. */
const variants = addonInfo().variants.map((variant) => [variant, { variant }, names] as const);
const dense = names.filter((name) => !/moe|mellum/.test(name));
const webgpu = ['webgpu', { backend: 'webgpu' }, dense] as const;

describe.each([...variants, ...(hasWebgpu ? [webgpu] : [])])('%s', (variant, options, files) => {
  describe.each(files)('%s', (name) => {
    const reference = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as Reference;
    let engine: Engine;
    beforeAll(async () => {
      engine = await loadEngine({ modelPath: join(folder, `${name}.gguf`), cacheBytes: 2 ** 26, ...options });
      expect(engine.info.fallbackReason).toBe('');
    });
    afterAll(() => engine.close());

    test("logits are no further from the exact ones than llama.cpp's", async () => {
      const limit = distanceOfLlamaCpp[name.split('-')[1] ?? ''];
      if (limit === undefined) throw new Error(`no limit is known for ${name}`);
      const distances = [];
      for (const [i, prompt] of reference.prompts.entries()) {
        const exact = floats(join(folder, `${name}.${i}.f32`));
        const ours = await engine.logits(Uint32Array.from(prompt.tokens));
        // Of a long prompt, the file has only the last eight positions.
        expect(exact.length).toBe(Math.min(prompt.rows, 8) * reference.n_vocab);
        distances.push(nmse(ours.subarray(-exact.length), exact));
      }
      if (process.env.HEARTH_REFERENCE)
        process.stderr.write(`${variant} ${name}: NMSE ${distances.map((d) => d.toExponential(1))}\n`);
      const mean = distances.reduce((sum, distance) => sum + distance) / distances.length;
      expect(mean, `NMSE of each prompt: ${distances}`).toBeLessThan(limit);
    });

    const adapter = join(folder, `${name.replace('tiny', 'adapter')}.gguf`);
    // Adapters run only on the CPU.
    test.runIf(existsSync(adapter) && variant !== 'webgpu')(
      "logits with an adapter are no further from PyTorch's exact ones",
      async () => {
        const adapted = await loadEngine({ modelPath: join(folder, `${name}.gguf`), variant, adapters: [adapter] });
        const distances = [];
        for (const [i, prompt] of reference.prompts.entries()) {
          const exact = floats(adapter.replace('.gguf', `.${i}.f32`));
          const ours = await adapted.logits(Uint32Array.from(prompt.tokens), undefined, adapter);
          expect(exact.length).toBe(Math.min(prompt.rows, 8) * reference.n_vocab);
          distances.push(nmse(ours.subarray(-exact.length), exact));
          // Exact logits without the adapter are far from those with it.
          expect(nmse(floats(join(folder, `${name}.${i}.f32`)), exact)).toBeGreaterThan(0.1);
        }
        await adapted.close();
        const mean = distances.reduce((sum, distance) => sum + distance) / distances.length;
        expect(mean, `NMSE of each prompt: ${distances}`).toBeLessThan(
          distanceOfLlamaCpp[name.split('-')[1] ?? ''] ?? 0,
        );
      },
    );

    test('the greedy token is the same wherever its margin exceeds rounding errors', async () => {
      let compared = 0;
      for (const { tokens, greedy } of reference.prompts) {
        const ids = greedy.map(({ id }) => id);
        const logits = await engine.logits(Uint32Array.from([...tokens, ...ids.slice(0, -1)]));
        for (const [i, { id, margin }] of greedy.entries()) {
          if (margin <= 0.5) continue;
          const start = (tokens.length - 1 + i) * reference.n_vocab;
          expect(argmax(logits.subarray(start, start + reference.n_vocab)), `token ${i}`).toBe(id);
          compared++;
        }
      }
      expect(compared).toBeGreaterThan(0);
    });
  });
});
