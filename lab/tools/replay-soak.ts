// Types for a long time, and reports the server's memory and its CPU time at rest: memory must not grow, and the server
// must be idle when no keys are pressed.
import { setTimeout as sleep } from 'node:timers/promises';
import { print, printJson } from '../../language-server/cli/command.ts';
import type { ReplayEditor } from './replay-editor.ts';
import { typeLive } from './replay-typing.ts';
import type { Trace } from './trace.ts';

// The time that background work gets to finish.
const settleMs = 3000;
const idleMs = 5000;

/** Types the trace live, over and over into the same document, and reports the server's memory every minute. */
export async function soak(editor: ReplayEditor, trace: Trace, minutes: number, isJson: boolean): Promise<void> {
  const startedAt = performance.now();
  const elapsedMinutes = () => (performance.now() - startedAt) / 60_000;
  let keys = 0;
  let answered = 0;
  const report = (otherFigures: object = {}) => {
    const cache = editor.status.engine?.cache;
    const cacheMb = ((cache?.pagesUsed ?? 0) * (cache?.pageBytes ?? 0)) / 2 ** 20;
    const budgetMb = ((cache?.pagesTotal ?? 0) * (cache?.pageBytes ?? 0)) / 2 ** 20;
    const { rssMb } = editor.memory();
    const figures = { minute: Math.round(elapsedMinutes()), rssMb, cacheMb, budgetMb, keys, answered, ...otherFigures };
    if (isJson) return printJson(figures);
    const shown = Object.entries(figures).map(([name, value]) => `${name} ${Number(value.toFixed(1))}`);
    print(shown.join(', '));
  };
  const everyMinute = setInterval(report, 60_000);
  try {
    while (elapsedMinutes() < minutes) {
      const typed = await typeLive(editor, trace, () => elapsedMinutes() >= minutes);
      keys += typed.length;
      answered += typed.filter(({ isCancelled }) => !isCancelled).length;
      editor.goTo(trace, -1);
    }
  } finally {
    clearInterval(everyMinute);
  }
  await sleep(settleMs);
  const cpuMs = editor.cpuMs();
  await sleep(idleMs);
  report({ idleCpuPercent: ((editor.cpuMs() - cpuMs) / idleMs) * 100 });
}
