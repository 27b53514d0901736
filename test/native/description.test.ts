// describeModel() describes a model without loading it.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gguf } from '@huggingface/gguf';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeModel } from '../../native/index.ts';
import { shapes, writeSyntheticModel } from '../support/synthetic-model.ts';

const starter = join('models', 'starter.gguf');
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hearth-description-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

test('the description agrees with another GGUF reader', async () => {
  const description = await describeModel(starter);
  const other = await gguf(starter, { allowLocalFile: true });
  const texts = Object.entries(other.metadata).filter(
    ([key, value]) => key.startsWith('general.') && typeof value === 'string',
  );
  expect(texts.length).toBeGreaterThan(2);
  expect(description.metadata).toMatchObject(Object.fromEntries(texts));
  const metadata: Record<string, unknown> = { ...other.metadata };
  const tokens = metadata['tokenizer.ggml.tokens'] as string[];
  const end = tokens[Number(metadata['tokenizer.ggml.eos_token_id'])];
  expect(description.metadata['tokenizer.ggml.eos_token']).toBe(end);
  const elements = other.tensorInfos.map(({ shape }) => Number(shape.reduce((a, b) => a * b, 1n)));
  expect(description.parameters).toBe(elements.reduce((a, b) => a + b));
  expect(description.specialTokens).toEqual(expect.arrayContaining(['<|fim_prefix|>', '<|fim_middle|>', '<|im_end|>']));
  expect(description.quantization).toBe('Q4_0');
});

test("the cost of a token follows from the sizes of the model's tensors", async () => {
  const path = join(folder, 'tied.gguf');
  writeSyntheticModel(path, { shape: shapes.tiny, quantization: 'q8_0' });
  const tied = await describeModel(path);
  const { layers, kvHeads, hidden, heads, context } = shapes.tiny;
  expect(tied.kvBytesPerToken).toBe(layers * kvHeads * (hidden / heads) * 4);
  expect(tied.contextTokens).toBe(context);
  expect(tied.readBytesPerToken / tied.fileBytes).toBeGreaterThan(0.9);
  writeSyntheticModel(path, { shape: { ...shapes.tiny, tied: false }, quantization: 'q8_0' });
  const untied = await describeModel(path);
  // Of the input embeddings, only the token's row is read.
  expect(untied.readBytesPerToken).toBe(tied.readBytesPerToken);
  expect(untied.fileBytes).toBeGreaterThan(tied.fileBytes);
  expect(untied.weightsPerToken).toBe(tied.weightsPerToken);
});

test.each([
  ['is cut off', (bytes: Buffer) => bytes.subarray(0, 1000)],
  ['is not GGUF', () => Buffer.from('<html>'.repeat(100))],
  ['has an unknown version', (bytes: Buffer) => bytes.fill(9, 4, 5)],
  ['claims an impossible number of tensors', (bytes: Buffer) => bytes.fill(0xff, 16, 24)],
  ['claims a key of impossible length', (bytes: Buffer) => bytes.fill(0xff, 24, 32)],
])('the error for a file that %s names the file', async (_, change) => {
  const path = join(folder, 'bad.gguf');
  writeFileSync(path, change(readFileSync(starter)));
  await expect(describeModel(path)).rejects.toThrow('bad.gguf');
});
