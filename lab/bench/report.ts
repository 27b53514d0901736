// Reports figures: prints a table for people, and appends rows to the CSV file with the history.
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { type Figure, type ReachedLimit, reachedLimit } from './figures.ts';
import type { Outcome } from './goals.ts';

/** Prints one row per figure: ours, and then each rival's with the ratio. A rival's figure may be missing. */
export function printTable({ model, variant, ours, rivals, limits }: Outcome): void {
  const head = ['', `hearth ${variant}`, ...rivals.flatMap(({ name }) => [name, 'ratio']), 'hearth, of the limit'];
  const single = ours.find(({ what }) => what === 'batch 1');
  const rows = ours.map((figure) => {
    return [
      figure.what,
      `${spread(figure)} ${figure.unit}`,
      ...rivals.flatMap(({ figures }) => {
        const theirs = figures.find(({ what }) => what === figure.what);
        return theirs ? [spread(theirs), `${(figure.value / theirs.value).toFixed(2)}x`] : ['-', '-'];
      }),
      figure.what.startsWith('batch') && single
        ? `${(figure.value / single.value).toFixed(2)}x of batch 1`
        : limitText(reachedLimit(figure, model, limits, variant)),
    ];
  });
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  for (const row of [head, ...rows]) {
    console.log(`  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('   ')}`.trimEnd());
  }
  if (limits) {
    const peaks = Object.entries(limits.int8Gops).map(([name, gops]) => `${name} ${gops.toFixed(0)} GOPS`);
    console.log(`  the machine meanwhile: read ${limits.readGbPerSecond.toFixed(1)} GB/s; int8 ${peaks.join(', ')}`);
  }
  const all = [...ours, ...rivals.flatMap(({ figures }) => figures)];
  const worst = Math.max(0, ...all.map(({ others }) => others ?? 0));
  console.log(`  others used at most ${(100 * worst).toFixed(0)} % of the processors, mean over the runs of a figure`);
}

function limitText(part: ReachedLimit | undefined): string {
  if (!part) return '';
  const bound = part.unit === 'GOPS' ? 'the int8 peak' : 'the read bandwidth';
  const share = part.share === undefined ? '' : `, ${(100 * part.share).toFixed(0)} % of ${bound}`;
  return `${part.amount.toFixed(part.amount < 100 ? 1 : 0)} ${part.unit}${share}`;
}

function spread({ value, min, max }: Figure): string {
  return `${short(value)} (${short(min)}-${short(max)})`;
}

function short(value: number): string {
  return value.toFixed(value < 100 ? 1 : 0);
}

/** "prefill 512: ffn_gate_up 52 %, ffn_down 26 %, ..." */
export function printProfile(ops: Map<string, Map<string, number>>): void {
  console.log('  where the time goes:');
  for (const [what, times] of ops) {
    const all = [...times.values()].reduce((sum, ms) => sum + ms, 0);
    const busiest = [...times].filter(([, ms]) => ms >= all / 100).sort(([, a], [, b]) => b - a);
    const shares = busiest.map(([op, ms]) => `${op} ${((100 * ms) / all).toFixed(0)} %`);
    console.log(`    ${what}: ${shares.join(', ')}`);
  }
}

export interface CsvRow {
  model: string;
  engine: string;
  figure: Figure;
}

export function csvPath(root: string, threads: number): string {
  return join(root, 'lab', 'bench', 'results', `${slug(cpus()[0]?.model ?? 'unknown')}-${threads}t.csv`);
}

export function appendCsv(root: string, threads: number, rows: CsvRow[]): void {
  const file = csvPath(root, threads);
  mkdirSync(dirname(file), { recursive: true });
  if (!existsSync(file)) writeFileSync(file, 'date,commit,model,engine,what,value,unit,min,max,others_percent\n');
  const stamp = `${new Date().toISOString().slice(0, 16)},${commit(root)}`;
  const lines = rows.map(({ model, engine, figure: { what, value, unit, min, max, others } }) => {
    const [middle, least, most] = [value, min, max].map((number) => Number(number.toPrecision(5)));
    const percent = others === undefined ? '' : (100 * others).toFixed(1);
    return `${stamp},${model},${engine},${what},${middle},${unit},${least},${most},${percent}\n`;
  });
  appendFileSync(file, lines.join(''));
}

function slug(text: string): string {
  return text
    .replace(/\((R|TM)\)/gi, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

/** The short id of the checkout's commit, with a plus sign if the engine's sources have uncommitted changes. */
export function commit(root: string): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  try {
    const changed = git('status', '--porcelain', '--untracked-files=no', '--', 'kernels', 'native');
    return `${git('rev-parse', '--short', 'HEAD')}${changed ? '+' : ''}`;
  } catch {
    return 'unknown';
  }
}
