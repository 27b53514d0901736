// Runs the parts of the tests in lanes, each part in a process. The parts in one lane mostly wait for an editor,
// a download or a server. The other lanes compute, each on all cores: where one of them links, waits for Wine or has one
// test left, the others go on. They have the lower priority, so the waiting lane is about as fast as on an idle machine.
import { fork } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { constants, setPriority } from 'node:os';

const computingLanes = 3;
/** How long a part's output is still read after its process has ended. */
const outputPatienceMs = 2000;

/** A part calls this in its own process to report its result, which runLanes() then returns. */
export const report = (result) => new Promise((sent) => process.send(result, sent));

/**
 * computing, waiting: lists of part names. A lane runs the next of its parts when it is free; of those that compute,
 * the next one that need not wait for another. Once the waiting lane has none left, it helps with these. script: the
 * program to run with args and a part's name; it calls report(). onBegin: called with the part's name. onEnd: called
 * with everything that the part printed, so that the outputs of parts are not mixed. after: for a part's name, the
 * parts that must end first, if they run at all; those that compute are listed before it. Resolves to an object with
 * each part's result by name; the result is undefined if the part's process did not report one.
 */
export async function runLanes({ computing, waiting }, script, { args = [], onBegin = () => {}, onEnd, after = {} }) {
  const results = {};
  const ended = new EventEmitter();
  const isGiven = (name) => [...computing, ...waiting].includes(name);
  const missing = (name) => (after[name] ?? []).filter((first) => isGiven(first) && !(first in results));
  const left = [...computing];
  const takeReady = () => {
    const first = left.findIndex((name) => missing(name).length === 0);
    return left.splice(Math.max(0, first), 1)[0];
  };
  const run = async (own, priority) => {
    const next = () => own.shift() ?? takeReady();
    for (let name = next(); name !== undefined; name = next()) {
      for (const first of missing(name)) if (!(first in results)) await once(ended, first);
      onBegin(name);
      const { output, result } = await runProcess(script, [...args, name], priority);
      onEnd(output);
      results[name] = result;
      ended.emit(name);
    }
  };
  const { PRIORITY_NORMAL, PRIORITY_LOW } = constants.priority;
  const computes = Array.from({ length: computingLanes }, () => run([], PRIORITY_LOW));
  await Promise.all([run([...waiting], PRIORITY_NORMAL), ...computes]);
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
    // Processes that the part left behind might keep its output open.
    child.once('exit', () => setTimeout(end, outputPatienceMs));
  });
}
