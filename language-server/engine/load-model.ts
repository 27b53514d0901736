// Loads a model, and tells the engine by the texts in its file which special tokens mark the parts of a prompt.
import { basename } from 'node:path';
import { loadEngine, type ModelTexts } from '../../native/index.ts';
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
  const traitsIn = ({ metadata, specialTokens }: ModelTexts) =>
    traitsOf({ metadata, specialTokens: Object.keys(specialTokens) }, basename(options.modelPath));
  const namesIn = (texts: ModelTexts) => tokenNames(traitsIn(texts));
  const engine = await loadEngine({ ...own, tokenNames: namesIn }, onProgress, signal);
  return { engine, traits: traitsIn(engine.texts) };
}

/** Wraps a loader so that, if the options name a team's server, the loaded engine becomes its fallback. */
export function behindServer(load: LoadModel, onFallback: (message: string) => void): LoadModel {
  return async ({ server, ...options }, ...rest) => {
    const model = await load(options, ...rest);
    return server ? { ...model, engine: new RemoteEngine(server, model.engine, onFallback) } : model;
  };
}
