// The course of a bench: limits, then for each model the engines in turns, round by round, then table and CSV.
import { relative } from 'node:path';
import { type BenchEngine, hearth, llamaCpp, llamaCppVersion, type Plan, type RunResult } from './engines.ts';
import { type Figure, Samples } from './figures.ts';
import { type Limits, measureLimits } from './limits.ts';
import { type BenchModel, benchModel, intoPageCache } from './models.ts';
import { type Group, type Options, parse } from './options.ts';
import { waitForQuiet, watchOthers } from './quiet.ts';
import { appendCsv, type CsvRow, printProfile, printTable } from './report.ts';

export { BenchError } from './bench-error.ts';

/** Others using less than this share of the processors leave the machine quiet. */
const quietShare = 0.05;
/** A run that others took more from is done again while there is patience. */
const spoiltShare = 0.1;

export async function bench(root: string, args: string[]): Promise<void> {
  const options = parse(args);
  const engines = options.engines.map((name) =>
    name === 'hearth' ? hearth(root) : llamaCpp(root, options.llamaKernels),
  );
  const patience = { seconds: options.patience };
  await waitForQuiet(quietShare, Math.min(60, patience.seconds));
  const limits = measureLimits(root, options.threads);
  const rows: CsvRow[] = limits ? limitRows(limits) : [];
  for (const name of options.models) {
    const model = await benchModel(root, name);
    console.log(`\n${model.name}, ${options.threads} threads, ${options.rounds} rounds`);
    rows.push(...(await benchOneModel(model, engines, options, limits, patience)));
  }
  console.log(`\nrows appended to ${relative(root, appendCsv(root, options.threads, rows))}`);
}

async function benchOneModel(
  model: BenchModel,
  engines: BenchEngine[],
  options: Options,
  limits: Limits | undefined,
  patience: { seconds: number },
): Promise<CsvRow[]> {
  const samples = engines.map(() => new Samples());
  const ops = new Map<string, Map<string, number>>();
  let variant = '';
  for (let round = 0; round < options.rounds; round++) {
    for (const [i, engine] of engines.entries()) {
      for (const plan of plans(model, options)) {
        const { result, others } = await quietRun(engine, plan, patience);
        samples[i]?.add(chosen(result, plan, options), others);
        variant = result.variant || variant;
        addOps(ops, result);
      }
    }
  }
  const figures = samples.map((all) => all.figures());
  const of = (name: string) => figures[engines.findIndex((engine) => engine.name === name)] ?? [];
  printTable(model, of('hearth'), of('llama.cpp'), limits, variant);
  if (ops.size > 0) printProfile(ops);
  const rival = `node-llama-cpp ${llamaCppVersion} ${options.llamaKernels}`.trimEnd();
  const label = (name: string) => (name === 'hearth' ? `hearth ${variant}` : rival);
  return engines.flatMap(({ name }) => of(name).map((figure) => ({ model: model.name, engine: label(name), figure })));
}

/** One process for the speeds; another that does what a user's would, for the memory. */
function plans(model: BenchModel, { only, threads, depths, variant }: Options): Plan[] {
  const nothing: Plan = {
    ...{ model: model.path, threads, variant },
    ...{ prefill: [], decode: 0, depths: [0], batch: [], batchDepth: 512, batchRounds: 5 },
  };
  const wants = (group: Group) => only.includes(group);
  const speed: Plan = {
    ...nothing,
    prefill: wants('prefill') ? [32, 128, 512] : [],
    decode: wants('decode') ? 64 : 0,
    depths: wants('decode') ? depths : [0],
    batch: wants('curve') ? [1, 2, 4, 8, 12] : [],
  };
  const isSpeed = only.some((group) => group !== 'memory');
  return [...(isSpeed ? [speed] : []), ...(wants('memory') ? [{ ...nothing, prefill: [512], decode: 64 }] : [])];
}

/** Every process tells its load time and its peak; only the speed run's load and the memory run's peak count. */
function chosen({ samples }: RunResult, plan: Plan, { only }: Options): RunResult['samples'] {
  const isMemory = plan.prefill.length === 1;
  if (isMemory) return { memory: samples.memory ?? [] };
  const { memory: _, load = [], ...speeds } = samples;
  return only.includes('load') ? { ...speeds, load } : speeds;
}

async function quietRun(engine: BenchEngine, plan: Plan, patience: { seconds: number }) {
  while (true) {
    const start = performance.now();
    await waitForQuiet(quietShare, patience.seconds);
    patience.seconds -= (performance.now() - start) / 1000;
    intoPageCache(plan.model);
    const others = watchOthers();
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

function limitRows({ readGbPerSecond, int8Gops }: Limits): CsvRow[] {
  const figure = (what: string, value: number, unit: Figure['unit']): CsvRow => ({
    model: '',
    engine: 'machine',
    figure: { what, value, unit, min: value, max: value, others: undefined },
  });
  const peaks = Object.entries(int8Gops).map(([variant, gops]) => figure(`int8 ${variant}`, gops, 'GOPS'));
  console.log(
    `limits: read ${readGbPerSecond} GB/s; int8 ${Object.entries(int8Gops)
      .map(([variant, gops]) => `${variant} ${gops} GOPS`)
      .join(', ')}`,
  );
  return [figure('read', readGbPerSecond, 'GB/s'), ...peaks];
}
