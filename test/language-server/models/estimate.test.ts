import { expect, test } from 'vitest';
import {
  type CatalogueModel,
  catalogue,
  costOf,
  fileBytesOf,
  licenceOf,
} from '../../../language-server/models/catalogue.ts';
import { type Contender, estimate, recommend, refusal } from '../../../language-server/models/estimate.ts';

const gib = 2 ** 30;

test('each model in the catalogue has a complete digest, a unique name and the licence of its size', () => {
  const files = catalogue.map(({ file }) => file);
  for (const { url, sha256, minBytes, maxBytes } of files) {
    expect(url).toMatch(/^https:\/\/huggingface\.co\/[\w.-]+\/[\w.-]+\/resolve\/main\/[\w.-]+\.gguf$/);
    if (sha256 !== null) expect(sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(minBytes).toBeGreaterThan(3e8);
    expect(maxBytes).toBeGreaterThanOrEqual(minBytes);
    expect(maxBytes).toBeLessThan(1.3 * minBytes);
  }
  expect(new Set(files.map(({ url }) => url)).size).toBe(files.length);
  expect(new Set(files.map(({ name }) => name)).size).toBe(files.length);
  for (const model of catalogue) expect(licenceOf(model)).toBe(model.size === '3B' ? 'Qwen Research' : 'Apache-2.0');
});

test.each(['Q4_K_M', 'Q8_0'])('an unknown file length is estimated well: %s', (quantization) => {
  // The base and the instruct model of 7B have equal matrices. In each quantization, the length of one file is known.
  const files = catalogue.filter((model) => model.size === '7B' && model.quantization === quantization);
  const isGuessed = ({ file }: CatalogueModel) => file.minBytes !== file.maxBytes;
  const [known, guessed] = files.toSorted((a, b) => Number(isGuessed(a)) - Number(isGuessed(b)));
  if (!known || !guessed) throw new Error('not in the catalogue');
  expect([known, guessed].map(isGuessed)).toEqual([false, true]);
  expect(fileBytesOf(guessed) / fileBytesOf(known)).toBeCloseTo(1, 1);
  expect(guessed.file.minBytes).toBeLessThan(fileBytesOf(known));
  expect(guessed.file.maxBytes).toBeGreaterThan(fileBytesOf(known));
});

test('the second output matrix in small instruct files does not count as read', () => {
  const base = catalogue.find(
    ({ size, kind, quantization }) => size === '1.5B' && kind === 'base' && quantization === 'Q8_0',
  );
  const tuned = catalogue.find(
    ({ size, kind, quantization }) => size === '1.5B' && kind === 'instruct' && quantization === 'Q8_0',
  );
  if (!base || !tuned) throw new Error('not in the catalogue');
  expect(costOf(base).readBytesPerToken).toBe(1_646_573_056);
  expect(costOf(tuned).readBytesPerToken / costOf(base).readBytesPerToken).toBeCloseTo(1, 1);
});

// docs/figures.md: with memory at 36 GB/s, the 0.5B Q8_0 writes 55.5 tokens/s and reads prompts at 1,572 tokens/s.
test('the estimate is close to the measurement', () => {
  const speed = { readBytesPerSecond: 0.85 * 36e9, weightsPerSecond: 1572 * 0.36e9 };
  const cost = costOf(catalogue[0] as (typeof catalogue)[0]);
  const { tokensPerSecond, firstTextMs, memoryBytes } = estimate(cost, speed, gib);
  expect((tokensPerSecond ?? 0) / 55.5).toBeCloseTo(1, 1);
  expect(firstTextMs).toBeGreaterThan(2000 / 55.5);
  expect(firstTextMs).toBeLessThan(80);
  expect(memoryBytes).toBe(cost.fileBytes + 12_288 * 32_768);
  expect(estimate(cost, null, 2 ** 20)).toEqual({
    tokensPerSecond: null,
    firstTextMs: null,
    memoryBytes: cost.fileBytes + 2 ** 20,
  });
});

const contender = (id: string, parameters: number, tokensPerSecond: number | null, changes = {}): Contender => ({
  parameters,
  isHere: false,
  facts: {
    id,
    name: id,
    kind: 'base',
    completes: true,
    explains: false,
    writesEdits: false,
    quantization: 'Q8_0',
    licence: 'Apache-2.0',
    isForResearchOnly: false,
    fileBytes: parameters,
    estimate: { tokensPerSecond, firstTextMs: null, memoryBytes: parameters },
    ...changes,
  },
});

test('the recommended model is the largest fast enough base model that leaves half of the memory free', () => {
  const small = contender('small', 1e9, 90);
  const middle = contender('middle', 3e9, 30);
  const large = contender('large', 7e9, 12);
  expect(recommend([small, middle, large], 16e9)).toBe('middle');
  expect(recommend([small, middle, large], 4e9)).toBe('small');
  // If no model is fast enough, or none fits, the smallest is recommended.
  expect(recommend([small, middle, large], 1e9)).toBe('small');
  expect(recommend([contender('slow', 3e9, 5), contender('slower', 7e9, 2)], 16e9)).toBe('slow');
});

test('a local model is preferred to a download of at most its size, even if the machine seems slow', () => {
  const here = (parameters: number, tokensPerSecond: number) => ({
    ...contender('here', parameters, tokensPerSecond),
    isHere: true,
  });
  const download = contender('download', 3e9, 30);
  expect(recommend([download, here(3e9, 28)], 16e9)).toBe('here');
  expect(recommend([download, here(5e9, 15)], 16e9)).toBe('here');
  expect(recommend([download, here(5e9, 10)], 16e9)).toBe('download');
  expect(recommend([download, here(1e9, 90)], 16e9)).toBe('download');
  expect(recommend([here(5e9, 15)], 16e9)).toBe('here');
});

test('among models of one size, one that writes next edits is preferred, even an instruct model', () => {
  const base = contender('base', 3e9, 30, { fileBytes: 4e9 });
  const writer = contender('writer', 3e9, 30, { kind: 'instruct', writesEdits: true });
  expect(recommend([base, writer], 16e9)).toBe('writer');
  expect(recommend([base, writer], 1e9)).toBe('writer');
  expect(recommend([base, writer, contender('larger', 7e9, 30)], 16e9)).toBe('larger');
  expect(recommend([base, { ...writer, facts: { ...writer.facts, completes: false } }], 16e9)).toBe('base');
});

test('other instruct models, research licences, models that only explain and tiny ones are not recommended', () => {
  const others = [
    contender('instruct', 3e9, 90, { kind: 'instruct' }),
    contender('research', 3e9, 90, { isForResearchOnly: true }),
    contender('explains', 3e9, 90, { completes: false }),
    contender('tiny', 0.1e9, 300),
  ];
  expect(recommend([...others, contender('good', 1e9, 90)], 16e9)).toBe('good');
  expect(recommend([...others, contender('unmeasured', 3e9, null)], 16e9)).toBe('unmeasured');
  expect(recommend(others, 16e9)).toBeUndefined();
});

test('a model of twice the free memory is refused, with the figures', () => {
  expect(refusal('coder 14B', 15.7e9, 8e9)).toBeNull();
  expect(refusal('coder 14B', 15.7e9, 7.8e9)).toContain('coder 14B needs 15.7 GB of memory, but only 7.8 GB is free.');
});
