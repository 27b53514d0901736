// Runs a plan with llama.cpp in its own process: llama-cpp.mjs PATH-OF-NODE-LLAMA-CPP FOLDER.
// FOLDER/plan.json is a Plan of plan.ts. Writes FOLDER/theirs.json, a Theirs, and NAME.f32 with the requested rows of
// logits.
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [packagePath, folder] = process.argv.slice(2);
const {
  model: modelPath,
  threads,
  texts,
  conversation,
  runs,
} = JSON.parse(readFileSync(join(folder, 'plan.json'), 'utf8'));
// node-llama-cpp gives a row as a map of the whole vocabulary, so only as many rows as fit in memory are requested at a
// time.
const rowsAtATime = 16;

const { getLlama, LlamaLogLevel } = await import(pathToFileURL(packagePath).href);
const { Template } = createRequire(packagePath)('@huggingface/jinja');
const llama = await getLlama({
  gpu: false,
  build: 'never',
  maxThreads: threads,
  logLevel: LlamaLogLevel.error,
  progressLogs: false,
});
const model = await llama.loadModel({ modelPath });
const ids = texts.map((text) => model.tokenize(text));
const template = model.fileInfo.metadata.tokenizer.chat_template;
const rendered =
  conversation && template
    ? new Template(template).render({
        messages: conversation,
        add_generation_prompt: true,
        bos_token: model.tokens.bosString ?? '',
        eos_token: model.tokens.eosString ?? '',
      })
    : null;

const contextSize = Math.max(64, ...runs.map(({ tokens }) => tokens.length + 8));
const context = await model.createContext({ contextSize, batchSize: 512, threads: { ideal: threads, min: threads } });
const sequence = context.getSequence();
const best = [];
for (const run of runs) {
  await sequence.clearHistory();
  best.push(await evaluate(run));
}
const chat = rendered === null ? null : withBos(model.tokenize(rendered, true));
writeFileSync(join(folder, 'theirs.json'), JSON.stringify({ ids, rendered, chat, best }));
process.exit(0);

function withBos(tokens) {
  const { bos, shouldPrependBosToken } = model.tokens;
  return shouldPrependBosToken && tokens[0] !== bos ? [bos, ...tokens] : tokens;
}

/** The two likeliest tokens after each token from `from` on, and their logits; whole rows go to a file. */
async function evaluate({ name, tokens, from, wholeRows }) {
  const file = wholeRows ? openSync(join(folder, `${name}.f32`), 'w') : undefined;
  const pairs = [];
  const logits = wholeRows ? true : { filter: { tokens: [], includeTop: 2 } };
  if (from > 0) await sequence.evaluateWithoutGeneratingNewTokens(tokens.slice(0, from));
  for (let at = from; at < tokens.length; at += rowsAtATime) {
    const input = tokens.slice(at, at + rowsAtATime).map((token) => [token, { generateNext: { logits, token: true } }]);
    for (const { next } of await sequence.controlledEvaluate(input)) {
      pairs.push([...next.logits].slice(0, 2));
      if (file !== undefined) writeSync(file, rowOf(next.logits));
    }
  }
  if (file !== undefined) closeSync(file);
  return pairs;
}

function rowOf(logits) {
  const row = new Float32Array(logits.size);
  for (const [token, logit] of logits) row[token] = logit;
  return new Uint8Array(row.buffer);
}
