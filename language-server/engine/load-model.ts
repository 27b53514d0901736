// Loads a model, and tells the engine by the texts in its file which special tokens mark the parts of a prompt.
import { existsSync } from 'node:fs';
import { basename, isAbsolute, resolve } from 'node:path';
import { EngineError, loadEngine, type ModelTexts } from '../../native/index.ts';
import { type Model, tokenNames, traitsOf } from '../models/model-traits.ts';
import { RemoteEngine } from '../remote/remote-engine.ts';
import type { LoadModel } from './engine-host.ts';
import type { EngineOptions } from './load-options.ts';

/** Rejects with EngineError. */
export async function loadModel(
  options: EngineOptions,
  onProgress?: (fraction: number) => void,
  signal?: AbortSignal,
): Promise<Model> {
  const { server: _, ...own } = options;
  requireFile(own.modelPath);
  const traitsIn = ({ metadata, specialTokens }: ModelTexts) =>
    traitsOf({ metadata, specialTokens: Object.keys(specialTokens) }, basename(options.modelPath));
  const namesIn = (texts: ModelTexts) => tokenNames(traitsIn(texts));
  const engine = await loadEngine({ ...own, tokenNames: namesIn }, onProgress, signal);
  return { engine, traits: traitsIn(engine.texts) };
}

/** A user can't know what a relative path begins at, so the message says it. The engine reports other missing files. */
function requireFile(path: string): void {
  if (isAbsolute(path) || existsSync(path)) return;
  const message = `There is no model file at ${resolve(path)}, where the relative path "${path}" leads. Give its whole path.`;
  throw new EngineError('model-not-found', message);
}

/** Wraps a loader so that, if the options name a team's server, the loaded engine becomes its fallback. */
export function behindServer(load: LoadModel, onFallback: (message: string) => void): LoadModel {
  return async ({ server, ...options }, ...rest) => {
    const model = await load(options, ...rest);
    return server ? { ...model, engine: new RemoteEngine(server, model.engine, onFallback) } : model;
  };
}
