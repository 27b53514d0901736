import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type GGUFTypedMetadata, GGUFValueType, gguf } from '@huggingface/gguf';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { costOf, parametersOf, quantizationOf } from '../../../language-server/models/file-facts.ts';
import { readGgufHeader } from '../../../language-server/models/gguf-header.ts';
import { writeGguf } from '../../support/gguf-writer.ts';
import { shapes, writeSyntheticModel } from '../../support/synthetic-model.ts';

const starter = join('models', 'starter.gguf');
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hearth-gguf-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

test('a head is read as another reader reads it', async () => {
  const header = await readGgufHeader(starter);
  const other = await gguf(starter, { allowLocalFile: true, typedMetadata: true });
  const typed = Object.entries(other.typedMetadata as GGUFTypedMetadata).filter(([key]) => key.includes('.'));
  const read = typed.filter(([, { type }]) => [GGUFValueType.STRING, GGUFValueType.UINT32].includes(type));
  expect(read.length).toBeGreaterThan(5);
  for (const [key, { value }] of read) expect([key, header.metadata.get(key)]).toEqual([key, value]);
  const elements = new Map(header.tensors.map((tensor) => [tensor.name, tensor.elements]));
  for (const { name, shape } of other.tensorInfos)
    expect([name, elements.get(name)]).toEqual([name, Number(shape.reduce((a, b) => a * b, 1n))]);
  expect(header.tensors.length).toBe(other.tensorInfos.length);
  expect([...header.specialTokens]).toEqual(expect.arrayContaining(['<|fim_prefix|>', '<|fim_middle|>', '<|im_end|>']));
});

test('a model costs what its tensors take', async () => {
  const path = join(folder, 'tied.gguf');
  writeSyntheticModel(path, { shape: shapes.tiny, quantization: 'q8_0' });
  const tied = costOf(await readGgufHeader(path));
  const { layers, kvHeads, hidden, heads, context } = shapes.tiny;
  expect(tied.kvBytesPerToken).toBe(layers * kvHeads * (hidden / heads) * 4);
  expect(tied.contextTokens).toBe(context);
  expect(tied.readBytesPerToken / tied.fileBytes).toBeGreaterThan(0.95);
  writeSyntheticModel(path, { shape: { ...shapes.tiny, tied: false }, quantization: 'q8_0' });
  const untied = await readGgufHeader(path);
  const { readBytesPerToken, fileBytes, weightsPerToken } = costOf(untied);
  const embeddings = untied.tensors.find(({ name }) => name === 'token_embd.weight');
  expect(readBytesPerToken).toBeLessThanOrEqual(fileBytes - (embeddings?.bytes ?? 0));
  expect(weightsPerToken).toBeLessThan(parametersOf(untied) - 2 * (embeddings?.elements ?? 0) + hidden * 2);
  expect(quantizationOf(await readGgufHeader(starter))).toBe('Q4_0');
});

test('a head longer than the first read is read on', async () => {
  const path = join(folder, 'long.gguf');
  const metadata = { 'a.long': { string: 'x'.repeat(9 * 2 ** 20) }, 'b.last': { u32: 7 } };
  writeGguf(path, { metadata, tensors: [] });
  expect((await readGgufHeader(path)).metadata.get('b.last')).toBe(7);
});

test.each([
  ['is cut', (bytes: Buffer) => bytes.subarray(0, 1000), /ends too early/],
  ['is of something else', () => Buffer.from('<html>'.repeat(100)), /not a GGUF file/],
  ['has an unknown version', (bytes: Buffer) => bytes.fill(9, 4, 5), /version 9/],
  ['counts without end', (bytes: Buffer) => bytes.fill(0xff, 16, 24), /ends too early|damaged/],
  ['names a key without end', (bytes: Buffer) => bytes.fill(0xff, 24, 32), /damaged/],
])('a head that %s is refused', async (_, change, words) => {
  const path = join(folder, 'bad.gguf');
  writeFileSync(path, change(readFileSync(starter).subarray(0, 4 * 2 ** 20)));
  await expect(readGgufHeader(path)).rejects.toThrow(words);
});
