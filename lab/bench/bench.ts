// Runs a benchmark: for each model and round it measures the machine's limits and both engines in turn. Then it prints
// tables, appends to the CSV file and checks the goals.
import { relative, resolve } from 'node:path';
import { type BenchEngine, hearth, ikLlamaCpp, llamaCpp, type Plan, type RunResult } from './engines.ts';
import { type Figure, Samples } from './figures.ts';
import { goalLines, type Outcome } from './goals.ts';
import { type Limits, measureLimits, medianLimits } from './limits.ts';
import { type BenchModel, benchModel, intoPageCache } from './models.ts';
import { type Contest, type Group, type Options, parse, usage } from './options.ts';
import { waitForQuiet, watchOthers } from './quiet.ts';
import { appendCsv, type CsvRow, csvPath, printProfile, printTable } from './report.ts';

export { BenchError } from './bench-error.ts';

/** The machine counts as quiet if other programs use less than this share of the processors. */
const quietShare = 0.05;
/** If other programs use more than this share during a run, the run is repeated, as often as --patience allows. */
const spoiltShare = 0.1;

export async function bench(root: string, args: string[]): Promise<void> {
  const options = parse(args);
  if (options === null) return console.log(usage);
  const patience = { seconds: options.patience };
  const outcomes: Outcome[] = [];
  for (const contest of options.contests) {
    const rivals = [
      ...(options.engines.includes('llama.cpp') ? [llamaCpp(root, contest.llamaKernels)] : []),
      ...(options.ikLlamaBench.length > 0 ? [ikLlamaCpp(options.ikLlamaBench)] : []),
      ...(options.before ? [hearth(resolve(options.before), 'before')] : []),
    ];
    const engines = [...(options.engines.includes('hearth') ? [hearth(root)] : []), ...rivals];
    for (const name of options.models) {
      const model = await benchModel(root, name);
      const what = `${contest.variant || 'the best kernels'}, ${options.threads} threads, ${options.rounds} rounds`;
      console.log(`\n${model.name}, ${what}`);
      const course = { root, model, engines, contest, options, patience };
      const outcome = await benchOneModel(course);
      outcomes.push(outcome);
      printTable(outcome);
      appendCsv(root, options.threads, csvRows(outcome));
    }
  }
  console.log(`\n${goalLines(outcomes).join('\n')}`);
  console.log(`\nrows appended to ${relative(root, csvPath(root, options.threads))}`);
}

interface Course {
  root: string;
  model: BenchModel;
  engines: BenchEngine[];
  contest: Contest;
  options: Options;
  patience: { seconds: number };
}

async function benchOneModel({ root, model, engines, contest, options, patience }: Course): Promise<Outcome> {
  const samples = engines.map(() => new Samples());
  const limits: Limits[] = [];
  const ops = new Map<string, Map<string, number>>();
  let variant = contest.variant;
  for (let round = 0; round < options.rounds; round++) {
    patience.seconds -= await waitForQuiet(quietShare, Math.min(60, patience.seconds));
    const limit = measureLimits(root, options.threads);
    if (limit) limits.push(limit);
    for (const [i, engine] of engines.entries()) {
      for (const { plan, figures } of plans(model, contest.variant, options)) {
        const { result, others } = await quietRun(engine, plan, patience);
        const chosen = Object.entries(result.samples).filter(([what]) => figures(what));
        samples[i]?.add(Object.fromEntries(chosen), others);
        if (engine.name === 'hearth') variant = result.variant;
        if (engine.name === 'hearth' && plan.purpose === 'speed') addOps(ops, result);
      }
    }
  }
  if (ops.size > 0) printProfile(ops);
  const all = engines.map(({ name, label }, i) => ({ name, label, figures: samples[i]?.figures() ?? [] }));
  const ours = all.find(({ name }) => name === 'hearth')?.figures ?? [];
  const rivals = all.flatMap(({ name, ...rest }) => (name === 'hearth' ? [] : [{ name, ...rest }]));
  return { model, variant, ours, rivals, limits: medianLimits(limits) };
}

/**
 * An engine runs in two processes: one measures speeds, the other measures memory under the load of a user's engine.
 * figures: the figures to keep of a run.
 */
function plans(model: BenchModel, variant: string, { only, threads, depths, goals }: Options) {
  const nothing: Plan = {
    purpose: 'speed',
    ...{ model: model.path, vocabulary: model.vocabulary, threads, variant },
    ...{ depths: [0], prefill: [], decode: 0, batch: [], batchDepth: 512, batchRounds: 5 },
  };
  const wants = (group: Group) => only.includes(group);
  const speed: Plan = {
    ...nothing,
    depths: wants('prefill') || wants('decode') ? depths : [0],
    prefill: !wants('prefill') ? [] : goals ? [32, 512] : [32, 128, 512],
    decode: wants('decode') ? 64 : 0,
    batch: !wants('curve') ? [] : goals ? [1, 4, 8] : Array.from({ length: 12 }, (_, i) => i + 1),
  };
  const isSpeed = (what: string) => what !== 'memory' && (what !== 'load' || wants('load'));
  const memory: Plan = { ...nothing, purpose: 'memory', prefill: [512], decode: 8 };
  return [
    ...(only.some((group) => group !== 'memory') ? [{ plan: speed, figures: isSpeed }] : []),
    ...(wants('memory') ? [{ plan: memory, figures: (what: string) => what === 'memory' }] : []),
  ];
}

async function quietRun(engine: BenchEngine, plan: Plan, patience: { seconds: number }) {
  while (true) {
    patience.seconds -= await waitForQuiet(quietShare, patience.seconds);
    intoPageCache(plan.model);
    const others = watchOthers();
    const start = performance.now();
    const result = await engine.run(plan);
    const share = others();
    if (share === undefined || share < spoiltShare || patience.seconds <= 0) return { result, others: share };
    patience.seconds -= (performance.now() - start) / 1000;
  }
}

function addOps(sums: Map<string, Map<string, number>>, { ops }: RunResult): void {
  for (const [what, times] of Object.entries(ops)) {
    const sum = sums.get(what) ?? new Map<string, number>();
    for (const [op, ms] of Object.entries(times)) sum.set(op, (sum.get(op) ?? 0) + ms);
    sums.set(what, sum);
  }
}

function csvRows({ model, variant, ours, rivals, limits }: Outcome): CsvRow[] {
  const machine = (what: string, value: number, unit: Figure['unit']): CsvRow => ({
    model: '',
    engine: 'machine',
    figure: { what, value, unit, min: value, max: value, others: undefined },
  });
  const peaks = Object.entries(limits?.int8Gops ?? {}).map(([name, gops]) => machine(`int8 ${name}`, gops, 'GOPS'));
  return [
    ...(limits ? [machine('read', limits.readGbPerSecond, 'GB/s')] : []),
    ...peaks,
    ...ours.map((figure) => ({ model: model.name, engine: `hearth ${variant}`, figure })),
    ...rivals.flatMap(({ label, figures }) => figures.map((figure) => ({ model: model.name, engine: label, figure }))),
  ];
}
