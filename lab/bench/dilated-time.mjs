// Slows the clocks of this process, so that a machine which does other work seems to be faster. Import it first.
import { syncBuiltinESMExports } from 'node:module';
import promises from 'node:timers/promises';

/** Every second of a program that runs then takes so many. */
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
