// hearth replay: types a trace into the real language server and tells how it kept up.
import { setTimeout as sleep } from 'node:timers/promises';
import { bundledModelPath } from '../bundled-model.ts';
import { defaultSettings, type Settings } from '../protocol.ts';
import { type Command, count, languageIdOf, onlyOperand, print, printJson, text, UsageError } from './command.ts';
import { type Answer, type Pending, ReplayServer } from './replay-server.ts';
import { readTrace, type Trace } from './trace.ts';

export const replayCommand: Command = {
  summary: 'type a recorded trace into the language server and time the answers',
  operands: 'TRACE.jsonl',
  options: {
    model: { type: 'string', value: 'FILE', help: 'GGUF file; without it the bundled starter model' },
    threads: { type: 'string', short: 't', value: 'N', help: 'threads; without it one a core, at most 8' },
    mode: { type: 'string', value: 'MODE', help: 'wait: for each answer; live: type at the recorded speed; wait' },
    'max-tokens': { type: 'string', short: 'n', value: 'N', help: 'longest completion; 16' },
    keys: { type: 'boolean', help: 'also print a line of JSON for each key' },
  },
  async run(values, operands) {
    const trace = readTrace(onlyOperand(operands, 'TRACE.jsonl'));
    const mode = text(values, 'mode') ?? 'wait';
    if (mode !== 'wait' && mode !== 'live') throw new UsageError(`--mode is wait or live, not "${mode}"`);
    const settings: Settings = {
      ...defaultSettings,
      'model.path': text(values, 'model') ?? '',
      'engine.threads': count(values, 'threads') ?? 0,
      'completion.maxTokens': count(values, 'max-tokens') ?? 16,
    };
    const server = await ReplayServer.start(trace, languageIdOf(trace.name), settings, bundledModelPath());
    try {
      const [first] = trace.edits;
      if (first) await server.rest({ line: first.line, character: first.character });
      const readBefore = server.status.engine?.cache.missTokens ?? 0;
      const keys = await (mode === 'wait' ? typeAndWait(server, trace) : typeLive(server, trace));
      if (values.keys) for (const [i, key] of keys.entries()) printJson({ insert: trace.edits[i]?.insert, ...key });
      const report = summarize(server, keys, readBefore);
      if (values.json) printJson(report);
      else printReport(report);
    } finally {
      await server.close();
    }
  },
};

interface Key extends Answer {
  isBeforeNextKey: boolean;
  /** By the engine for this key's answer, in the foreground. */
  evaluated: number;
}

async function typeAndWait(server: ReplayServer, trace: Trace): Promise<Key[]> {
  const keys: Key[] = [];
  for (const edit of trace.edits) keys.push(await keyOf(server, server.type(edit), Promise.resolve(true)));
  return keys;
}

/** Each key comes at its time and cancels the request before it, as an editor does. */
async function typeLive(server: ReplayServer, trace: Trace): Promise<Key[]> {
  const start = performance.now();
  const keys: Promise<Key>[] = [];
  let previous: Pending | undefined;
  for (const [i, edit] of trace.edits.entries()) {
    await sleep(Math.max(0, start + edit.atMs - performance.now()));
    previous?.cancel();
    const pending = server.type(edit);
    const next = trace.edits[i + 1];
    const nextKey = next ? sleep(next.atMs - edit.atMs, false) : new Promise<never>(() => {});
    const inTime = Promise.race([pending.answer.then(({ isCancelled }) => !isCancelled), nextKey]);
    keys.push(keyOf(server, pending, inTime));
    previous = pending;
  }
  return Promise.all(keys);
}

async function keyOf(server: ReplayServer, pending: Pending, inTime: Promise<boolean>): Promise<Key> {
  const before = server.status.last;
  const answer = await pending.answer;
  // The server reports the figures of an answer before it answers; one from memory has none.
  const { last } = server.status;
  const evaluated = last && last !== before ? last.promptTokens - last.cachedTokens : 0;
  return { ...answer, evaluated, isBeforeNextKey: await inTime };
}

export interface ReplayReport {
  keystrokes: number;
  answeredBeforeNextKey: number;
  withText: number;
  firstTextMs: Percentiles;
  fullMs: Percentiles;
  tokensEvaluated: { mean: number; p99: number; max: number };
  backgroundTokens: { mean: number };
  cacheHitTokens: number;
  peakRssMb: number;
}

interface Percentiles {
  p50: number;
  p95: number;
  p99: number;
}

function summarize(server: ReplayServer, keys: Key[], readBefore: number): ReplayReport {
  const answered = keys.filter(({ isCancelled }) => !isCancelled);
  const evaluated = keys.map((key) => key.evaluated);
  const foreground = evaluated.reduce((sum, n) => sum + n, 0);
  const cache = server.status.engine?.cache;
  return {
    keystrokes: keys.length,
    answeredBeforeNextKey: keys.filter(({ isBeforeNextKey }) => isBeforeNextKey).length,
    withText: keys.filter(({ hasText }) => hasText).length,
    firstTextMs: percentiles(answered.map(({ firstTextMs }) => firstTextMs)),
    fullMs: percentiles(answered.map(({ fullMs }) => fullMs)),
    tokensEvaluated: {
      mean: mean(evaluated),
      p99: percentile(evaluated, 0.99),
      max: Math.max(0, ...evaluated),
    },
    backgroundTokens: { mean: cache ? Math.max(0, cache.missTokens - readBefore - foreground) / keys.length : 0 },
    cacheHitTokens: cache?.hitTokens ?? 0,
    peakRssMb: server.peakRssMb(),
  };
}

function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function percentiles(values: number[]): Percentiles {
  return { p50: percentile(values, 0.5), p95: percentile(values, 0.95), p99: percentile(values, 0.99) };
}

function printReport(report: ReplayReport): void {
  const { keystrokes, answeredBeforeNextKey, withText, firstTextMs, fullMs, tokensEvaluated } = report;
  print(`${keystrokes} keys, ${answeredBeforeNextKey} answered before the next one, ${withText} with text`);
  for (const [what, figures] of Object.entries({ 'first text': firstTextMs, 'full answer': fullMs })) {
    const shown = Object.entries(figures).map(([name, ms]) => `${name} ${ms.toFixed(0)} ms`);
    print(`${what.padEnd(12)} ${shown.join(', ')}`);
  }
  print(
    `evaluated    ${tokensEvaluated.mean.toFixed(1)} tokens a key, at most ${tokensEvaluated.max}; ` +
      `in the background ${report.backgroundTokens.mean.toFixed(1)}`,
  );
  print(`cache        ${report.cacheHitTokens} tokens supplied; ${report.peakRssMb.toFixed(0)} MB at most in memory`);
}
