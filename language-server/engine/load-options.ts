// The options that an engine is loaded with, from the settings: model, threads, memory.
import { homedir, totalmem } from 'node:os';
import type { LoadOptions } from '../../native/index.ts';
import type { Settings } from '../protocol/messages.ts';
import type { ServerOptions } from '../remote/completions-api.ts';

export interface EngineOptions extends LoadOptions {
  /** The team's server, if one is set; the local model is then its fallback. */
  server?: ServerOptions;
}

/** The second model's share of the memory for KV caches. The rest is for completion, which caches whole documents. */
const explanationsShare = 1 / 4;

/** The same default as in the engine. */
const defaultCacheBytes = (): number => Math.min(2 ** 30, totalmem() / 10);

export function loadOptions(settings: Settings, bundledModel: string, pagesFolder = ''): LoadOptions {
  const modelPath = ownPath(settings['model.path']);
  const draftModelPath = ownPath(settings['draftModel.path']);
  const options: LoadOptions = { ...commonOptions(settings), modelPath: modelPath === '' ? bundledModel : modelPath };
  if (draftModelPath !== '') options.draftModelPath = draftModelPath;
  if (settings['cache.memoryMiB'] > 0) options.cacheBytes = settings['cache.memoryMiB'] * 2 ** 20;
  if (ownPath(settings['explain.model']) !== '')
    options.cacheBytes = Math.floor(cacheBytes(settings) * (1 - explanationsShare));
  const diskBytes = settings['cache.diskMiB'] * 2 ** 20;
  if (pagesFolder !== '' && diskBytes > 0) Object.assign(options, { diskFolder: pagesFolder, diskBytes });
  return options;
}

/** The options of the separate model for explanations; null if the model for completion explains, too. */
export function explainOptions(settings: Settings): (LoadOptions & { cacheBytes: number }) | null {
  const modelPath = ownPath(settings['explain.model']);
  if (modelPath === '' || modelPath === ownPath(settings['model.path'])) return null;
  return { ...commonOptions(settings), modelPath, cacheBytes: Math.floor(cacheBytes(settings) * explanationsShare) };
}

function commonOptions(settings: Settings): Omit<LoadOptions, 'modelPath'> {
  return {
    backend: settings.backend,
    ...(settings.gpu.trim() !== '' && { gpu: settings.gpu.trim() }),
    ...(settings['engine.threads'] > 0 && { threads: settings['engine.threads'] }),
  };
}

/** The memory for KV caches. */
export const cacheBytes = (settings: Settings): number => settings['cache.memoryMiB'] * 2 ** 20 || defaultCacheBytes();

function ownPath(setting: string): string {
  return setting.trim().replace(/^~(?=[/\\])/, homedir());
}
