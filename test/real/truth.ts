// Runs PyTorch in float32 with the file's weights, to find out which of the two engines is closer to the exact result.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../../language-server/cli/command.ts';
import { compareRows } from './compare.ts';
import type { Asked } from './ours.ts';
import type { Report } from './report.ts';
import { readFloats } from './theirs.ts';
import { inWords } from './verdicts.ts';

const maxPositions = 100;

export function compareWithTruth(
  report: Report,
  from: {
    root: string;
    python: string;
    model: string;
    threads: number;
    asked: Asked;
    rows: Float32Array;
    vocabulary: number;
  },
): void {
  const { asked, rows, vocabulary } = from;
  if (!asked.logits) return;
  const tokens = asked.logits.tokens.slice(0, maxPositions);
  const exact = exactLogits(from, [...tokens]);
  const compare = (theirs: Float32Array) => compareRows(exact, theirs.subarray(0, exact.length), vocabulary);
  const [ours, llamaCpp] = [compare(asked.logits.rows), compare(rows)];
  report.line(`     PyTorch and llama.cpp: ${inWords(llamaCpp)}`);
  report.verdict(ours.nmse <= 1.5 * llamaCpp.nmse, `PyTorch and Hearth: ${inWords(ours)}`);
}

function exactLogits(
  { root, python, model, threads }: { root: string; python: string; model: string; threads: number },
  tokens: number[],
): Float32Array {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-truth-'));
  try {
    const [ids, out] = [join(folder, 'ids.json'), join(folder, 'rows.f32')];
    writeFileSync(ids, JSON.stringify(tokens));
    const args = [join(root, 'test', 'real', 'truth.py'), model, ids, out];
    const env = { ...process.env, OMP_NUM_THREADS: String(threads) };
    const { status } = spawnSync(python, args, { stdio: ['ignore', 'inherit', 'inherit'], env });
    if (status !== 0) throw new UsageError(`${python} test/real/truth.py failed: it needs torch, numpy and gguf`);
    return readFloats(out);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
