// Runs every fuzz program for a while, from its seeds and from what earlier runs have found (build/fuzz/corpus). What makes
// one fail is left in build/fuzz, to be run again alone: build/fuzz/gguf_fuzz build/fuzz/gguf-crash-...
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildFuzz } from '../../scripts/build-native.mjs';
import { requireCommands, root, run, ToolError } from '../../scripts/tools.mjs';

const atOnce = 2;
const limits = ['-timeout=10', '-rss_limit_mb=1024'];
export const fuzzSeconds = 20;

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

async function runOne(name, seconds) {
  const corpus = join(root, 'build/fuzz/corpus', name);
  mkdirSync(corpus, { recursive: true });
  const options = [
    `-max_total_time=${seconds}`,
    '-print_final_stats=1',
    `-artifact_prefix=build/fuzz/${name}-`,
    ...limits,
  ];
  const program = join(root, 'build/fuzz', `${name}_fuzz`);
  try {
    const output = await run(program, [...options, corpus, join(root, 'test/fuzz/seeds', name)], { quiet: true });
    const executions = /number_of_executed_units: (\d+)/.exec(output)?.[1] ?? 'no';
    console.log(`${name}: ${executions} executions in ${seconds} s`);
    return executions !== 'no';
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    console.log(`${name}: ${error.output?.split('\n').slice(-40).join('\n')}\n${error.message}`);
    return false;
  }
}
