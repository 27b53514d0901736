// Loads a model, and tells the engine which special tokens mark the parts of a prompt. The texts in the model's file
// say which. Also knows where the models are that come with Hearth.
import { existsSync } from 'node:fs';
import { basename, isAbsolute, join, resolve } from 'node:path';
import { describeModel, EngineError, type LoadOptions, loadEngine, type ModelTexts } from '../../native/index.ts';
import { type Model, ownAdapterOf, tokenNames, traitsOf } from '../models/model-traits.ts';
import { noHomeText } from '../protocol/system.ts';
import type { ModelOptions } from './load-options.ts';

/** The folder with the starter model and Hearth's own adapters, beside dist/, which contains the bundled programs. */
export function bundledModelFolder(): string {
  return join(__dirname, '..', 'models');
}

export function bundledModelPath(): string {
  return join(bundledModelFolder(), 'starter.gguf');
}

/**
 * Rejects with EngineError. Hearth's own adapter never keeps a model from loading: nobody has asked for it, so the model
 * is then loaded without it.
 */
export async function loadModel(
  { adapterFolder, ...options }: ModelOptions,
  onProgress?: (fraction: number) => void,
  signal?: AbortSignal,
): Promise<Model> {
  requireFile(options.modelPath);
  const ownAdapter = adapterFolder === undefined ? undefined : await ownAdapterIn(adapterFolder, options.modelPath);
  if (ownAdapter === undefined) return load(options, onProgress, signal);
  const adapters = [...new Set([...(options.adapters ?? []), ownAdapter])];
  try {
    return { ...(await load({ ...options, adapters }, onProgress, signal)), ownAdapter };
  } catch (error) {
    if (signal?.aborted) throw error;
    const adapterProblem = error instanceof Error ? error.message : String(error);
    return { ...(await load(options, onProgress, signal)), adapterProblem };
  }
}

/** The path of the adapter for a model; undefined if there is none. */
async function ownAdapterIn(folder: string, modelPath: string): Promise<string | undefined> {
  const description = await describeModel(modelPath).catch(() => undefined); // loading reports the fault
  const file = description && ownAdapterOf(description.metadata);
  return file ? join(folder, file) : undefined;
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
 * Throws if a relative path leads to no file. A user can't know from which folder such a path starts, so the message
 * says it. The engine reports other missing files.
 */
function requireFile(path: string): void {
  if (isAbsolute(path) || existsSync(path)) return;
  if (/^~[/\\]/.test(path))
    throw new EngineError('model-not-found', `The model file is to be at ${path}, but ${noHomeText}`);
  const message = `There is no model file at ${resolve(path)}, where the relative path "${path}" leads. Give its whole path.`;
  throw new EngineError('model-not-found', message);
}
