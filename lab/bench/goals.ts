// The engine's goals, relative to llama.cpp and to the machine's limits, and which of them a run has met.
import { type Figure, reachedLimit } from './figures.ts';
import type { Limits } from './limits.ts';
import type { BenchModel } from './models.ts';

/** The figures for one model with one build of the kernels. */
export interface Outcome {
  model: BenchModel;
  variant: string;
  ours: Figure[];
  rivals: Rival[];
  limits: Limits | undefined;
}

export interface Rival {
  name: 'llama.cpp' | 'ik_llama.cpp' | 'before';
  /** The name, the version and, for llama.cpp, the build of its kernels. */
  label: string;
  figures: Figure[];
}

interface Score {
  isMet: boolean;
  text: string;
}

interface Goal {
  title: string;
  /** Undefined if the outcome lacks the figures for this goal. */
  score: (outcome: Outcome) => Score | undefined;
}

const goals: Goal[] = [
  times('prefill 512 at 0', 4, 'llama.cpp'),
  times('prefill 32 at 0', 3, 'llama.cpp'),
  times('decode 64 at 0', 1.5, 'llama.cpp'),
  times('prefill 512 at 0', 3, 'ik_llama.cpp'),
  times('prefill 32 at 0', 3, 'ik_llama.cpp'),
  {
    title: 'matmuls of prefill 512 at least 65 % of the int8 vector peak',
    // The vector peak counts even for the amx build: with a scale every 32 columns, the matrix unit is mostly idle.
    score: (outcome) => {
      const variant = outcome.variant === 'amx' ? 'avx512vnni' : outcome.variant;
      return share(outcome, 'prefill 512 at 0 in matmuls', variant, 0.65);
    },
  },
  {
    title: 'decode 64 at least 85 % of the read bandwidth',
    score: (outcome) => share(outcome, 'decode 64 at 0', outcome.variant, 0.85),
  },
  batches(4, 1.15),
  batches(8, 1.6),
  {
    title: 'most memory at most 1x of llama.cpp',
    score: (outcome) => atMost(ratioTo('llama.cpp', outcome, 'memory'), 1),
  },
  {
    title: 'loading at most 1.5 s',
    score: ({ ours }) => atMost(find(ours, 'load')?.value, 1500, (ms) => `${(ms / 1000).toFixed(2)} s`),
  },
];

/** A table for each build of the kernels, with one row per measured goal and one column per model. */
export function goalLines(outcomes: Outcome[]): string[] {
  return [...new Set(outcomes.map(({ variant }) => variant))].flatMap((variant) => {
    const columns = outcomes.filter((outcome) => outcome.variant === variant);
    const rows = goals.map(({ title, score }) => ({ title, scores: columns.map(score) }));
    const measured = rows.filter(({ scores }) => scores.some(Boolean));
    const all = measured.flatMap(({ scores }) => scores.filter((score) => score !== undefined));
    if (all.length === 0) return [];
    const width = Math.max(...measured.map(({ title }) => title.length));
    const line = (title: string, cells: string[]) =>
      `  ${title.padEnd(width)}${cells.map((cell) => cell.padStart(15)).join('')}`;
    return [
      [`goals with ${variant}`, ...(columns[0]?.rivals ?? []).map(({ name, label }) => `${name} being ${label}`)].join(
        ', ',
      ),
      line(
        '',
        columns.map(({ model }) => model.name),
      ),
      ...measured.map(({ title, scores }) => line(title, scores.map(cell))),
      `  ${all.filter(({ isMet }) => isMet).length} of ${all.length} met`,
    ];
  });
}

function cell(score: Score | undefined): string {
  return score ? `${score.text} ${score.isMet ? '  ok' : 'MISS'}` : '-';
}

function times(what: string, least: number, rival: Rival['name']): Goal {
  return {
    title: `${what.replace(' at 0', '')} at least ${least}x of ${rival}`,
    score: (outcome) => atLeast(ratioTo(rival, outcome, what), least),
  };
}

function batches(n: number, most: number): Goal {
  return {
    title: `${n} tokens at most ${most}x of the time of one`,
    score: ({ ours }) => atMost(ratio(find(ours, `batch ${n}`), find(ours, 'batch 1')), most),
  };
}

function share({ ours, model, limits }: Outcome, what: string, variant: string, least: number): Score | undefined {
  const figure = find(ours, what);
  const part = figure && reachedLimit(figure, model, limits, variant)?.share;
  return atLeast(part, least, (value) => `${(100 * value).toFixed(0)} %`);
}

const asRatio = (value: number) => `${value.toFixed(2)}x`;

function atLeast(value: number | undefined, least: number, text = asRatio): Score | undefined {
  return value === undefined ? undefined : { isMet: value >= least, text: text(value) };
}

function atMost(value: number | undefined, most: number, text = asRatio): Score | undefined {
  return value === undefined ? undefined : { isMet: value <= most, text: text(value) };
}

function find(figures: Figure[], what: string): Figure | undefined {
  return figures.find((figure) => figure.what === what);
}

function ratioTo(rival: Rival['name'], { ours, rivals }: Outcome, what: string): number | undefined {
  return ratio(find(ours, what), find(rivals.find(({ name }) => name === rival)?.figures ?? [], what));
}

function ratio(figure: Figure | undefined, to: Figure | undefined): number | undefined {
  return figure && to && figure.value / to.value;
}
