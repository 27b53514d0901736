// `npm run demo`: types a method into a sample file through the real language server, key by key as an editor would,
// and shows the ghost text. Where the ghost text is what is to be written, it is accepted instead of typed.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from './demo/client.mjs';
import { Screen } from './demo/screen.mjs';
import { main, root } from './tools.mjs';

const samplePath = join(root, 'test', 'fixtures', 'demo', 'sample.ts');
// The signature is there already: the body is what one would have completed.
const begin = '  warmest(): Reading | undefined {\n';
const end = '\n  }\n';

/** Shorter than this, typing is as quick as accepting. */
const worthAccepting = 3;
// A terminal shows each key at a speed that can be read; a log does not wait.
const isWatched = process.stdout.isTTY === true;
const pause = (ms) => (isWatched ? sleep(ms) : undefined);

/** The part of the ghost text that is to be written anyway, up to the end of a word: what Ctrl+Right accepts. */
function usable(ghost, wanted) {
  let length = 0;
  while (length < ghost.length && ghost[length] === wanted[length]) length++;
  if (length < ghost.length && /\w/.test(ghost[length]) && /\w/.test(ghost[length - 1] ?? '')) {
    length = ghost.slice(0, length).search(/\w+$/);
  }
  const text = ghost.slice(0, length);
  return text.trim().length >= worthAccepting ? text : '';
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

async function typeBody(editor, screen, target) {
  const count = { typed: 0, accepted: 0, shown: 0, latencies: [] };
  while (count.typed + count.accepted < target.length) {
    const done = count.typed + count.accepted;
    const { ghost, latencyMs, timings } = await editor.complete();
    if (timings.promptTokens > 0) count.latencies.push(latencyMs);
    if (ghost) count.shown++;
    const accepted = usable(ghost, target.slice(done));
    screen.draw(editor.before, ghost, editor.after, { latencyMs, timings, accepted });
    await pause(accepted ? 700 : 60);
    const text = accepted || target[done];
    await editor.type(text);
    if (accepted) count.accepted += text.length;
    else count.typed++;
  }
  screen.draw(editor.before, '', editor.after, undefined);
  return count;
}

async function demo() {
  const sample = readFileSync(samplePath, 'utf8');
  const from = sample.indexOf(begin) + begin.length;
  const target = sample.slice(from, sample.indexOf(end, from));

  const server = await connect(join(root, 'dist', 'server.js'));
  try {
    const { model } = await server.ready;
    console.log(`\n${model.name}, ${model.backend}, loaded in ${Math.round(model.loadMs)} ms\n`);
    const editor = await server.open('file:///sample.ts', sample.slice(0, from), sample.slice(from + target.length));
    const { typed, accepted, shown, latencies } = await typeBody(editor, new Screen(isWatched), target);
    const percent = Math.round((100 * accepted) / target.length);
    const speed = Math.round(server.status.decodeTokensPerSecond ?? 0);
    console.log(
      `\n${shown} ghost texts, median ${Math.round(median(latencies))} ms after the key, ${speed} tokens/s: ` +
        `${typed} characters typed, ${accepted} accepted (${percent} %).`,
    );
  } finally {
    await server.close();
  }
}

await main(demo);
