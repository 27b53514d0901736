// Adapter files that do not fit their model or are damaged: each causes one clear error that names the file and the
// tensor.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeModel, loadEngine } from '../../native/index.ts';
import { type GgufSpec, writeGguf } from '../support/gguf-writer.ts';
import { random } from '../support/random.ts';
import { floatTensor, formatted, syntheticAdapter } from '../support/synthetic-adapter.ts';
import { type SyntheticOptions, shapes, syntheticModel, writeSyntheticModel } from '../support/synthetic-model.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-adapter-files-'));
afterAll(() => rmSync(folder, { recursive: true }));
const modelPath = join(folder, 'model.gguf');
const path = join(folder, 'adapter.gguf');

const tiny: SyntheticOptions = { shape: shapes.tiny, quantization: 'q4_0' };
const adapter = () => syntheticAdapter(syntheticModel(tiny));
const errorOf = (model = modelPath) =>
  loadEngine({ modelPath: model, adapters: [path], backend: 'cpu' }).then(
    (engine) => engine.close(),
    (thrown: unknown) => thrown,
  );

async function checkError(change: (spec: GgufSpec) => void, code: string, message: RegExp): Promise<void> {
  const spec = adapter();
  change(spec);
  writeGguf(path, spec);
  const error = await errorOf();
  expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
  expect(String(error)).toContain(`The adapter file ${path} `);
  expect(String(error)).toMatch(/\. (Download|Choose) [^.]+\.$/);
}

const find = (spec: GgufSpec, name: string) => spec.tensors.find((tensor) => tensor.name === name)!;
const remove = (spec: GgufSpec, name: string) => spec.tensors.splice(spec.tensors.indexOf(find(spec, name)), 1);
const a = 'blk.1.attn_q.weight.lora_a';
const b = 'blk.1.attn_q.weight.lora_b';

beforeAll(() => writeSyntheticModel(modelPath, tiny));

describe('refuses', () => {
  test('a file in which one tensor of a pair is missing', async () => {
    await checkError(
      (spec) => remove(spec, a),
      'adapter-invalid',
      /it has tensor blk\.1\.attn_q\.weight\.lora_b, but not blk\.1\.attn_q\.weight\.lora_a/,
    );
    await checkError((spec) => remove(spec, b), 'adapter-invalid', /lora_a, but not blk\.1\.attn_q\.weight\.lora_b/);
  });

  test.each<[string, string, RegExp]>([
    [
      'for a layer that the model lacks',
      'blk.9.attn_q.weight.lora_a',
      /"blk\.9\.attn_q\.weight\.lora_a" belongs to no matrix/,
    ],
    [
      'whose name ends neither in lora_a nor in lora_b',
      'blk.1.attn_q.weight',
      /"blk\.1\.attn_q\.weight" belongs to no matrix/,
    ],
    ['without a name', '', /its tensor "" belongs to no matrix/],
    ['for a norm', 'blk.1.attn_norm.weight.lora_a', /"blk\.1\.attn_norm\.weight\.lora_a" changes what Hearth has no/],
    [
      'for the embedding',
      'token_embd.weight.lora_a',
      /"token_embd\.weight\.lora_a" changes what Hearth has no adapters/,
    ],
  ])('a tensor %s', (_, name, message) =>
    checkError((spec) => spec.tensors.push({ ...find(spec, a), name }), 'adapter-invalid', message),
  );

  test.each<[string, string, number[], RegExp]>([
    ['wrong columns', a, [128, 32], /lora_a has shape \[128, 32\] where \[256, 32\] is needed/],
    ['wrong rows', b, [8, 512], /lora_b has shape \[8, 512\] where \[16, 256\] is needed/],
    ['three dimensions', a, [256, 4, 4], /lora_a has shape \[256, 4, 4\] where \[256, 4\] is needed/],
    ['one dimension', b, [4096], /lora_b has shape \[4096\] where \[16, 256\] is needed/],
    ['too large a rank', a, [2, 2048], /lora_a has rank 2048, and Hearth runs ranks up to 256/],
    ['rank 0', a, [256, 0], /tensor "blk\.1\.attn_q\.weight\.lora_a" has a dimension of 0/],
    [
      'an absurdly large rank',
      a,
      [256, 2 ** 40],
      /tensor "blk\.1\.attn_q\.weight\.lora_a" has a dimension of 1099511627776/,
    ],
  ])('a tensor with %s', (_, name, shape, message) =>
    checkError(
      (spec) => {
        find(spec, name).shape = shape;
      },
      'adapter-invalid',
      message,
    ),
  );

  test('a tensor that occurs twice', () =>
    checkError(
      (spec) => spec.tensors.push(find(spec, a)),
      'adapter-invalid',
      /it describes the tensor "blk\.1\.attn_q\.weight\.lora_a" twice/,
    ));

  test('B both plain and transposed', () =>
    checkError(
      (spec) => spec.tensors.push({ ...find(spec, b), name: `${b}t`, shape: [256, 16] }),
      'adapter-invalid',
      /it has both blk\.1\.attn_q\.weight\.lora_b and blk\.1\.attn_q\.weight\.lora_bt/,
    ));

  test.each([Number.NaN, Number.POSITIVE_INFINITY, 1e6])('a tensor with the value %d', (value) =>
    checkError(
      (spec) => {
        spec.tensors[spec.tensors.indexOf(find(spec, b))] = floatTensor(
          b,
          [16, 256],
          new Float32Array(4096).fill(value),
        );
      },
      'adapter-invalid',
      /its tensor blk\.1\.attn_q\.weight\.lora_b holds a value that is not a number from -65504 to 65504/,
    ),
  );

  test('a tensor of a type that Hearth does not run', () =>
    checkError(
      (spec) => {
        find(spec, a).type = 16; // IQ2_XXS
      },
      'adapter-unsupported',
      /its tensor blk\.1\.attn_q\.weight\.lora_a has type id 16/,
    ));

  test('rows that are shorter than a block', () =>
    checkError(
      (spec) => {
        find(spec, b).type = 8; // Q8_0
      },
      'adapter-invalid',
      /the rows of tensor "blk\.1\.attn_q\.weight\.lora_b" cannot be divided into Q8_0 blocks/,
    ));

  test.each<[string, GgufSpec['metadata'][string] | undefined, RegExp]>([
    ['general.type', undefined, /its general\.type is "", not "adapter"/],
    ['general.type', { string: 'model' }, /its general\.type is "model", not "adapter"/],
    ['adapter.type', { string: 'dora' }, /it is an adapter of type "dora", and Hearth runs "lora"/],
    ['adapter.alora.invocation_tokens', { i32s: [1] }, /it is an adapter of type "alora"/],
    ['general.architecture', { string: 'llama' }, /made for a model of architecture "llama", and this one is "qwen2"/],
    ['adapter.lora.alpha', { f32: Number.NaN }, /its adapter\.lora\.alpha is not a number from -65504 to 65504/],
    ['adapter.lora.alpha', { f32: -1e30 }, /its adapter\.lora\.alpha is not a number from -65504 to 65504/],
    ['adapter.lora.alpha', { string: 'sixteen' }, /has "adapter\.lora\.alpha", which should be a number/],
  ])('an unusable value of %s', (key, value, message) =>
    checkError(
      ({ metadata }) => {
        if (value) metadata[key] = value;
        else delete metadata[key];
      },
      'adapter-invalid',
      message,
    ),
  );

  test('a file without tensors', () =>
    checkError((spec) => spec.tensors.splice(0), 'adapter-invalid', /it has no tensors/));

  test('a model in place of an adapter, and an adapter in place of a model', async () => {
    writeSyntheticModel(path, tiny);
    expect(await errorOf()).toMatchObject({
      code: 'adapter-invalid',
      message: expect.stringContaining('general.type'),
    });
    writeGguf(path, adapter());
    await expect(describeModel(path)).rejects.toMatchObject({
      code: 'model-unsupported',
      message: `The model file ${path} cannot be used: it is an adapter, which needs a model beside it. Choose a model, and set hearth.model.adapter to this file.`,
    });
  });

  test("a tensor for a layer's experts", async () => {
    const moe = join(folder, 'moe.gguf');
    writeSyntheticModel(moe, { shape: shapes.tinymoe, quantization: 'q4_0' });
    const spec = adapter();
    spec.metadata['general.architecture'] = { string: 'qwen3moe' };
    spec.tensors = [{ ...find(spec, a), name: 'blk.0.ffn_up_exps.weight.lora_a' }];
    writeGguf(path, spec);
    expect(await errorOf(moe)).toMatchObject({
      code: 'adapter-invalid',
      message: expect.stringMatching(/but not for experts, embedding and output\. Choose/),
    });
  });

  test('a missing file', async () => {
    rmSync(path, { force: true });
    expect(await errorOf()).toMatchObject({
      code: 'adapter-not-found',
      message: `There is no adapter file at ${path}. Check the path, or choose another.`,
    });
  });

  test('a file that is cut off anywhere or has damaged bytes', async () => {
    writeGguf(path, formatted(adapter(), 'q4_0'));
    const whole = readFileSync(path);
    const { below } = random(11);
    const codes = new Set<string>();
    for (let i = 0; i < 120; i++) {
      const damaged = Buffer.from(i % 3 === 0 ? whole.subarray(0, below(whole.length)) : whole);
      // Damages bytes of the header, which has names, shapes and offsets.
      if (i % 3 > 0) for (let k = 0; k <= i % 4; k++) damaged[below(6000)] = below(256);
      writeFileSync(path, damaged);
      const error = await errorOf();
      if (error === undefined) continue;
      expect(error).toMatchObject({ name: 'EngineError', message: expect.stringContaining(path) });
      codes.add((error as { code: string }).code);
    }
    for (const code of ['adapter-truncated', 'adapter-invalid']) expect(codes).toContain(code);
  });
});
