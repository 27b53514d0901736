// Loads a model, and tells the engine by the texts in its file which special tokens mark the parts of a prompt.
import { basename } from 'node:path';
import { loadEngine, type ModelTexts } from '../../native/index.ts';
import type { EngineOptions } from '../load-options.ts';
import { type Model, tokenNames, traitsOf } from './model-traits.ts';

/** Rejects with EngineError. */
export async function loadModel(
  options: EngineOptions,
  onProgress?: (fraction: number) => void,
  signal?: AbortSignal,
): Promise<Model> {
  const { server: _, ...own } = options;
  const traitsIn = ({ metadata, specialTokens }: ModelTexts) => {
    const texts = { metadata: new Map(Object.entries(metadata)), specialTokens: new Set(Object.keys(specialTokens)) };
    return traitsOf(texts, basename(options.modelPath));
  };
  const namesIn = (texts: ModelTexts) => tokenNames(traitsIn(texts));
  const engine = await loadEngine({ ...own, tokenNames: namesIn }, onProgress, signal);
  return { engine, traits: traitsIn(engine.texts) };
}
