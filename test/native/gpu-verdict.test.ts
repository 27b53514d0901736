import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { GpuRecord } from '../../native/gpu-records.ts';
import { bestSpeed, compare } from '../../native/gpu-verdict.ts';
import type { Timings } from '../../native/index.ts';

const cpu = { reading: 100, writing: 20 };
const timings = (prefillMs: number, decodeMs: number, more: Partial<Timings> = {}): Timings => ({
  ...{ promptTokens: 64, cachedTokens: 0, prefillMs, completionTokens: 16, decodeMs, ttftMs: 0, decodePasses: 15 },
  ...more,
});

describe('the verdict', () => {
  test.for([
    [1.3, 1, true],
    [1, 1.3, true],
    [8, 4, true],
    [1.29, 1.29, false],
    [8, 0.99, false],
    [0.99, 8, false],
    [0.5, 0.5, false],
  ] as const)('reading %s times and writing %s times as fast is faster: %s', ([reading, writing, isFaster]) => {
    const gpu = { reading: 100 * reading, writing: 20 * writing };
    expect(compare(cpu, gpu)).toEqual({ cpu, gpu, reading, writing, isFaster });
  });

  test('the best of several rounds counts, in tokens per second', () => {
    expect(bestSpeed([timings(6400, 1500), timings(640, 3000), timings(700, 1500)])).toEqual({
      reading: 100,
      writing: 10,
    });
  });

  test('a round that measures nothing does not count', () => {
    expect(bestSpeed([])).toBeNull();
    expect(bestSpeed([timings(640, 0, { decodePasses: 0 })])).toBeNull();
    expect(bestSpeed([timings(0, 0, { cachedTokens: 64, decodePasses: 0 }), timings(640, 1500)])).toEqual({
      reading: 100,
      writing: 10,
    });
  });
});

describe('the record of trials', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hearth-trials-'));
  });
  afterEach(() => {
    vi.useRealTimers();
    rmSync(folder, { recursive: true });
  });
  const recordOf = (key = 'a model') => new GpuRecord(key, join(folder, 'new', 'trials'));
  const won = { gpu: 'A GPU (1.0)', figures: compare(cpu, { reading: 200, writing: 30 }) };
  const wait = (hours: number) => vi.setSystemTime(Date.now() + hours * 3_600_000);

  test('keeps the figures of a trial, only for its model', () => {
    expect(recordOf().trial).toBeUndefined();
    recordOf().begin();
    recordOf().end(won);
    expect(recordOf().trial).toEqual(won);
    expect(recordOf().mayBegin).toBe(true); // the computer might have a different GPU now
    expect(recordOf('another').trial).toBeUndefined();
  });

  test('does not count an aborted trial, which changes nothing', () => {
    recordOf().end(won);
    for (let i = 0; i < 3; i++) {
      expect(recordOf().mayBegin).toBe(true);
      recordOf().begin();
      recordOf().end();
    }
    expect(recordOf().trial).toEqual(won);
  });

  test('allows no trial for a day after two in a row that never ended', () => {
    vi.useFakeTimers();
    recordOf().begin();
    expect(recordOf().mayBegin).toBe(true);
    recordOf().begin();
    wait(23);
    expect(recordOf().mayBegin).toBe(false);
    wait(1);
    expect(recordOf().mayBegin).toBe(true);
    recordOf().begin();
    expect(recordOf().mayBegin).toBe(true);
  });

  test('allows no trial for a day after one that failed', () => {
    vi.useFakeTimers();
    recordOf().begin();
    recordOf().end({ gpu: 'A GPU (1.0)', problem: 'it has failed' });
    expect(recordOf().mayBegin).toBe(false);
    wait(24);
    expect(recordOf().mayBegin).toBe(true);
  });

  test('replaces a damaged file, and allows no trial without a cache folder', () => {
    const file = join(folder, 'trials');
    writeFileSync(file, '{');
    const record = new GpuRecord('a model', file);
    expect(record.trial).toBeUndefined();
    record.end(won);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ 'a model': { trial: won, begun: 0 } });
    expect(new GpuRecord('a model', '').mayBegin).toBe(false);
  });
});
