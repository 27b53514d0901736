// Loads a model as what it is: the head of its file is read first, and tells the engine what its tokens are called.
import { loadEngine } from '../../native/index.ts';
import type { EngineOptions } from '../load-options.ts';
import { type Model, readTraits, tokenNames, traitsOf } from './model-traits.ts';

/** Rejects with EngineError. */
export async function loadModel(
  options: EngineOptions,
  onProgress?: (fraction: number) => void,
  signal?: AbortSignal,
): Promise<Model> {
  // A file that cannot be read is the engine's to refuse.
  const traits = await readTraits(options.modelPath).catch(() => noTraits);
  const { server: _, ...own } = options;
  return { engine: await loadEngine({ ...own, ...tokenNames(traits) }, onProgress, signal), traits };
}

const noTraits = traitsOf({ metadata: new Map(), specialTokens: new Set(), tensors: [], fileBytes: 0 });
