import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { bestSpeed, measureSpeed, randomTokens } from '../../../language-server/models/measured-speed.ts';
import { FakeEngine } from '../../fixtures/fake-engine.ts';

const cost = { fileBytes: 0, readBytesPerToken: 1e9, weightsPerToken: 2e9, kvBytesPerToken: 0, contextTokens: 0 };

test('an answer that ends at once gives no speed', async () => {
  expect(await measureSpeed(new FakeEngine(), cost)).toBeNull();
});

/** decodeMs: one for each answer. The last one is also for all later answers. */
function timedEngine(...decodeMs: number[]): FakeEngine {
  const engine = new FakeEngine();
  const generate = engine.generate.bind(engine);
  engine.generate = async (request) => {
    const { timings, ...completion } = await generate(request);
    const ms = (decodeMs.length > 1 ? decodeMs.shift() : decodeMs[0]) ?? 0;
    return { ...completion, timings: { ...timings, prefillMs: 2, decodePasses: 15, decodeMs: ms } };
  };
  return engine;
}

test('the speed is measured with a prompt and an answer of the loaded model', async () => {
  const engine = timedEngine(30);
  expect(await measureSpeed(engine, cost)).toEqual({ readBytesPerSecond: 500e9, weightsPerSecond: 32e12 });
  expect(engine.requests).toMatchObject([{ maxTokens: 16, speculate: false, priority: 'background' }]);
});

test.each([
  ['end', {}],
  [
    'begin',
    { fimPrefix: 1, fimMiddle: 2, fimSuffix: 3, fileSep: -1, repoName: -1, imStart: -1, imEnd: -1, endOfText: 0 },
  ],
])('random tokens are ordinary and varied, if the special ones %s the vocabulary', (_, special) => {
  const engine = new FakeEngine({ special });
  const tokens = [...randomTokens(engine, 64)];
  for (const token of tokens) expect(Object.values(engine.info.special)).not.toContain(token);
  expect(new Set(tokens).size).toBeGreaterThan(8);
  expect(Math.max(...tokens)).toBeLessThan(engine.info.vocabulary);
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hearth-speed-'));
  vi.useFakeTimers({ toFake: ['performance'] }); // every round begins in time, however busy this machine is
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

const quiet = async () => 0.1;
const busy = async () => 0.9;
const read = (decodeMs: number) => (15 * 1e9 * 1000) / decodeMs;

test('the best of several measurements counts', async () => {
  const best = await bestSpeed(timedEngine(300, 30, 90), cost, '', quiet);
  expect(best).toEqual({ readBytesPerSecond: read(30), weightsPerSecond: 32e12, isBusy: false });
});

test('earlier measurements are kept, and the machine counts as busy only until a quiet measurement', async () => {
  const measured = async (decodeMs: number, share: () => Promise<number>) => {
    const best = await bestSpeed(timedEngine(decodeMs), cost, folder, share);
    return [best?.readBytesPerSecond, best?.isBusy];
  };
  expect(await measured(90, busy)).toEqual([read(90), true]);
  expect(await measured(300, busy)).toEqual([read(90), true]);
  expect(await measured(30, quiet)).toEqual([read(30), false]);
  expect(await measured(300, busy)).toEqual([read(30), false]);
});

test('each model has its own measurements, and a damaged file has none', async () => {
  const other = new FakeEngine();
  other.info.name = 'Other';
  await bestSpeed(timedEngine(30), cost, folder, quiet);
  expect(await bestSpeed(other, cost, folder, quiet)).toBeNull();
  const file = join(folder, 'speeds.json');
  const kept = readFileSync(file, 'utf8');
  for (const text of ['', '[]', 'null', kept.replace(/("readBytesPerSecond": )\d+/, '$1"fast"')]) {
    writeFileSync(file, text);
    expect((await bestSpeed(timedEngine(90), cost, folder, quiet))?.readBytesPerSecond, text).toBe(read(90));
  }
});
