// Judges whether a GPU is worth using, from the speeds at which it and the CPU have read prompts and written answers.
// The GPU must be clearly faster at one of these and slower at neither.
import type { GpuFigures, Speed } from './model-types.ts';
import type { Timings } from './types.ts';

export const readTokens = 64;
export const writtenTokens = 16;
/** The first round also compiles kernels and pages weights in. */
export const rounds = 4;
const clearlyFaster = 1.3;

/** Other programs can only slow a round down, so the best round counts. Null if no tokens were read or written. */
export function bestSpeed(all: readonly Timings[]): Speed | null {
  const best = (speedOf: (timings: Timings) => number) => Math.max(0, ...all.map(speedOf).filter(Number.isFinite));
  const reading = best(
    ({ promptTokens, cachedTokens, prefillMs }) => (1000 * (promptTokens - cachedTokens)) / prefillMs,
  );
  const writing = best(({ decodePasses, decodeMs }) => (1000 * decodePasses) / decodeMs);
  return reading > 0 && writing > 0 ? { reading, writing } : null;
}

export function compare(cpu: Speed, gpu: Speed): GpuFigures {
  const reading = gpu.reading / cpu.reading;
  const writing = gpu.writing / cpu.writing;
  return {
    cpu,
    gpu,
    reading,
    writing,
    isFaster: Math.min(reading, writing) >= 1 && Math.max(reading, writing) >= clearlyFaster,
  };
}
