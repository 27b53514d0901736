// Loads a model, and tells the engine which special tokens mark the parts of a prompt. The texts in the model's file
// say which. Also knows where the starter model is.
import { existsSync } from 'node:fs';
import { basename, isAbsolute, join, resolve } from 'node:path';
import { EngineError, type LoadOptions, loadEngine, type ModelTexts } from '../../native/index.ts';
import { type Model, tokenNames, traitsOf } from '../models/model-traits.ts';
import { noHomeText } from '../protocol/system.ts';

/** The path of the starter model relative to dist/, which contains the bundled programs. */
export function bundledModelPath(): string {
  return join(__dirname, '..', 'models', 'starter.gguf');
}

/** Rejects with EngineError. */
export async function loadModel(
  options: LoadOptions,
  onProgress?: (fraction: number) => void,
  signal?: AbortSignal,
): Promise<Model> {
  requireFile(options.modelPath);
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
