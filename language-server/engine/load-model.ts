// Loads a model, and tells the engine which special tokens mark the parts of a prompt: the texts in the model's file
// decide that. Also knows the folder with the models that come with Hearth.
import { existsSync } from 'node:fs';
import { basename, isAbsolute, join, resolve } from 'node:path';
import { describeModel, EngineError, type LoadOptions, loadEngine, type ModelTexts } from '../../native/index.ts';
import { type Model, type OwnAdapters, ownAdaptersOf, tokenNames, traitsOf } from '../models/model-traits.ts';
import { noHomeText } from '../protocol/system.ts';
import type { ModelOptions, OwnAdapterOptions } from './load-options.ts';

/** The folder with the starter model and Hearth's own adapters. It is beside dist/, which has the bundled programs. */
export function bundledModelFolder(): string {
  return join(__dirname, '..', 'models');
}

export function bundledModelPath(): string {
  return join(bundledModelFolder(), 'starter.gguf');
}

/**
 * Rejects with EngineError. If one of Hearth's own adapters cannot be loaded, the model is loaded without them: nobody
 * has asked for these adapters.
 */
export async function loadModel(
  { own, ...options }: ModelOptions,
  onProgress?: (fraction: number) => void,
  signal?: AbortSignal,
): Promise<Model> {
  requireFile(options.modelPath);
  for (const adapter of options.adapters ?? []) requireFile(adapter, 'adapter');
  const ownAdapters = own && (await pathsOf(own, options.modelPath));
  if (!ownAdapters) return load(options, onProgress, signal);
  const adapters = [...new Set([...(options.adapters ?? []), ...Object.values(ownAdapters)])];
  try {
    return { ...(await load({ ...options, adapters }, onProgress, signal)), ownAdapters };
  } catch (error) {
    if (signal?.aborted) throw error;
    const adapterProblem = error instanceof Error ? error.message : String(error);
    return { ...(await load(options, onProgress, signal)), adapterProblem };
  }
}

/** The paths of Hearth's own adapters for the model; undefined if there are none. */
async function pathsOf({ folder, tasks }: OwnAdapterOptions, modelPath: string): Promise<OwnAdapters | undefined> {
  const description = await describeModel(modelPath).catch(() => undefined); // loading will report the error
  const files = description && ownAdaptersOf(description.metadata);
  return files ? Object.fromEntries(tasks.map((task) => [task, join(folder, files[task])])) : undefined;
}

async function load(
  options: LoadOptions,
  onProgress?: (fraction: number) => void,
  signal?: AbortSignal,
): Promise<Model> {
  const traitsIn = ({ metadata, specialTokens }: ModelTexts) =>
    traitsOf({ metadata, specialTokens: Object.keys(specialTokens) }, basename(options.modelPath));
  const namesIn = (texts: ModelTexts) => tokenNames(traitsIn(texts));
  const engine = await loadEngine({ ...options, tokenNames: namesIn }, onProgress, signal);
  return { engine, traits: traitsIn(engine.texts) };
}

/**
 * Throws if a relative path leads to no file. The user cannot know from which folder such a path starts, so the message
 * has the whole path. The engine reports other missing files.
 */
function requireFile(path: string, kind: 'model' | 'adapter' = 'model'): void {
  if (isAbsolute(path) || existsSync(path)) return;
  const code = `${kind}-not-found`;
  if (/^~[/\\]/.test(path)) throw new EngineError(code, `The ${kind} file is to be at ${path}, but ${noHomeText}`);
  const message = `There is no ${kind} file at ${resolve(path)}, where the relative path "${path}" leads. Give its whole path.`;
  throw new EngineError(code, message);
}
