// Measures how much faster speculative decoding is: completes at places in source files, with drafts and without them,
// on a warm cache.
//   node lab/bench/speculation.mjs [--model FILE] [--draft-model FILE] [--threads 2] [--max-tokens 32] [--places 24]
//                                   [--rounds 3] [--kinds typescript,c++,repetitive] [--files FILE,FILE]
// The kinds typescript and c++ are this repository's sources; the kind "files" means the files after --files. The bench
// fails if drafts change any token of an answer. The output of models with random weights does not repeat itself as
// code does: to see the gain, use a trained model such as the starter. No figure fails the bench.
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { main, optionsFrom, root, ToolError } from '../../scripts/tools.mjs';
import { bundled } from '../../test/support/bundled.mjs';

const string = (value) => ({ type: 'string', default: value });
const options = optionsFrom({
  model: string(join(root, 'models', 'starter.gguf')),
  'draft-model': string(''),
  threads: string(String(Math.min(8, availableParallelism()))),
  'max-tokens': string('32'),
  places: string('24'),
  rounds: string('3'),
  kinds: string('typescript,c++,repetitive'),
  files: string(''),
});

function sources(folder, ending) {
  return readdirSync(join(root, folder), { recursive: true })
    .filter((name) => name.endsWith(ending))
    .sort()
    .map((name) => readFileSync(join(root, folder, name), 'utf8'));
}

/** Blocks that differ in a name and a number, like tables, tests and accessors. */
function repetitive() {
  const names = ['width', 'height', 'depth', 'weight', 'volume', 'density', 'colour', 'price', 'stock', 'origin'];
  const blocks = names.map(
    (name, i) =>
      `  get ${name}(): number {\n    this.reads.count('${name}');\n    return this.values[${i}] ?? 0;\n  }\n\n` +
      `  set ${name}(value: number) {\n    this.writes.count('${name}');\n    this.values[${i}] = value;\n  }\n\n`,
  );
  return `export class Item {\n${blocks.join('')}}\n`;
}

const texts = {
  typescript: () => [...sources('language-server/prompt', '.ts'), ...sources('language-server/shape', '.ts')],
  'c++': () => sources('native', '.cc'),
  repetitive: () => [repetitive()],
  files: () => options.files.split(',').map((path) => readFileSync(path, 'utf8')),
};

/**
 * Places with the cursor at the end of a word, evenly spread over the texts, none near the start of one. The rest of
 * the cursor's line is left out, as if it were not written yet.
 */
function placesIn(kind, n) {
  const candidates = texts[kind]().flatMap((text) =>
    [...text.matchAll(/^.*?\w\b/gm)]
      .filter(({ index }) => index > text.length / 3)
      .map((match) => {
        const offset = match.index + match[0].length;
        const rest = text.slice(offset).replace(/^.*/, '');
        return { text: text.slice(0, offset) + rest, offset };
      }),
  );
  return Array.from({ length: n }, (_, i) => candidates[Math.floor(((i + 0.5) * candidates.length) / n)]);
}

function loadSources() {
  const contents = `export { loadEngine } from './native/index.ts';
    export { Anchors } from './language-server/prompt/anchors.ts';`;
  return bundled('speculation', { contents, resolveDir: root, loader: 'ts' });
}

/**
 * For each place, takes the fastest of some rounds, with and without drafts in turns. The engine keeps its statistics
 * about drafts from round to round, as in normal use.
 */
async function measure(engine, prompts) {
  const sums = { plainMs: 0, draftedMs: 0, tokens: 0, passes: 0 };
  const best = prompts.map(() => ({ plain: Number.POSITIVE_INFINITY, drafted: Number.POSITIVE_INFINITY }));
  const answer = async (tokens, speculate) =>
    engine.generate({ tokens, maxTokens: Number(options['max-tokens']), speculate });
  for (let round = 0; round < Number(options.rounds); round++) {
    for (const [i, tokens] of prompts.entries()) {
      await engine.prefill(tokens, 'foreground');
      const drafted = await answer(tokens, true);
      const plain = await answer(tokens, false);
      if (drafted.tokens.join() !== plain.tokens.join()) throw new ToolError(`place ${i}: drafts changed the answer`);
      best[i].plain = Math.min(best[i].plain, plain.timings.decodeMs);
      best[i].drafted = Math.min(best[i].drafted, drafted.timings.decodeMs);
      sums.tokens += plain.timings.decodePasses;
      sums.passes += drafted.timings.decodePasses;
    }
  }
  for (const { plain, drafted } of best) {
    sums.plainMs += plain;
    sums.draftedMs += drafted;
  }
  return sums;
}

await main(async () => {
  const { loadEngine, Anchors } = await loadSources();
  const engine = await loadEngine({
    modelPath: options.model,
    threads: Number(options.threads),
    ...(options['draft-model'] && { draftModelPath: options['draft-model'] }),
  });
  const anchors = new Anchors(engine);
  console.log(`${basename(options.model)}, ${options.threads} threads, ${options['max-tokens']} tokens at most\n`);
  console.log('| text | tokens a pass | ms without | ms with | faster by |\n| --- | --- | --- | --- | --- |');
  for (const kind of options.kinds.split(',')) {
    if (!texts[kind]) throw new ToolError(`--kinds knows ${Object.keys(texts).join(', ')}, not "${kind}"`);
    const documents = placesIn(kind, Number(options.places));
    // Leaves out the bytes to heal: with them, the previous round's answer would serve as a draft.
    const prompts = documents.map(
      (place, i) => anchors.prompt({ uri: `${kind}${i}`, languageId: 'typescript', ...place }).tokens,
    );
    const { plainMs, draftedMs, tokens, passes } = await measure(engine, prompts);
    const faster = `${((plainMs / draftedMs - 1) * 100).toFixed(1)} %`;
    console.log(
      `| ${kind} | ${(tokens / passes).toFixed(2)} | ${plainMs.toFixed(0)} | ${draftedMs.toFixed(0)} | ${faster} |`,
    );
  }
  await engine.close();
});
