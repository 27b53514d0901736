// What the settings make of an engine: with which model, threads and memory it is loaded.
import { homedir, totalmem } from 'node:os';
import type { LoadOptions } from '../native/index.ts';
import type { Settings } from './protocol.ts';
import type { ServerOptions } from './remote/completions-api.ts';

export interface EngineOptions extends LoadOptions {
  /** A team's server, for which the model on this machine stands in. */
  server?: ServerOptions;
}

/** Of the memory for KV caches; the rest is for completion, which keeps whole documents warm. */
const explanationsShare = 1 / 4;

/** As the engine chooses it. */
export const defaultCacheBytes = (): number => Math.min(2 ** 30, totalmem() / 10);

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

/** Of the model that only explains; null if the one for completion explains, too. */
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
    ...(settings['cache.type'] !== 'f16' && { kvType: settings['cache.type'] }),
  };
}

const cacheBytes = (settings: Settings) => settings['cache.memoryMiB'] * 2 ** 20 || defaultCacheBytes();

function ownPath(setting: string): string {
  return setting.trim().replace(/^~(?=[/\\])/, homedir());
}
