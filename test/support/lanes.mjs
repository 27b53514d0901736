// Runs the parts of the tests in two lanes, each part as a process: beside what computes on all cores runs what mostly
// waits, for an editor, a download or a server. What computes has the lower priority, so that what is waited for comes
// about as soon as on a machine with nothing else to do.
import { fork } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { constants, setPriority } from 'node:os';

const leftMs = 2000;

/** What a part is in its own process: result becomes what runLanes() has for it. */
export const report = (result) => new Promise((sent) => process.send(result, sent));

/**
 * lanes: lists of names, { computing, waiting, either }; the lane that is done first takes what is in the last. script: run
 * with args and a name, it calls report(). onBegin: gets the name. onEnd: gets all that the part has printed, so that parts are not mixed. after: name -> the part that must have
 * ended before, if it runs at all. Resolves to name -> result; undefined for a part whose process ended without one.
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
    setPriority(child.pid, priority); // also that of what it starts
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
    child.once('exit', () => setTimeout(end, leftMs)); // what it has left behind may hold its output open
  });
}
