// What this machine would make of a model. Writing a token reads every weight once, so that the rate follows from the
// memory's speed; reading a prompt multiplies, so that its speed follows from the processor's.
import type { ModelInfo } from '../../native/index.ts';
import type { Estimate, ModelFacts } from './messages.ts';

export interface MachineSpeed {
  /** Weights that decoding reads. */
  readBytesPerSecond: number;
  /** Multiply-adds of weights while a prompt is read; null if no engine was there to measure. */
  weightsPerSecond: number | null;
}

export interface ModelCost {
  fileBytes: number;
  readBytesPerToken: number;
  /** Weights that a token of the prompt is multiplied with. */
  weightsPerToken: number;
  kvBytesPerToken: number;
  contextTokens: number;
}

/** A key that goes on in a line: the model reads the tokens since the last answer and writes two before text is shown. */
const tokensReadOnKey = 16;
const tokensBeforeText = 2;

export function estimate(cost: ModelCost, speed: MachineSpeed | null, cacheBytes: number): Estimate {
  const memoryBytes = cost.fileBytes + Math.min(cacheBytes, cost.kvBytesPerToken * cost.contextTokens);
  if (!speed) return { tokensPerSecond: null, firstTextMs: null, memoryBytes };
  const tokensPerSecond = speed.readBytesPerSecond / cost.readBytesPerToken;
  if (!speed.weightsPerSecond) return { tokensPerSecond, firstTextMs: null, memoryBytes };
  const multiplySeconds = (tokensReadOnKey * cost.weightsPerToken) / speed.weightsPerSecond;
  const readSeconds = Math.max(1 / tokensPerSecond, multiplySeconds);
  return { tokensPerSecond, firstTextMs: 1000 * (readSeconds + tokensBeforeText / tokensPerSecond), memoryBytes };
}

/** As fast as ghost text must come to be read while one types. */
export const goodTokensPerSecond = 25;

export interface Contender {
  facts: ModelFacts;
  /** They decide quality before the quantization does. */
  parameters: number;
}

/** The largest base model that writes fast enough in half of the free memory, so that the rest is left to other work. */
export function recommend(contenders: Contender[], freeBytes: number): { id: string; reason: string } | undefined {
  const [best] = contenders
    .filter(({ facts }) => facts.kind === 'base' && facts.completes && !facts.isForResearchOnly)
    .filter(({ facts }) => (facts.estimate.tokensPerSecond ?? 0) >= goodTokensPerSecond)
    .filter(({ facts }) => facts.estimate.memoryBytes <= freeBytes / 2)
    .sort((a, b) => b.parameters - a.parameters || b.facts.fileBytes - a.facts.fileBytes);
  if (!best) return undefined;
  const { id, name, quantization, estimate } = best.facts;
  const rate = (estimate.tokensPerSecond ?? 0).toFixed(0);
  const memory = `${gigabytes(estimate.memoryBytes)} of ${gigabytes(freeBytes)}`;
  const reason =
    `${name} ${quantization} is the largest base model that generates at least ${goodTokensPerSecond} tokens/s on this ` +
    `machine (about ${rate}) and takes at most half of the free memory (${memory}).`;
  return { id, reason };
}

/** A model of twice the free memory would be read from disk for every token. Null if it may be loaded. */
export function refusal(name: string, fileBytes: number, freeBytes: number): string | null {
  if (fileBytes < 2 * freeBytes) return null;
  return (
    `${name} needs ${gigabytes(fileBytes)} of memory, but only ${gigabytes(freeBytes)} is free. ` +
    'Close other programs, or choose a smaller model with "Hearth: Choose Model".'
  );
}

/** A second model must fit in beside the first: two that take each other's memory would both be slow. */
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
