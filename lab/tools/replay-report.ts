// The report of `replay`: times and tokens of a trace's keys.
import { print } from '../../language-server/cli/command.ts';
import type { AcceptReport } from './replay-accept.ts';
import type { ReplayEditor } from './replay-editor.ts';
import type { Key } from './replay-typing.ts';
import { mean, type Percentiles, percentile, percentiles } from './statistics.ts';

export interface ReplayReport {
  keystrokes: number;
  /** The number of keys whose answer was complete before the next key. */
  answeredBeforeNextKey: number;
  /** The number of keys that got text, perhaps unfinished, before the next key. */
  withText: number;
  firstTextMs: Percentiles;
  fullMs: Percentiles;
  tokensEvaluated: { mean: number; p99: number; max: number };
  backgroundTokens: { mean: number };
  cacheHitTokens: number;
  peakRssMb: number;
  /** Only with --accept. */
  accepting?: AcceptReport;
}

/** evaluatedBefore: tokens that the engine evaluated before the first key. */
export function summarize(
  editor: Pick<ReplayEditor, 'status' | 'memory'>,
  keys: Key[],
  evaluatedBefore: number,
): ReplayReport {
  const answered = keys.filter(({ isCancelled }) => !isCancelled);
  const evaluated = keys.map((key) => key.evaluated);
  const foreground = evaluated.reduce((sum, n) => sum + n, 0);
  const cache = editor.status.engine?.cache;
  const background = (cache?.missTokens ?? 0) - evaluatedBefore - foreground;
  return {
    keystrokes: keys.length,
    answeredBeforeNextKey: answered.length,
    withText: keys.filter(({ firstTextMs, text }) => firstTextMs !== null && text !== null).length,
    firstTextMs: percentiles(keys.flatMap(({ firstTextMs }) => firstTextMs ?? [])),
    fullMs: percentiles(answered.map(({ fullMs }) => fullMs)),
    tokensEvaluated: {
      mean: mean(evaluated),
      p99: percentile(evaluated, 0.99),
      max: Math.max(0, ...evaluated),
    },
    backgroundTokens: { mean: Math.max(0, background) / Math.max(1, keys.length) },
    cacheHitTokens: cache?.hitTokens ?? 0,
    peakRssMb: editor.memory().peakRssMb,
  };
}

export function printReport(report: ReplayReport): void {
  const { keystrokes, answeredBeforeNextKey, withText, tokensEvaluated, accepting } = report;
  print(`${keystrokes} keys; before the next key, ${answeredBeforeNextKey} were answered and ${withText} had text`);
  printTimes('first text', report.firstTextMs);
  printTimes('full answer', report.fullMs);
  print(
    `evaluated    ${tokensEvaluated.mean.toFixed(1)} tokens per key, at most ${tokensEvaluated.max}; ` +
      `in the background ${report.backgroundTokens.mean.toFixed(1)}`,
  );
  print(`cache        ${report.cacheHitTokens} tokens supplied; ${report.peakRssMb.toFixed(0)} MB at most in memory`);
  if (!accepting) return;
  printTimes('typed along', accepting.typedThroughMs);
  printTimes('accepted', accepting.acceptedMs);
  const { accepted, typedThrough, tokensEvaluated: tokens } = accepting;
  print(`${accepted} ghost texts accepted, ${typedThrough} keys typed along with them, for ${tokens} tokens`);
}

function printTimes(what: string, times: Percentiles): void {
  const shown = Object.entries(times).map(([name, ms]) => `${name} ${Number.isNaN(ms) ? '-' : `${ms.toFixed(1)} ms`}`);
  print(`${what.padEnd(12)} ${shown.join(', ')}`);
}
