// Estimates how fast a model would run on this machine. Decoding reads every weight for each token, so memory bandwidth
// limits it. Prefill multiplies each weight with many tokens, so the processor limits it.
import { freemem } from 'node:os';
import type { ModelDescription, ModelInfo } from '../../native/index.ts';
import type { Estimate, ModelFacts } from '../protocol/models.ts';

export interface MachineSpeed {
  /** Bytes of weights that decoding reads per second. */
  readBytesPerSecond: number;
  /** Multiply-adds per second in prefill. */
  weightsPerSecond: number;
}

export type ModelCost = Pick<
  ModelDescription,
  'fileBytes' | 'readBytesPerToken' | 'weightsPerToken' | 'kvBytesPerToken' | 'contextTokens'
>;

/** The memory that this process can still get: a container may limit it. If unknown, the machine's free memory. */
export function freeMemoryBytes(): number {
  // Older editors lack availableMemory(), and it returns 0 if /proc cannot be read.
  return process.availableMemory?.() || freemem();
}

/** After a key within a line, about 16 tokens are evaluated. Then two are generated before the text is shown. */
const tokensReadOnKey = 16;
const tokensBeforeText = 2;

export function estimate(cost: ModelCost, speed: MachineSpeed | null, cacheBytes: number): Estimate {
  const memoryBytes = cost.fileBytes + Math.min(cacheBytes, cost.kvBytesPerToken * cost.contextTokens);
  if (!speed) return { tokensPerSecond: null, firstTextMs: null, memoryBytes };
  const tokensPerSecond = speed.readBytesPerSecond / cost.readBytesPerToken;
  const multiplySeconds = (tokensReadOnKey * cost.weightsPerToken) / speed.weightsPerSecond;
  const readSeconds = Math.max(1 / tokensPerSecond, multiplySeconds);
  return { tokensPerSecond, firstTextMs: 1000 * (readSeconds + tokensBeforeText / tokensPerSecond), memoryBytes };
}

/** The suggestions of a slower model come too late for somebody who types. */
const goodTokensPerSecond = 25;
/** Smaller models write no better than the starter model. */
const minParameters = 0.3e9;

export interface Contender {
  facts: ModelFacts;
  /** The number of parameters. It matters more for quality than the quantization. */
  parameters: number;
  /** Whether the model is on this machine. */
  isHere: boolean;
}

/**
 * The id of the model to recommend: the largest one that is fast enough and leaves half of the free memory to other
 * programs, or, if there is none, the smallest one. An instruct model completes code less well than a base model of the
 * same size, so it is recommended only if it also writes next edits.
 */
export function recommend(contenders: Contender[], freeBytes: number): string | undefined {
  const speedOf = ({ facts }: Contender) => facts.estimate.tokensPerSecond ?? 0;
  const candidates = contenders
    .filter(({ facts }) => (facts.kind === 'base' || facts.writesEdits) && facts.completes && !facts.isForResearchOnly)
    .filter(({ parameters }) => parameters >= minParameters)
    .sort(
      (a, b) =>
        b.parameters - a.parameters ||
        Number(b.facts.writesEdits) - Number(a.facts.writesEdits) ||
        b.facts.fileBytes - a.facts.fileBytes,
    );
  const fitting = candidates.filter(({ facts }) => facts.estimate.memoryBytes <= freeBytes / 2);
  const smallest = candidates.filter(({ parameters }) => parameters === candidates.at(-1)?.parameters);
  const best =
    fitting.find((model) => speedOf(model) >= goodTokensPerSecond) ??
    smallest.findLast(({ facts }) => facts.writesEdits) ??
    smallest.at(-1);
  // While other programs are busy, models seem slower than they are. So a local model that is at least as large as the
  // best one, and seems at least half as fast as it should be, is better than a download.
  const larger = fitting.find((model) => model.isHere && speedOf(model) >= goodTokensPerSecond / 2);
  return (best && !best.isHere && larger && larger.parameters >= best.parameters ? larger : best)?.facts.id;
}

/**
 * The message that refuses a model of twice the free memory or more: it would be read from disk for every token. Null
 * if the model may be loaded.
 */
export function refusal(name: string, fileBytes: number, freeBytes: number): string | null {
  if (fileBytes < 2 * freeBytes) return null;
  return (
    `${name} needs ${gigabytes(fileBytes)} of memory, but only ${gigabytes(freeBytes)} is free. ` +
    'Close other programs, or choose a smaller model with "Hearth: Choose Model".'
  );
}

/**
 * The message that refuses a second model if it does not fit into the memory beside the first one: both would be slow.
 * Null if it fits.
 */
export function refusalBeside(name: string, neededBytes: number, freeBytes: number, first: ModelInfo | null) {
  if (neededBytes <= freeBytes) return null;
  const left = `${gigabytes(freeBytes)} is free`;
  const beside = first
    ? `${first.name}, which completes code, takes ${gigabytes(first.weightBytes)}, and ${left}`
    : left;
  return (
    `${name} needs ${gigabytes(neededBytes)} of memory to explain code, but ${beside}. ` +
    'Close other programs, or choose a smaller model for explanations with "Hearth: Choose Model".'
  );
}

export const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;
