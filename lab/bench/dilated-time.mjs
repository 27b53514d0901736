// Slows this process's clocks, so that a machine with other work seems faster. Import it before anything else.
import { syncBuiltinESMExports } from 'node:module';
import promises from 'node:timers/promises';

/** For the program, one second then takes this many real seconds. */
export function dilate(times) {
  const { setTimeout: timeout, setInterval: interval } = globalThis;
  const now = performance.now.bind(performance);
  const sleep = promises.setTimeout;
  globalThis.setTimeout = (run, ms = 0, ...rest) => timeout(run, ms * times, ...rest);
  globalThis.setInterval = (run, ms = 0, ...rest) => interval(run, ms * times, ...rest);
  promises.setTimeout = (ms = 0, ...rest) => sleep(ms * times, ...rest);
  performance.now = () => now() / times;
  AbortSignal.timeout = (ms) => {
    const controller = new AbortController();
    timeout(() => controller.abort(new DOMException('The time is over.', 'TimeoutError')), ms * times).unref();
    return controller.signal;
  };
  syncBuiltinESMExports();
}
