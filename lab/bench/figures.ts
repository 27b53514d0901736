// Computes figures from samples: medians, their spread, and their share of the machine's limits.
import { median } from '../tools/statistics.ts';
import type { Limits } from './limits.ts';
import type { BenchModel } from './models.ts';

export interface Figure {
  /** "prefill 512 at 0", "decode 64 at 2048", "batch 4", "load", "memory" */
  what: string;
  unit: 'tokens/s' | 'ms' | 'MB' | 'GB/s' | 'GOPS';
  value: number;
  min: number;
  max: number;
  /** The fraction of the processors' time that other programs used; the mean over the runs. */
  others: number | undefined;
}

/** The samples of all runs of one engine with one model. */
export class Samples {
  private readonly values = new Map<string, number[]>();
  private readonly others = new Map<string, number[]>();

  add(samples: Record<string, number[]>, others: number | undefined): void {
    for (const [what, values] of Object.entries(samples)) {
      append(this.values, what, values);
      if (others !== undefined) append(this.others, what, [others]);
    }
  }

  figures(): Figure[] {
    return [...this.values].map(([what, values]) => {
      const others = this.others.get(what);
      return {
        what,
        unit: unitOf(what),
        value: median(values),
        min: Math.min(...values),
        max: Math.max(...values),
        others: others && others.reduce((sum, share) => sum + share, 0) / others.length,
      };
    });
  }
}

function append(map: Map<string, number[]>, key: string, values: number[]): void {
  map.set(key, [...(map.get(key) ?? []), ...values]);
}

function unitOf(what: string): Figure['unit'] {
  if (what === 'memory') return 'MB';
  return /^(prefill|decode)/.test(what) ? 'tokens/s' : 'ms';
}

export interface ReachedLimit {
  amount: number;
  unit: 'GOPS' | 'GB/s';
  share: number | undefined;
}

/** Prefill is limited by multiplications, decode by reading the weights and the context. */
export function reachedLimit(
  figure: Figure,
  model: BenchModel,
  limits: Limits | undefined,
  variant: string,
): ReachedLimit | undefined {
  const [kind, tokens = '', , depth = '0'] = figure.what.split(' ');
  if (kind === 'prefill') {
    const amount = (2 * model.prefillWeights * figure.value) / 1e9;
    const peak = limits?.int8Gops[variant];
    return { amount, unit: 'GOPS', share: peak && amount / peak };
  }
  if (kind === 'decode') {
    const context = Number(depth) + Number(tokens) / 2;
    const amount = ((model.streamedBytes + context * model.kvBytes) * figure.value) / 1e9;
    return { amount, unit: 'GB/s', share: limits && amount / limits.readGbPerSecond };
  }
  return undefined;
}
