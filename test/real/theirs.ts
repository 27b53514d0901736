// Gets llama.cpp's answers from its own process through files, since rows of logits take hundreds of megabytes.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { llamaCppEntry } from '../../lab/bench/engines.ts';
import { UsageError } from '../../language-server/cli/command.ts';
import type { Plan, Theirs } from './plan.ts';

export function askLlamaCpp(root: string, plan: Plan): { theirs: Theirs; rows: Float32Array | undefined } {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-real-'));
  try {
    writeFileSync(join(folder, 'plan.json'), JSON.stringify(plan));
    const program = join(root, 'test', 'real', 'llama-cpp.mjs');
    const args = [program, llamaCppEntry(root), folder];
    const { status } = spawnSync(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
    if (status !== 0) throw new UsageError(`llama.cpp ended with exit code ${status}`);
    const theirs = JSON.parse(readFileSync(join(folder, 'theirs.json'), 'utf8')) as Theirs;
    const hasRows = plan.runs.some(({ name }) => name === 'logits');
    return { theirs, rows: hasRows ? readFloats(join(folder, 'logits.f32')) : undefined };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export function readFloats(path: string): Float32Array {
  const { buffer, byteOffset, byteLength } = readFileSync(path);
  return new Float32Array(buffer, byteOffset, byteLength / 4);
}
