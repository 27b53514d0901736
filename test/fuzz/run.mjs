// Runs every fuzz program for a given time, starting from its seeds and the corpus of earlier runs (build/fuzz/corpus).
// The short form runs a fixed number of executions, nearly the same ones each time (about 20 s), so that a failure
// comes from a change and not from chance. Failing inputs stay in build/fuzz and can be run again: build/fuzz/gguf_fuzz
// build/fuzz/gguf-crash-...
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildFuzz } from '../../scripts/build-native.mjs';
import { requireCommands, root, run, ToolError } from '../../scripts/tools.mjs';

const atOnce = 2;
const limits = ['-timeout=60', '-rss_limit_mb=1024'];
const shortRuns = { gguf: 100_000, page_cache: 30_000, page_file: 60_000, tokenizer: 40_000, utf8: 250_000 };
// Mutations must not use the values that a program compares, which might be addresses or times.
const sameEachTime = ['-seed=1', '-use_cmp=0'];

/** seconds: the time for each program. Without it, the short form runs. */
export async function fuzz(seconds) {
  await requireCommands('clang++-16');
  await buildFuzz();
  const waiting = readdirSync(join(root, 'test/fuzz/seeds'));
  const sum = { passed: 0, failed: 0 };
  const work = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift())
      sum[(await runOne(name, seconds)) ? 'passed' : 'failed']++;
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return sum;
}

/** The command prefix that turns address randomization off. Empty if a container forbids that. */
function atFixedAddresses() {
  const command = ['setarch', '-R'];
  return spawnSync(command[0], [command[1], 'true']).status === 0 ? command : [];
}

async function runOne(name, seconds) {
  const corpus = join(root, 'build/fuzz', seconds ? 'corpus' : 'short-corpus', name);
  if (!seconds) rmSync(corpus, { recursive: true, force: true });
  mkdirSync(corpus, { recursive: true });
  const options = [
    ...(seconds ? [`-max_total_time=${seconds}`] : [...sameEachTime, `-runs=${shortRuns[name]}`]),
    '-print_final_stats=1',
    `-artifact_prefix=build/fuzz/${name}-`,
    ...limits,
  ];
  const program = join(root, 'build/fuzz', `${name}_fuzz`);
  const start = performance.now();
  try {
    const [command, ...args] = [...(seconds ? [] : atFixedAddresses()), program, ...options, corpus];
    const output = await run(command, [...args, join(root, 'test/fuzz/seeds', name)], { quiet: true });
    const executions = /number_of_executed_units: (\d+)/.exec(output)?.[1] ?? 'no';
    console.log(`${name}: ${executions} executions in ${((performance.now() - start) / 1000).toFixed(0)} s`);
    return executions !== 'no';
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    console.log(`${name}: ${error.output?.split('\n').slice(-40).join('\n')}\n${error.message}`);
    return false;
  }
}
