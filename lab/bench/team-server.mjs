// Measures a team's server, a real llama-server: once with clients of Hearth, and once with as many clients that send
// the requests of llama.vscode.
//   node lab/bench/team-server.mjs --server PATH [--model FILE] [--clients 1,10,50] [--keys 20] [--interval 250]
//                                   [--threads 2] [--max-tokens 16] [--cases 219]
// PATH is a llama-server that you have built; it and all clients share this machine. Measures
// - whether the answers equal those of the same model in Hearth's own engine, at the cursors in test/golden;
// - how soon the server is idle after a request was cancelled;
// - the time from a key to the first text for clients that all type at once.
// llama.vscode always asks for slot 0, so that its clients would wait for each other. Here the server chooses a slot
// for each request, which favours llama.vscode. Rows are appended to results/team-server-CPU-Nt.csv (N threads). No
// figure fails the bench; it fails if the local engine answers instead of the server.
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { basename, join } from 'node:path';
import { main, optionsFrom, root, ToolError } from '../../scripts/tools.mjs';
import { bundled } from '../../test/support/bundled.mjs';
import { typeTrace } from './infill-client.mjs';
import { percentiles, startLlamaServer } from './llama-process.mjs';

const string = (value) => ({ type: 'string', default: value });
const options = optionsFrom({
  server: { type: 'string' },
  model: string(join(root, 'models', 'starter.gguf')),
  clients: string('1,10,50'),
  keys: string('20'),
  interval: string('250'),
  threads: string(String(Math.min(8, availableParallelism()))),
  'max-tokens': string('16'),
  cases: string('219'),
});
const contextTokens = 4096;

const loadSources = () => bundled('team-clients', 'lab/bench/team-clients.ts');

const source = ['language-server/prompt', 'language-server/shape', 'extension']
  .flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(root, folder, name)))
  .filter((path) => path.endsWith('.ts'))
  .map((path) => readFileSync(path, 'utf8'))
  .join('');

/**
 * Each client calls the returned function and waits until all have called it. Then they begin one after the other,
 * spread over the time between two keys, since people do not press keys in step.
 */
function startTogether(clients) {
  let arrived = 0;
  let begin;
  const all = new Promise((resolve) => {
    begin = resolve;
  });
  return async () => {
    const place = arrived++;
    if (arrived === clients) begin(performance.now() + 100);
    return (await all) + (place / clients) * Number(options.interval);
  };
}

async function hearth(team, url, local, traces) {
  const fallbacks = [];
  const start = startTogether(traces.length);
  const type = async (trace) => team.type(await team.connect(url, local, fallbacks), trace, start);
  const keys = (await Promise.all(traces.map(type))).flat();
  if (fallbacks.length > 0) throw new ToolError(`the local engine had to answer: ${fallbacks[0]}`);
  return keys;
}

async function llamaVscode(url, traces) {
  const start = startTogether(traces.length);
  const how = { mode: 'live', maxTokens: Number(options['max-tokens']), extraFields: { id_slot: -1 }, start };
  const type = ({ text, edits }) =>
    typeTrace(url, { text, edits: edits.map((edit) => ({ ...edit, t_ms: edit.atMs })) }, how);
  return (await Promise.all(traces.map(type))).flat();
}

/**
 * Runs `use` with a new server, so that no client finds text in the cache that an earlier client's prompt put there.
 */
async function withServer(slots, use) {
  const memory = ['-np', String(slots), '-c', String(contextTokens * slots), '-ub', '1024', '-b', '1024'];
  const args = ['-m', options.model, '-t', options.threads, ...memory];
  const { url, child } = await startLlamaServer(options.server, args);
  try {
    return await use(url);
  } finally {
    child.kill('SIGKILL');
  }
}

const isIdle = (url) => async () => {
  const slots = await (await fetch(`${url}/slots`)).json();
  return slots.every((slot) => !slot.is_processing);
};

const short = (value) => (Number.isNaN(value) ? '-' : value.toFixed(value < 100 ? 1 : 0));

function row(clients, name, keys) {
  const first = keys.flatMap(({ firstMs }) => firstMs ?? []);
  const { p50, p95 } = percentiles(first);
  return [String(clients), name, `${first.length}/${keys.length}`, short(p50), short(p95)];
}

function report(rows) {
  const names = ['clients', 'requests of', 'answered before the next key', 'first text p50 ms', 'first text p95 ms'];
  console.log(`\n| ${names.join(' | ')} |\n|${names.map(() => ' --- ').join('|')}|`);
  for (const cells of rows) console.log(`| ${cells.join(' | ')} |`);
  const cpu = (cpus()[0]?.model ?? 'cpu').replaceAll(/[^\w.]+/g, '-');
  const path = join(root, 'lab', 'bench', 'results', `team-server-${cpu}-${options.threads}t.csv`);
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
  const head = existsSync(path) ? '' : `date,commit,model,interval ms,${names.join(',')}\n`;
  const begin = [new Date().toISOString().slice(0, 10), commit, basename(options.model), options.interval];
  appendFileSync(path, head + rows.map((cells) => `${[...begin, ...cells].join(',')}\n`).join(''));
}

await main(async () => {
  if (!options.server || !existsSync(options.server))
    throw new ToolError('--server must be the path of a llama-server');
  const team = await loadSources();
  const local = await team.loadLocal(options.model);
  await withServer(1, async (url) => {
    const fallbacks = [];
    const golden = join(root, 'test', 'golden');
    const remote = (await team.connect(url, local, fallbacks)).remote();
    const { cases, differing } = await team.agreement(remote, local, golden, Number(options.cases));
    for (const text of differing) console.log(text);
    console.log(`${cases - differing.length} of ${cases} answers are the same through the server`);
    const { writing, reading } = await team.cancelToIdle(remote, isIdle(url), source);
    console.log(
      `idle after cancelling: ${short(writing)} ms while it writes, ${short(reading)} ms while it reads a prompt`,
    );
    if (fallbacks.length > 0) throw new ToolError(`the local engine had to answer: ${fallbacks[0]}`);
  });
  const rows = [];
  for (const clients of options.clients.split(',').map(Number)) {
    const traces = team.traces(source, clients, Number(options.keys), Number(options.interval));
    for (const [name, type] of [
      ['hearth', (url) => hearth(team, url, local, traces)],
      ['llama.vscode', (url) => llamaVscode(url, traces)],
    ])
      rows.push(row(clients, name, await withServer(clients, type)));
    console.log(rows.slice(-2).join('\n'));
  }
  report(rows);
  await local.close();
});
