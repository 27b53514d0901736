// Finds calls in the GPU's host code that wait for the whole device. Such calls also wait for the desktop, have no time
// limit and hang if any kernel hangs. All work must use the stream of Device, and waits must poll an event.
//   lint-hip.mjs FILE...    one line for each such call, exit code 1 if there is one
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const rules = [
  [/\b(?:hip|cuda|cu)(?:Device|Stream|Event|Ctx)Synchronize\b/g, 'waits without bound: poll an event'],
  [/\b(?:hip|cuda|cu)Mem(?:cpy|set)(?!\w*Async)\w*\s*[("]/g, 'waits for the device: use the Async one on the stream'],
  [/\b(?:hip|cuda)StreamCreate\s*[("]/g, 'makes a stream that waits for the default one: make it non-blocking'],
  [/<<</g, 'launches on the default stream: launch on the stream of the Device'],
  // Calls whose last argument is the stream.
  [/\b(?:copy|fill|record_event|launch_graph)\([^;{}]*,\s*(?:nullptr|NULL|0)\s*\)/g, 'uses the default stream'],
];

/** The forbidden calls in a source, comments aside, as [line, what is wrong]. */
export function deviceWideWaits(source) {
  const code = source.replace(/\/\/.*/g, '');
  const found = rules.flatMap(([pattern, reason]) =>
    [...code.matchAll(pattern)].map(({ 0: text, index }) => {
      const line = code.slice(0, index).split('\n').length;
      return [line, `${text.replace(/\s+/g, ' ')} ${reason}`];
    }),
  );
  return found.sort(([a], [b]) => a - b);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const file of process.argv.slice(2)) {
    for (const [line, problem] of deviceWideWaits(readFileSync(file, 'utf8'))) {
      console.log(`${file}:${line}: ${problem}`);
      process.exitCode = 1;
    }
  }
}
