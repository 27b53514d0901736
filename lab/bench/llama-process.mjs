// Starts a llama-server for a benchmark, and computes the benchmark's figures: peak memory and percentiles.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ToolError } from '../../scripts/tools.mjs';

const startPatienceMs = 120_000;

/** Resolves when the server answers. The caller must end the child. */
export async function startLlamaServer(path, options) {
  const port = await freePort();
  const args = [...options, '--host', '127.0.0.1', '--port', String(port)];
  const child = spawn(path, args, { stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  for (const end = performance.now() + startPatienceMs; performance.now() < end; await sleep(100)) {
    if (child.exitCode !== null) throw new ToolError(`${path} ended with exit code ${child.exitCode}`);
    const response = await fetch(`${url}/health`).catch(() => undefined);
    if (response?.ok) return { url, child };
  }
  child.kill('SIGKILL');
  throw new ToolError(`${path} is not ready after ${startPatienceMs / 1000} s`);
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

export function peakRssMb(pid) {
  const path = `/proc/${pid}/status`;
  const status = existsSync(path) ? readFileSync(path, 'utf8') : '';
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

export function percentiles(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const percentile = (fraction) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? Number.NaN;
  return { p50: percentile(0.5), p95: percentile(0.95) };
}
