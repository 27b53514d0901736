// Fuzzes the claims about any bytes (claims/) with Jazzer.js, guided by coverage. Each claim has its seeds and words;
// build/fuzz-ts keeps inputs that reached new code in earlier runs, and failing inputs.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { programOptions } from '../../../scripts/bundle.mjs';
import { root, run, ToolError } from '../../../scripts/tools.mjs';

const jazzer = join(root, '.cache/jazzer');
const folder = join(root, 'build/fuzz-ts');
const maxReportChars = 20_000;
const lastWordsMs = 3000;

async function bundle(source, outfile) {
  await build({
    stdin: { contents: source, resolveDir: import.meta.dirname, loader: 'ts' },
    outfile,
    ...programOptions,
  });
  return outfile;
}

// Jazzer.js calls the function `fuzz` with bytes. An exception or a rejection is a finding.
const target = (name) => `
import { cut } from './claims/claim.ts';
import { claims } from './claims/index.ts';
export const fuzz = async (bytes: Buffer) => claims['${name}'].check(cut(bytes));`;

/** Uses the glibc that Jazzer.js needs if the system's is older (scripts/install-jazzer.sh). */
function nodeCommand() {
  const libraries = join(jazzer, 'glibc/usr/lib/x86_64-linux-gnu');
  if (!existsSync(libraries)) return [process.execPath];
  return [join(libraries, 'ld-linux-x86-64.so.2'), '--library-path', libraries, process.execPath];
}

/** libFuzzer's format: one quoted string per line, with unprintable bytes as \xAB. */
const dictionary = (words) =>
  words
    .map((word) => [...Buffer.from(word)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join(''))
    .map((bytes) => `"${bytes}"\n`)
    .join('');

async function fuzzClaim(name, { seeds, words }, seconds) {
  const corpus = join(folder, name);
  mkdirSync(corpus, { recursive: true });
  seeds.forEach((seed, i) => {
    writeFileSync(join(corpus, `seed-${i}`), Buffer.concat([Buffer.alloc(3), Buffer.from(seed)]));
  });
  writeFileSync(join(folder, `${name}.dict`), dictionary(words));
  const program = await bundle(target(name), join(folder, `${name}.cjs`));
  const [command, ...before] = [...nodeCommand(), join(jazzer, 'node_modules/@jazzer.js/core/dist/cli.js')];
  const options = ['--includes', `${name}.cjs`, '--timeout', '10000', '--disableBugDetectors', 'ssrf'];
  const libFuzzer = [
    `-max_total_time=${seconds}`,
    '-max_len=4096',
    `-dict=${join(folder, `${name}.dict`)}`,
    `-artifact_prefix=${folder}/${name}-`,
    '-print_final_stats=1',
  ];
  const output = await fuzzed(command, [...before, program, corpus, ...options, '--', ...libFuzzer]);
  const inputs = /^#(\d+)\s+DONE/m.exec(output)?.[1];
  if (inputs === undefined) throw new ToolError(`${output.slice(-maxReportChars)}\n${name} failed`);
  console.log(`${name}: ${inputs} inputs in ${seconds} s, ${readdirSync(corpus).length} kept`);
}

/**
 * The output of the command. With its own glibc, the program sometimes neither ends nor prints its last lines, so we
 * kill it once it has printed its count.
 */
function fuzzed(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const onText = (text) => {
      output += text;
      if (/^#\d+\s+DONE|peak_rss_mb/m.test(output)) setTimeout(() => child.kill('SIGKILL'), lastWordsMs).unref();
    };
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', onText);
    child.on('error', reject);
    child.on('close', () => resolve(output));
  });
}

/** Rejects with the output of the first program that found something. */
export async function fuzzGuided(seconds, wanted) {
  await run('bash', ['scripts/install-jazzer.sh']);
  mkdirSync(folder, { recursive: true });
  const { claims } = await import(await bundle(`export * from './claims/index.ts'`, join(folder, 'claims.cjs')));
  for (const [name, claim] of Object.entries(claims))
    if (wanted.length === 0 || wanted.includes(name)) await fuzzClaim(name, claim, seconds);
}
