// Measures the product with a model: runs independent programs one after the other.
import { spawnSync } from 'node:child_process';
import type { Options } from './real.ts';
import type { Report } from './report.ts';

type Programs = (model: string, options: Options) => string[][];

const programs: Record<string, Programs> = {
  speed: (model, { threads }) => [
    [
      ...['lab/bench/run.mjs', '--models', model, '--threads', `${threads}`, '--depths', '0'],
      ...['--only', 'prefill,decode,load,memory', '--repeat', '3', '--patience', '60'],
    ],
  ],
  typing: (model, { threads, server }) => [
    ['lab/tools/run.mjs', 'replay', 'test/fixtures/traces/text-window.jsonl', '--mode', 'live', '--model', model],
    ...(server === undefined
      ? []
      : [['lab/bench/llama-server.mjs', '--server', server, '--models', model, '--threads', `${threads}`]]),
  ],
  drafts: (model, { threads }) => [
    ['lab/bench/speculation.mjs', '--model', model, '--threads', `${threads}`, '--places', '8', '--rounds', '1'],
  ],
  quality: (model, { threads, cases }) =>
    cases === undefined ? [] : [['lab/tools/run.mjs', 'eval', cases, '--model', model, '--threads', `${threads}`]],
};

export const figures = Object.keys(programs);

export function takeFigures(report: Report, root: string, model: string, options: Options): void {
  for (const name of figures.filter((each) => options.only.includes(each))) {
    for (const args of programs[name]?.(model, options) ?? []) {
      report.line(`\nnode ${args.join(' ')}`);
      const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
      if (status !== 0) report.verdict(false, `${name}: ${args[0]} ended with exit code ${status}`);
    }
  }
}
