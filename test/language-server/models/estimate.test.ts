import { expect, test } from 'vitest';
import {
  type CatalogueModel,
  catalogue,
  costOf,
  fileBytesOf,
  licenceOf,
} from '../../../language-server/models/catalogue.ts';
import {
  type Contender,
  estimate,
  measureSpeed,
  randomTokens,
  recommend,
  refusal,
} from '../../../language-server/models/estimate.ts';
import { FakeEngine } from '../../fixtures/fake-engine.ts';

const gib = 2 ** 30;

test('the catalogue has whole digests, own names and the licence of each size', () => {
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

test.each(['Q4_K_M', 'Q8_0'])('the length of a file, where it is not known, is guessed well: %s', (quantization) => {
  // The 7B has the same matrices in both kinds; of each quantization, the length of one file is known.
  const files = catalogue.filter((model) => model.size === '7B' && model.quantization === quantization);
  const isGuessed = ({ file }: CatalogueModel) => file.minBytes !== file.maxBytes;
  const [known, guessed] = files.toSorted((a, b) => Number(isGuessed(a)) - Number(isGuessed(b)));
  if (!known || !guessed) throw new Error('not in the catalogue');
  expect([known, guessed].map(isGuessed)).toEqual([false, true]);
  expect(fileBytesOf(guessed) / fileBytesOf(known)).toBeCloseTo(1, 1);
  expect(guessed.file.minBytes).toBeLessThan(fileBytesOf(known));
  expect(guessed.file.maxBytes).toBeGreaterThan(fileBytesOf(known));
});

test('the second output matrix of small instruct files is not counted as read', () => {
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

// docs/figures.md: 0.5B Q8_0 writes 55.5 tokens/s and reads prompts at 1,572 where memory is read at 36 GB/s.
test('the estimate is near what was measured', () => {
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
    quantization: 'Q8_0',
    licence: 'Apache-2.0',
    isForResearchOnly: false,
    fileBytes: parameters,
    estimate: { tokensPerSecond, firstTextMs: null, memoryBytes: parameters },
    note: '',
    ...changes,
  },
});

test('recommended is the largest base model that is fast enough and leaves half of the memory', () => {
  const small = contender('small', 1e9, 90);
  const middle = contender('middle', 3e9, 30);
  const large = contender('large', 7e9, 12);
  expect(recommend([small, middle, large], 16e9)).toBe('middle');
  expect(recommend([small, middle, large], 4e9)).toBe('small');
  expect(recommend([small, middle, large], 1e9)).toBeUndefined();
});

test('a model that is here is not left for a download that is no larger, even if the machine seems slow', () => {
  const here = (parameters: number, tokensPerSecond: number) => ({
    ...contender('here', parameters, tokensPerSecond),
    isHere: true,
  });
  const download = contender('download', 3e9, 30);
  expect(recommend([download, here(3e9, 28)], 16e9)).toBe('here');
  expect(recommend([download, here(5e9, 15)], 16e9)).toBe('here');
  expect(recommend([download, here(5e9, 10)], 16e9)).toBe('download');
  expect(recommend([download, here(1e9, 90)], 16e9)).toBe('download');
  expect(recommend([here(5e9, 15)], 16e9)).toBeUndefined();
});

test('not recommended are instruct models, research licences, models that only explain, and unmeasured ones', () => {
  const good = contender('good', 1e9, 90);
  const others = [
    contender('instruct', 3e9, 90, { kind: 'instruct' }),
    contender('research', 3e9, 90, { isForResearchOnly: true }),
    contender('explains', 3e9, 90, { completes: false }),
    contender('unmeasured', 3e9, null),
  ];
  expect(recommend([...others, good], 16e9)).toBe('good');
  expect(recommend(others, 16e9)).toBeUndefined();
});

test('a model of twice the free memory is refused with the figures', () => {
  expect(refusal('coder 14B', 15.7e9, 8e9)).toBeNull();
  expect(refusal('coder 14B', 15.7e9, 7.8e9)).toContain('coder 14B needs 15.7 GB of memory, but only 7.8 GB is free.');
});

const cost = { fileBytes: 0, readBytesPerToken: 1e9, weightsPerToken: 2e9, kvBytesPerToken: 0, contextTokens: 0 };

test('an answer that ends at once tells no speed', async () => {
  expect(await measureSpeed(new FakeEngine(), cost)).toBeNull();
});

test("the loaded model's own prompt and answer tell the speed", async () => {
  const engine = new FakeEngine();
  const generate = engine.generate.bind(engine);
  engine.generate = async (request) => {
    const { timings, ...completion } = await generate(request);
    return { ...completion, timings: { ...timings, prefillMs: 2, decodePasses: 15, decodeMs: 30 } };
  };
  expect(await measureSpeed(engine, cost)).toEqual({ readBytesPerSecond: 500e9, weightsPerSecond: 32e12 });
  expect(engine.requests).toMatchObject([{ maxTokens: 16, speculate: false, priority: 'background' }]);
});

test.each([
  ['end', {}],
  [
    'begin',
    { fimPrefix: 1, fimMiddle: 2, fimSuffix: 3, fileSep: -1, repoName: -1, imStart: -1, imEnd: -1, endOfText: 0 },
  ],
])('random tokens are ordinary and not all the same, where the special ones %s the vocabulary', (_, special) => {
  const engine = new FakeEngine({ special });
  const tokens = [...randomTokens(engine, 64)];
  for (const token of tokens) expect(Object.values(engine.info.special)).not.toContain(token);
  expect(new Set(tokens).size).toBeGreaterThan(8);
  expect(Math.max(...tokens)).toBeLessThan(engine.info.vocabulary);
});
