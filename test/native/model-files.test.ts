// Valid model files of every kind are accepted. Each invalid file causes one clear error that names the tensor or file.
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { loadModel } from '../../language-server/engine/load-model.ts';
import { loadEngine } from '../../native/index.ts';
import { type GgufSpec, writeGguf } from '../support/gguf-writer.ts';
import { type SyntheticOptions, shapes, syntheticModel } from '../support/synthetic-model.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-models-'));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'model.gguf');

const tiny: SyntheticOptions = { shape: shapes.tiny, quantization: 'q4_k_m' };

async function checkError(change: (spec: GgufSpec) => void, code: string, message: RegExp): Promise<void> {
  const spec = syntheticModel(tiny);
  change(spec);
  writeGguf(path, spec);
  const error = await loadEngine({ modelPath: path }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
  // The error names the file and says what to do.
  expect(String(error)).toContain(`The model file ${path} `);
  expect(String(error)).toMatch(/\. (Download|Choose) [^.]+(\.5-coder model)?\.$/);
}

async function greedyText(options: SyntheticOptions, version = 3): Promise<number[]> {
  writeGguf(path, { ...syntheticModel(options), version });
  const engine = await loadEngine({ modelPath: path });
  const answer = await engine.generate({ tokens: Uint32Array.of(1, 2, 3, 300), maxTokens: 8 });
  await engine.close();
  return [...answer.tokens];
}

describe('accepts', () => {
  test.each([
    ['separate projections with biases', {}],
    ['separate projections without biases', { biases: false }],
    ['a fused projection', { fusedQkv: true }],
    ['a fused projection without biases', { fusedQkv: true, biases: false }],
    ['a separate output matrix', { shape: { ...shapes.tiny, tied: false } }],
  ])('%s', async (_, options) => {
    expect((await greedyText({ ...tiny, ...options })).length).toBeGreaterThan(0);
  });

  test('limits beyond 32 bits, which mean no limit', async () => {
    writeGguf(path, syntheticModel(tiny));
    const engine = await loadEngine({ modelPath: path, contextTokens: 2 ** 32 + 100 });
    expect(engine.info.contextTokens).toBe(shapes.tiny.context);
    const tokens = new Uint32Array(shapes.tiny.context - 8).fill(300);
    const answer = await engine.generate({ tokens, maxTokens: 2 ** 31 });
    expect(answer.tokens.length).toBeGreaterThan(0);
    await engine.close();
  });

  test('version 2 of the format, and gives the same answer', async () => {
    expect(await greedyText(tiny, 2)).toEqual(await greedyText(tiny, 3));
  });
});

describe('refuses', () => {
  test('a tensor that is missing', () =>
    checkError(
      (spec) =>
        spec.tensors.splice(
          spec.tensors.findIndex(({ name }) => name === 'blk.1.ffn_up.weight'),
          1,
        ),
      'model-invalid',
      /blk\.1\.ffn_up\.weight is missing/,
    ));

  test('more heads than a batch has memory for', () =>
    checkError(
      (spec) => {
        spec.metadata['qwen2.attention.head_count'] = { u32: 2 ** 16 };
        spec.metadata['qwen2.attention.head_count_kv'] = { u32: 2 ** 16 };
        spec.metadata['qwen2.attention.key_length'] = { u32: 256 };
        spec.metadata['qwen2.embedding_length'] = { u32: 2 ** 16 };
      },
      'model-invalid',
      /its 65536 heads have 256 dimensions each/,
    ));

  test('one missing bias of three', () =>
    checkError(
      (spec) =>
        spec.tensors.splice(
          spec.tensors.findIndex(({ name }) => name === 'blk.2.attn_k.bias'),
          1,
        ),
      'model-invalid',
      /blk\.2\.attn_k\.bias is missing/,
    ));

  test('a tensor of the wrong shape', () =>
    checkError(
      (spec) => {
        const tensor = spec.tensors.find(({ name }) => name === 'blk.0.attn_q.weight');
        tensor?.shape.reverse();
        tensor?.shape.splice(0, 2, 512, 128);
      },
      'model-invalid',
      /blk\.0\.attn_q\.weight has shape \[512, 128\] where \[256, 256\] is needed/,
    ));

  test('a tensor that qwen2 does not have', () =>
    checkError(
      (spec) => {
        const [norm] = spec.tensors.filter(({ name }) => name === 'output_norm.weight');
        if (norm) spec.tensors.push({ ...norm, name: 'rope_freqs.weight' });
      },
      'model-unsupported',
      /"rope_freqs\.weight" is not part of the qwen2 architecture/,
    ));

  test('another architecture', () =>
    checkError(
      (spec) => {
        spec.metadata['general.architecture'] = { string: 'gemma2' };
      },
      'model-unsupported',
      /architecture "gemma2", and Hearth runs qwen2, llama/,
    ));

  test.each<[string, GgufSpec['metadata'][string] | undefined, string, RegExp]>([
    ['qwen2.block_count', undefined, 'model-invalid', /its metadata lack qwen2\.block_count/],
    ['qwen2.block_count', { u32: 0 }, 'model-invalid', /its qwen2\.block_count is 0/],
    // A file can claim this many, but a batch would not fit in memory.
    ['qwen2.embedding_length', { u32: 2 ** 23 }, 'model-invalid', /its qwen2\.embedding_length is 8388608/],
    ['qwen2.feed_forward_length', { u32: 2 ** 23 }, 'model-invalid', /its qwen2\.feed_forward_length is 8388608/],
    ['qwen2.attention.head_count', { u32: 3 }, 'model-invalid', /embedding_length is no multiple of head_count/],
    ['qwen2.attention.key_length', { u32: 40 }, 'model-unsupported', /its heads have 40 dimensions/],
    [
      'qwen2.attention.layer_norm_rms_epsilon',
      { f32: Number.POSITIVE_INFINITY },
      'model-invalid',
      /rms_epsilon is not/,
    ],
    [
      'qwen2.attention.layer_norm_rms_epsilon',
      { f32: Number.NaN },
      'model-invalid',
      /rms_epsilon is not between 0 and 1/,
    ],
    ['qwen2.attention.layer_norm_rms_epsilon', { f32: 0 }, 'model-invalid', /rms_epsilon is not between 0 and 1/],
    [
      'qwen2.context_length',
      { u32: 3 },
      'model-unsupported',
      /its context_length is 3, and a prompt needs at least 64/,
    ],
    ['qwen2.rope.scaling.type', { string: 'longrope' }, 'model-unsupported', /RoPE scaling "longrope"/],
  ])('an unusable value of %s', (key, value, code, message) =>
    checkError(
      ({ metadata }) => {
        if (value) metadata[key] = value;
        else delete metadata[key];
      },
      code,
      message,
    ),
  );

  test.each([
    ['a NUL', 'extra\0name', /its tensor "extra\?name" is not part/],
    ['70,000 characters', 'x'.repeat(70_000), /its tensor "x{80}\.\.\." is not part/],
  ])('a tensor that qwen2 does not have, with %s in its name', (_, name, message) =>
    checkError((spec) => spec.tensors.push({ ...spec.tensors[1]!, name }), 'model-unsupported', message),
  );

  const narrow = { ...shapes.tiny, hidden: 48, heads: 3, kvHeads: 1 };

  test('rows of a length that the kernels cannot process', async () => {
    writeGguf(path, syntheticModel({ shape: narrow, quantization: 'f32' }));
    await expect(loadEngine({ modelPath: path })).rejects.toMatchObject({
      code: 'model-unsupported',
      message: expect.stringMatching(/token_embd\.weight has rows of 48 weights, and Hearth runs multiples of 32/),
    });
  });

  test('an unusable draft model, and loads the model without it', async () => {
    writeGguf(path, syntheticModel(tiny));
    const draftModelPath = join(folder, 'draft.gguf');
    writeGguf(draftModelPath, syntheticModel({ shape: narrow, quantization: 'f32' }));
    const engine = await loadEngine({ modelPath: path, draftModelPath });
    expect(engine.info.draftProblem).toMatch(/draft\.gguf cannot be used: .* rows of 48 weights/);
    await engine.close();
  });

  test('a context too small for any prompt', async () => {
    writeGguf(path, syntheticModel(tiny));
    await expect(loadEngine({ modelPath: path, contextTokens: 1 })).rejects.toMatchObject({
      code: 'bad-argument',
      message: 'a context of 1 tokens is too short for a prompt; give it at least 64',
    });
  });

  test('a tensor of a type that Hearth does not run', () =>
    checkError(
      (spec) => {
        const tensor = spec.tensors.find(({ name }) => name === 'blk.0.ffn_gate.weight');
        if (tensor) tensor.type = 16; // IQ2_XXS
      },
      'model-unsupported',
      /blk\.0\.ffn_gate\.weight has type id 16/,
    ));

  test('a missing file', async () => {
    const missing = join(folder, 'nowhere.gguf');
    await expect(loadEngine({ modelPath: missing })).rejects.toMatchObject({
      code: 'model-not-found',
      message: expect.stringContaining(missing),
    });
  });

  test('a file cut short', async () => {
    writeGguf(path, syntheticModel(tiny));
    writeFileSync(path, readFileSync(path).subarray(0, 1_000_000));
    await expect(loadEngine({ modelPath: path })).rejects.toMatchObject({ code: 'model-truncated' });
  });

  test('a file without read permission', async () => {
    writeGguf(path, syntheticModel(tiny));
    chmodSync(path, 0o000);
    chmodSync(folder, 0o755);
    await asOrdinaryUser(() =>
      expect(loadEngine({ modelPath: path })).rejects.toMatchObject({
        code: 'model-unreadable',
        message: expect.stringContaining(path),
      }),
    );
    chmodSync(path, 0o600);
  });

  test('a file that is not a model', async () => {
    writeFileSync(path, 'not a model at all, but long enough to be read as one');
    await expect(loadEngine({ modelPath: path })).rejects.toMatchObject({ code: 'model-invalid' });
  });
});

/** Runs the action without root's rights, with which everything can be read. */
async function asOrdinaryUser(action: () => Promise<void>): Promise<void> {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65534);
  try {
    await action();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

test("TypeScript does not read the file's header of several megabytes when a model is loaded", async () => {
  const before = process.memoryUsage().external;
  const { engine } = await loadModel({ modelPath: 'models/starter.gguf', backend: 'cpu' });
  expect(process.memoryUsage().external - before).toBeLessThan(2 ** 20);
  await engine.close();
});

describe('a loaded model', () => {
  async function infoOf(change: (spec: GgufSpec) => void, options = {}) {
    const spec = syntheticModel({ ...tiny, ...options });
    change(spec);
    writeGguf(path, spec);
    const { engine, traits } = await loadModel({ modelPath: path });
    await engine.close();
    return { info: engine.info, traits };
  }

  test('names its quantization as the file does, or otherwise after the type of its tensors', async () => {
    expect((await infoOf(() => {})).info.quantization).toBe('Q4_K_M');
    const { info } = await infoOf(({ metadata }) => delete metadata['general.file_type'], { quantization: 'q8_0' });
    expect(info.quantization).toBe('Q8_0');
  });

  test('uses the tokens for completion of its own family', async () => {
    const { info, traits } = await infoOf(({ metadata }) => {
      const { strings } = metadata['tokenizer.ggml.tokens'] as { strings: string[] };
      const renamed = strings.map((token) => token.replace(/^<\|(fim_\w+)\|>$/, '<$1>'));
      metadata['tokenizer.ggml.tokens'] = { strings: renamed };
      metadata['general.name'] = { string: 'CodeQwen1.5 7B' };
    });
    expect(traits.fim?.prefix).toBe('<fim_prefix>');
    expect(Math.min(info.special.fimPrefix, info.special.fimSuffix, info.special.fimMiddle)).toBeGreaterThan(0);
  });

  test('ends answers at a control token of another family', async () => {
    const [next = 0] = await greedyText(tiny);
    const answerOf = async (name: string) => {
      const spec = syntheticModel(tiny);
      const { strings } = spec.metadata['tokenizer.ggml.tokens'] as { strings: string[] };
      const { i32s } = spec.metadata['tokenizer.ggml.token_type'] as { i32s: number[] };
      const tokens = strings.map((token) => token.replace(/^<\|(fim_\w+)\|>$/, '<$1>'));
      // The token that the model generates next gets the name of the prefix token, and vice versa.
      const prefix = tokens.indexOf('<fim_prefix>');
      [tokens[next], tokens[prefix]] = [tokens[prefix] ?? '', tokens[next] ?? ''];
      [i32s[next], i32s[prefix]] = [i32s[prefix] ?? 0, i32s[next] ?? 0];
      spec.metadata['tokenizer.ggml.tokens'] = { strings: tokens };
      spec.metadata['tokenizer.ggml.merges'] = { strings: [] };
      spec.metadata['general.name'] = { string: name };
      writeGguf(path, spec);
      const { engine } = await loadModel({ modelPath: path });
      const answer = await engine.generate({ tokens: Uint32Array.of(1, 2, 3, 300), maxTokens: 8 });
      await engine.close();
      return [answer.finishReason, answer.tokens.length];
    };
    expect(await answerOf('CodeQwen1.5 7B')).toEqual(['stop', 1]);
  });

  test('does not use tokens for completion that it was not trained with', async () => {
    const { info, traits } = await infoOf(({ metadata }) => {
      metadata['general.name'] = { string: 'Qwen2.5 7B Instruct' };
    });
    expect(traits.fim).toBeNull();
    expect(info.special).toMatchObject({ fimPrefix: -1, fimSuffix: -1, fimMiddle: -1 });
    expect(info.special.imStart).toBeGreaterThan(0);
  });
});
