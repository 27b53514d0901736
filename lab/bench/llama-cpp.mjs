// Measures llama.cpp once, in its own process: llama-cpp.mjs PATH-OF-NODE-LLAMA-CPP PLAN prints samples as JSON.
// engines.ts has the type of PLAN. The measurements are the same as in lab/tools/bench-measures.ts.
import { pathToFileURL } from 'node:url';

const [packagePath, planText] = process.argv.slice(2);
const plan = JSON.parse(planText);
const samples = {};
const put = (what, value) => {
  samples[what] ??= [];
  samples[what].push(value);
};
const milliseconds = async (work) => {
  const start = performance.now();
  await work();
  return performance.now() - start;
};

const { getLlama, LlamaLogLevel } = await import(pathToFileURL(packagePath).href);
const llama = await getLlama({
  gpu: false,
  build: 'never',
  maxThreads: plan.threads,
  logLevel: LlamaLogLevel.error,
  progressLogs: false,
});
const depths = [...plan.depths, ...(plan.batch.length > 0 ? [plan.batchDepth] : [])];
const longest = Math.max(...depths) + Math.max(...plan.prefill, plan.decode) + 64;
let model;
let context;
const loadMs = await milliseconds(async () => {
  model = await llama.loadModel({ modelPath: plan.model });
  const threads = { ideal: plan.threads, min: plan.threads };
  context = await model.createContext({ contextSize: longest, batchSize: 512, threads });
});
put('load', loadMs);

const sequence = context.getSequence();
// Some of these may be special tokens, which cost as much as others.
const random = (n) => Array.from({ length: n }, () => Math.floor(Math.random() * plan.vocabulary));
const evaluate = (tokens) => sequence.evaluateWithoutGeneratingNewTokens(tokens);
const truncate = (length) => sequence.eraseContextTokenRanges([{ start: length, end: sequence.nextTokenIndex }]);

/**
 * Tokens/s of single-token steps. If an answer ends early, another one begins. The first token of an answer does not
 * count, since its time is mostly the prompt's.
 */
async function decodeRate(steps, depth) {
  let done = 0;
  let ms = 0;
  while (done < steps) {
    let yielded = 0;
    let start = 0;
    for await (const _ of sequence.evaluate(random(1), { temperature: 0, yieldEogToken: true })) {
      if (yielded === 0) start = performance.now();
      if (yielded++ === steps - done) break;
    }
    ms += performance.now() - start;
    done += yielded - 1;
    await truncate(depth);
  }
  return (done * 1000) / ms;
}

await evaluate(random(32));
for (const depth of plan.depths) {
  await sequence.clearHistory();
  if (depth > 0) await evaluate(random(depth));
  for (const n of plan.prefill) {
    put(`prefill ${n} at ${depth}`, (n * 1000) / (await milliseconds(() => evaluate(random(n)))));
    await truncate(depth);
  }
  if (plan.decode > 0) put(`decode ${plan.decode} at ${depth}`, await decodeRate(plan.decode, depth));
}
if (plan.batch.length > 0) {
  await sequence.clearHistory();
  await evaluate(random(plan.batchDepth));
  for (let round = 0; round < plan.batchRounds; round++) {
    for (const n of plan.batch) {
      put(`batch ${n}`, await milliseconds(() => evaluate(random(n))));
      await truncate(plan.batchDepth);
    }
  }
}
put('memory', process.resourceUsage().maxRSS / 1024);
process.stdout.write(`${JSON.stringify({ samples, threads: context.currentThreads })}\n`);
process.exit(0);
