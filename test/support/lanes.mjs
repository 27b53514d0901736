// Runs the parts of the tests in two lanes, each part as a process: one lane computes on all cores, the other mostly
// waits for an editor, a download or a server. The computing lane has the lower priority, so the waiting lane is about
// as fast as on an idle machine.
import { fork } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { constants, setPriority } from 'node:os';

const leftMs = 2000;

/** Called by a part in its own process: runLanes() returns result for this part. */
export const report = (result) => new Promise((sent) => process.send(result, sent));

/**
 * lanes: { computing, waiting, either }, lists of part names; whichever lane is done first runs the parts in `either`.
 * script: the program to run with args and a part's name; it calls report(). onBegin: called with the name. onEnd:
 * called with everything that the part printed, so that the output of parts is not mixed. after: name -> the part that
 * must end before, if it runs at all. Resolves to name -> result, which is undefined if the part's process ended
 * without one.
 */
export async function runLanes(lanes, script, { args = [], onBegin = () => {}, onEnd, after = {} }) {
  const results = {};
  const ended = new EventEmitter();
  const { computing, waiting, either = [] } = lanes;
  const isGiven = (name) => [...computing, ...waiting, ...either].includes(name);
  const rest = [...either];
  const run = async (names, priority) => {
    const own = [...names];
    const next = () => own.shift() ?? rest.shift();
    for (let name = next(); name !== undefined; name = next()) {
      const first = after[name];
      if (isGiven(first) && !(first in results)) await once(ended, first);
      onBegin(name);
      const { output, result } = await runProcess(script, [...args, name], priority);
      onEnd(output);
      results[name] = result;
      ended.emit(name);
    }
  };
  const { PRIORITY_NORMAL, PRIORITY_LOW } = constants.priority;
  await Promise.all([run(computing, PRIORITY_LOW), run(waiting, PRIORITY_NORMAL)]);
  return results;
}

function runProcess(script, args, priority) {
  return new Promise((resolve) => {
    const child = fork(script, args, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    setPriority(child.pid, priority); // processes that it starts inherit it
    const output = [];
    const streams = [child.stdout, child.stderr];
    for (const stream of streams) stream.on('data', (data) => output.push(data));
    let result;
    child.once('message', (message) => {
      result = message;
    });
    const end = () => {
      for (const stream of streams) stream.destroy();
      resolve({ output: Buffer.concat(output), result });
    };
    child.once('close', end);
    child.once('exit', () => setTimeout(end, leftMs)); // processes that it left behind might keep its output open
  });
}
