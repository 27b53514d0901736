// Compares typing with Hearth and with llama-server, which gets the requests of llama.vscode. Both get the same trace
// and the same model file, one after the other, each in its own process.
//   node lab/bench/llama-server.mjs --server PATH [--models FILE,FILE] [--trace FILE] [--keys 40] [--threads 2]
//                                    [--max-tokens 16] [--modes wait,live] [--random-weights] [--backend cuda]
// PATH is a llama-server that you have built. Models with random weights need --random-weights, since llama.vscode's
// sampler ends their answers at once. Without --trace, forty keys are typed into this repository's sources, after line
// 1450. With --backend cuda or hip, Hearth and llama-server put the whole model on the GPU. Rows are appended to
// results/typing-CPU-Nt.csv (N threads), or results/typing-CPU-cuda.csv. No figure fails the bench.
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { main, optionsFrom, root, ToolError } from '../../scripts/tools.mjs';
import { typeTrace } from './infill-client.mjs';
import { peakRssMb, percentiles, startLlamaServer } from './llama-process.mjs';

// The options with which llama.vscode starts llama-server for completions.
const serverOptions = ['-ub', '1024', '-b', '1024', '-dt', '0.1', '--ctx-size', '0', '--cache-reuse', '256'];
const onGpu = ['-ngl', '99', '-fa', 'on'];
const tools = join(root, 'lab', 'tools', 'run.mjs');

const string = (value) => ({ type: 'string', default: value });
const options = optionsFrom({
  server: { type: 'string' },
  models: string(join(root, 'models', 'starter.gguf')),
  trace: { type: 'string' },
  keys: string('40'),
  threads: string(String(Math.min(8, availableParallelism()))),
  'max-tokens': string('16'),
  modes: string('wait,live'),
  'random-weights': { type: 'boolean', default: false },
  backend: string('cpu'),
});
const isOnGpu = options.backend !== 'cpu';
const where = isOnGpu ? options.backend : `${options.threads}t`;

/** Writes a trace for a long document, which is made of this repository's TypeScript sources. Returns its path. */
function ownTrace() {
  const rooms = ['cli', 'prompt', 'shape', 'offers', 'engine', 'server'].map((room) => `language-server/${room}`);
  const sources = rooms.flatMap((room) =>
    readdirSync(join(root, room))
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join(root, room, name), 'utf8')),
  );
  const document = join(folder, 'sources.ts');
  writeFileSync(document, sources.join('').split('\n').slice(0, 1540).join('\n'));
  const args = [tools, 'trace', document, '--line', '1450', '--lines', '40'];
  const trace = join(folder, 'own-trace.jsonl');
  writeFileSync(trace, execFileSync(process.execPath, args));
  return trace;
}

function hearth(model, trace, mode, isWhole) {
  const args = [tools, 'replay', trace, '--model', model, '--mode', mode, '--json'];
  args.push('--backend', options.backend, '--threads', options.threads, '--max-tokens', options['max-tokens']);
  if (isWhole) args.push('--whole');
  const report = JSON.parse(execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' }));
  return {
    mode,
    engine: isWhole ? 'hearth, whole answers' : 'hearth',
    keys: report.keystrokes,
    withText: report.withText,
    answered: report.answeredBeforeNextKey,
    first: report.firstTextMs,
    full: report.fullMs,
    tokensMean: report.tokensEvaluated.mean,
    tokensMax: report.tokensEvaluated.max,
    peakRssMb: report.peakRssMb,
  };
}

async function llamaServer(model, [open, ...edits], mode) {
  const { url, child } = await startLlamaServer(options.server, [
    ...['-m', model, '-t', options.threads],
    ...serverOptions,
    ...(isOnGpu ? onGpu : []),
  ]);
  try {
    const trace = { text: JSON.parse(open).text, edits: edits.map((line) => JSON.parse(line)) };
    const plain = { samplers: ['top_k'], top_k: 1, ignore_eos: true };
    const extraFields = options['random-weights'] ? plain : {};
    const keys = await typeTrace(url, trace, { mode, maxTokens: Number(options['max-tokens']), extraFields });
    const whole = keys.filter(({ isCancelled }) => !isCancelled);
    const evaluated = whole.map((key) => key.evaluated);
    return {
      mode,
      engine: 'llama-server',
      keys: keys.length,
      withText: keys.filter(({ firstMs, text }) => firstMs !== null && text.trim() !== '').length,
      answered: whole.length,
      first: percentiles(keys.flatMap(({ firstMs }) => firstMs ?? [])),
      full: percentiles(whole.map(({ fullMs }) => fullMs)),
      tokensMean: evaluated.reduce((sum, n) => sum + n, 0) / Math.max(1, evaluated.length),
      tokensMax: Math.max(0, ...evaluated),
      peakRssMb: peakRssMb(child.pid),
    };
  } finally {
    child.kill('SIGKILL');
  }
}

const columns = {
  mode: ({ mode }) => mode,
  engine: ({ engine }) => engine,
  'text before next key': ({ keys, withText }) => `${withText}/${keys}`,
  'answered before next key': ({ keys, answered }) => `${answered}/${keys}`,
  'first text p50 ms': ({ first }) => short(first.p50),
  'first text p95 ms': ({ first }) => short(first.p95),
  'full answer p50 ms': ({ full }) => short(full.p50),
  'full answer p95 ms': ({ full }) => short(full.p95),
  'tokens a key': ({ tokensMean }) => short(tokensMean),
  'tokens at most': ({ tokensMax }) => String(tokensMax),
  'peak MB': ({ peakRssMb }) => String(Math.round(peakRssMb)),
};

const short = (value) => (Number.isFinite(value) ? value.toFixed(value < 100 ? 1 : 0) : '-');

function print(model, rows) {
  const names = Object.keys(columns);
  console.log(`\n${basename(model)}, ${where}, ${options['max-tokens']} tokens at most\n`);
  console.log(`| ${names.join(' | ')} |\n|${names.map(() => ' --- ').join('|')}|`);
  for (const row of rows) console.log(`| ${names.map((name) => columns[name](row)).join(' | ')} |`);
}

function append(model, rows) {
  const folder = join(root, 'lab', 'bench', 'results');
  const cpu = (cpus()[0]?.model ?? 'cpu').replaceAll(/[^\w.]+/g, '-');
  const path = join(folder, `typing-${cpu}-${where}.csv`);
  const names = Object.keys(columns);
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
  const head = existsSync(path) ? '' : `date,commit,model,${names.join(',')}\n`;
  const start = [new Date().toISOString().slice(0, 10), commit, basename(model)];
  const cell = (text) => (text.includes(',') ? `"${text}"` : text);
  const lines = rows.map((row) => [...start, ...names.map((name) => cell(columns[name](row)))].join(','));
  mkdirSync(folder, { recursive: true });
  appendFileSync(path, `${head}${lines.join('\n')}\n`);
}

const folder = mkdtempSync(join(tmpdir(), 'hearth-typing-'));
process.on('exit', () => rmSync(folder, { recursive: true }));

await main(async () => {
  if (!options.server || !existsSync(options.server))
    throw new ToolError('--server must be the path of a llama-server');
  const [open, ...edits] = readFileSync(options.trace ?? ownTrace(), 'utf8')
    .trim()
    .split('\n');
  const traceLines = [open, ...edits.slice(0, Number(options.keys))];
  const path = join(folder, 'trace.jsonl');
  writeFileSync(path, traceLines.join('\n'));
  for (const model of options.models.split(',')) {
    const rows = [];
    for (const mode of options.modes.split(',')) {
      // In mode wait, only complete answers can be compared. In mode live, early text is measured, too.
      if (mode === 'live') rows.push(hearth(model, path, mode, false));
      rows.push(hearth(model, path, mode, true), await llamaServer(model, traceLines, mode));
    }
    print(model, rows);
    append(model, rows);
  }
});
