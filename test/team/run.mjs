// A team's server and what it does to Hearth, as a table: `npm run test:team`. It installs llama.cpp's server from PyPI
// into build/team-venv and serves the starter model with it. Others are tried where they run already:
//   npm run test:team -- --url http://127.0.0.1:8000 --name vLLM [--model NAME]       token: HEARTH_SERVER_TOKEN
// These are neither stopped nor killed.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { main, root, run, ToolError } from '../../scripts/tools.mjs';
import { bundled } from '../support/bundled.mjs';

const llamaCpp = 'xllamacpp==2026.10.11549';
const token = 'token-of-the-test';
const starter = join(root, 'models', 'starter.gguf');
const { values: options } = parseArgs({
  options: { url: { type: 'string' }, name: { type: 'string' }, model: { type: 'string' } },
});

/** The program prints its address when it listens. */
const program = `
import sys, threading, xllamacpp
p = xllamacpp.CommonParams()
p.model.path, p.port, p.api_keys = sys.argv[1], 0, [sys.argv[2]]
p.n_ctx, p.n_parallel = 16384, 2
server = xllamacpp.Server(p)
print(server.listening_address, flush=True)
threading.Event().wait()
`;

async function startLlamaCpp() {
  const venv = join(root, 'build', 'team-venv');
  const python = join(venv, 'bin', 'python');
  if (!existsSync(python)) await run('python3', ['-m', 'venv', venv]);
  await run(python, ['-m', 'pip', 'install', '--quiet', llamaCpp]);
  const child = spawn(python, ['-c', program, starter, token], { stdio: ['ignore', 'pipe', 'ignore'] });
  for await (const line of createInterface({ input: child.stdout }))
    if (line.startsWith('http')) return { child, subject: { url: line, model: '', credential: token, pid: child.pid } };
  throw new ToolError(`llama.cpp's server ended with exit code ${child.exitCode}`);
}

async function subjectOf() {
  if (options.url === undefined) return startLlamaCpp();
  return {
    subject: { url: options.url, model: options.model ?? '', credential: process.env.HEARTH_SERVER_TOKEN ?? '' },
  };
}

await main(async () => {
  const { behaviours, doctor, loadLocal } = await bundled('team', 'test/team/team.ts');
  const { child, subject } = await subjectOf();
  const local = await loadLocal(starter);
  let failed = 0;
  const row = (name, isOk, detail) => {
    if (!isOk) failed++;
    console.log(`| ${name} | ${isOk ? '' : '**FAIL** '}${String(detail).replaceAll(/[|\n]/g, ' ')} |`);
  };
  console.log(`| ${options.name ?? llamaCpp} | |\n| --- | --- |`);
  try {
    for (const { name, isOk, detail } of await doctor(subject)) row(name, isOk, detail);
    for (const [name, behaviour] of Object.entries(behaviours)) {
      try {
        row(name, true, await behaviour(subject, local));
      } catch (error) {
        row(name, false, error.message);
      }
    }
  } finally {
    child?.kill('SIGKILL');
    await local.close();
  }
  if (failed > 0) throw new ToolError(`${failed} of the behaviours failed`);
});
