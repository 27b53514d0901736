// Checks this machine for "Show Status" and `hearth doctor`: the addon, the model, and a short self-test.
import { statSync } from 'node:fs';
import { arch, cpus, platform, totalmem } from 'node:os';
import type { Engine } from '../../native/index.ts';
import { backendLine } from '../engine/engine-host.ts';
import { trialLine } from '../engine/gpu-trials.ts';
import type { Examined } from '../engine/shared-engine.ts';
import { freeMemoryBytes } from '../models/estimate.ts';
import { fimHead, tokenizeText } from '../prompt/fim-prompt.ts';
import { type Check, check, reportLines } from './check.ts';
import { compareBits } from './same-bits.ts';
import { examineServer } from './team-server.ts';

export async function examine(examined: Examined): Promise<Check[]> {
  const checks = [
    await check('node', () => `${process.version}, ${platform()}-${arch()}`),
    await check('processor', processorLine),
    await check('memory', () => `${gib(freeMemoryBytes())} free of ${gib(totalmem())}`),
    await check('addon', () => `CPU variants, best first: ${examined.addonInfo().variants.join(', ')}`),
    await check('GPU', () => examined.addonInfo().gpus()),
    await check('model file', () => modelFileLine(examined.modelPath)),
  ];
  const { explainModelPath } = examined;
  if (explainModelPath !== undefined)
    checks.push(await check('model for explanations', () => modelFileLine(explainModelPath)));
  let engine: Engine | null = null;
  checks.push(
    await check('model', async () => {
      engine = await examined.engine();
      return modelLine(engine);
    }),
  );
  if (engine !== null) checks.push(...gpuTrial(engine), ...draftModel(engine), ...(await selfTest(engine)));
  checks.push(await check('same bits', () => compareBits(examined.loadModel, examined.cpu)));
  if (examined.server) checks.push(...(await examineServer(examined.server)));
  return checks;
}

/** Runs examine() and returns its findings as text. */
export async function report(examined: Examined): Promise<string> {
  return reportLines(await examine(examined)).join('\n');
}

function gpuTrial({ info }: Engine): Check[] {
  const detail = trialLine(info);
  return detail === null ? [] : [{ name: 'GPU trial', isOk: true, detail }];
}

/** Reports only a problem: the engine works without a draft model. */
function draftModel({ info: { draftProblem } }: Engine): Check[] {
  return draftProblem === '' ? [] : [{ name: 'draft model', isOk: false, detail: draftProblem }];
}

/** A prompt that completes a small program in its middle. */
export function selfTestPrompt(engine: Engine) {
  const before = tokenizeText(engine, 'def add(a, b):\n    return a');
  const after = tokenizeText(engine, '\n\nprint(add(1, 2))\n');
  return { tokens: fimHead(engine, before, after), maxTokens: 16 };
}

async function selfTest(engine: Engine): Promise<Check[]> {
  const request = { ...selfTestPrompt(engine), priority: 'background' } as const;
  return [
    await check('tokenizer', () => {
      const text = 'naïve(x) → "日本" // 🙂\n';
      if (engine.detokenize(engine.tokenize(text)) !== text) throw new Error('text does not survive a round trip');
      return 'text survives a round trip';
    }),
    await check('completion', async () => {
      const first = await engine.generate(request);
      const again = await engine.generate(request);
      if (again.text !== first.text) throw new Error('the warm answer differs from the first one');
      const { prefillMs, promptTokens, cachedTokens, completionTokens, decodeMs } = first.timings;
      return (
        `${promptTokens - cachedTokens} prompt tokens in ${prefillMs.toFixed(1)} ms, ${completionTokens} tokens in ` +
        `${decodeMs.toFixed(1)} ms; again, warm: first token after ${again.timings.ttftMs.toFixed(1)} ms, same answer`
      );
    }),
  ];
}

function processorLine(): string {
  const all = cpus();
  return `${all[0]?.model.trim() ?? 'unknown'}, ${all.length} logical processors`;
}

function modelFileLine(path: string): string {
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size === undefined) throw new Error(`${path} does not exist`);
  return `${path}, ${mib(size)}`;
}

function modelLine({ info }: Engine): string {
  return (
    `${info.name}, ${info.quantization}, ${info.layers} layers of ${info.hidden}, context ${info.contextTokens} tokens, ` +
    `on ${backendLine(info)}, KV cache of ${info.kvType}, loaded in ${info.loadMs.toFixed(0)} ms, ` +
    `${mib(info.weightBytes)} of weights`
  );
}

function gib(bytes: number): string {
  return `${(bytes / 2 ** 30).toFixed(1)} GiB`;
}

function mib(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}
