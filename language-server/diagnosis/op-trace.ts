// Records how long each op of a completion takes, in a file for chrome://tracing or ui.perfetto.dev.
import { writeFileSync } from 'node:fs';
import type { Engine, OpEvent } from '../../native/index.ts';
import { selfTestPrompt } from './machine.ts';

/** Traces a completion with an empty cache. Returns a summary for the user. */
export async function writeOpTrace(engine: Engine, path: string): Promise<string> {
  await engine.clearCache();
  const { trace = [], timings } = await engine.generate({ ...selfTestPrompt(engine), traceOps: true });
  writeFileSync(path, JSON.stringify({ traceEvents: trace.map(chromeEvent), displayTimeUnit: 'ms' }));
  const readMs = trace.reduce((sum, event) => sum + event.ms, 0);
  const bytes = trace.reduce((sum, event) => sum + event.bytes, 0);
  const submitted = engine.info.device === 'gpu' ? ' (a GPU: the times are those of submitting)' : '';
  return (
    `${trace.length} operations of ${timings.promptTokens} prompt tokens and ${timings.completionTokens} more in ${path}; ` +
    `${(bytes / 1e9).toFixed(2)} GB read at ${gigabytesPerSecond(bytes, readMs)} GB/s${submitted}; open it in chrome://tracing`
  );
}

/** A "complete" event of the Trace Event Format; times are in microseconds. */
function chromeEvent({ op, layer, tokens, startMs, ms, bytes }: OpEvent) {
  const args = { layer, tokens, bytes, 'GB/s': Number(gigabytesPerSecond(bytes, ms)) };
  return { name: op, cat: 'op', ph: 'X', pid: 1, tid: 1, ts: startMs * 1000, dur: ms * 1000, args };
}

const gigabytesPerSecond = (bytes: number, ms: number) => (ms === 0 ? 0 : bytes / ms / 1e6).toFixed(2);
