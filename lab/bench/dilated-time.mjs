// Slows this process's clocks, so that a machine that is busy with other work appears as fast as an idle one. Import
// this before anything else.
import { syncBuiltinESMExports } from 'node:module';
import promises from 'node:timers/promises';

/** After this call, one second of the program's clocks takes `factor` real seconds. */
export function dilate(factor) {
  const { setTimeout: timeout, setInterval: interval } = globalThis;
  const now = performance.now.bind(performance);
  const sleep = promises.setTimeout;
  globalThis.setTimeout = (run, ms = 0, ...rest) => timeout(run, ms * factor, ...rest);
  globalThis.setInterval = (run, ms = 0, ...rest) => interval(run, ms * factor, ...rest);
  promises.setTimeout = (ms = 0, ...rest) => sleep(ms * factor, ...rest);
  performance.now = () => now() / factor;
  AbortSignal.timeout = (ms) => {
    const controller = new AbortController();
    timeout(() => controller.abort(new DOMException('The time is over.', 'TimeoutError')), ms * factor).unref();
    return controller.signal;
  };
  syncBuiltinESMExports();
}
