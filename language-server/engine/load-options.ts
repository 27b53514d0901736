// Turns the settings into the options with which an engine is loaded: the model, the threads, the memory. After
// crashes, restrict() takes out the options that might have caused them.
import { totalmem } from 'node:os';
import type { LoadOptions } from '../../native/index.ts';
import type { Connecting, Settings } from '../protocol/messages.ts';
import { withoutTilde } from '../protocol/system.ts';
import type { ServerOptions } from '../remote/team-connection.ts';

/**
 * If explanations have a model of their own, this fraction of the memory for KV caches is for that model. The rest is
 * for completion, which caches whole documents.
 */
const explanationsFraction = 1 / 4;

/** The engine has the same default. */
const defaultCacheBytes = (): number => Math.min(2 ** 30, totalmem() / 10);

const pathFrom = (setting: string): string => withoutTilde(setting.trim());

/** The adapter with which the model completes code; '' for none. */
export const adapterPath = (settings: Settings): string => pathFrom(settings['model.adapter']);

/** The adapter that the settings name for next edits; '' for none. */
function namedEditAdapter(settings: Settings): string {
  const path = pathFrom(settings['model.editAdapter']);
  return path === 'off' ? '' : path;
}

/**
 * Whether the model may get Hearth's own adapter for next edits. WebGPU runs no adapters, and an adapter that nobody has
 * asked for must not cost anybody a GPU.
 */
const mayUseOwnAdapter = (settings: Settings): boolean =>
  settings['model.editAdapter'].trim() === '' && !settings.backend.startsWith('webgpu');

/** The adapter with which the model writes next edits; null for none. ownAdapter: Hearth's, if it was loaded. */
export const editAdapterPath = (settings: Settings, ownAdapter = ''): string | null =>
  (mayUseOwnAdapter(settings) ? ownAdapter : namedEditAdapter(settings)) || null;

/** The adapters that the settings name. */
export const adapterPaths = (settings: Settings): string[] => [
  ...new Set([adapterPath(settings), namedEditAdapter(settings)].filter((path) => path !== '')),
];

export interface ModelOptions extends LoadOptions {
  /** The folder with Hearth's own adapters. The one for this model, if there is one, is loaded, too. Absent: none is. */
  adapterFolder?: string;
}

/** Where the engine finds and keeps its files. */
export interface EngineFiles {
  bundledModel: string;
  /** Where the engine stores its cache between runs; '' for nowhere. */
  pagesFolder?: string;
  /** The path of a smaller model of the same family, which drafts tokens for the main model; '' for none. */
  draftModel?: string;
  /** The folder with Hearth's own adapters; '' for none. */
  adapterFolder?: string;
}

/** The options for the model that completes code. */
export function loadOptions(settings: Settings, files: EngineFiles): ModelOptions {
  const { bundledModel, pagesFolder = '', draftModel = '', adapterFolder = '' } = files;
  const modelPath = pathFrom(settings['model.path']);
  const draftModelPath = pathFrom(draftModel);
  const options: ModelOptions = { ...commonOptions(settings), modelPath: modelPath === '' ? bundledModel : modelPath };
  const adapters = adapterPaths(settings);
  if (adapters.length > 0) options.adapters = adapters;
  if (adapterFolder !== '' && mayUseOwnAdapter(settings)) options.adapterFolder = adapterFolder;
  if (draftModelPath !== '') options.draftModelPath = draftModelPath;
  if (settings['cache.memoryMiB'] > 0) options.cacheBytes = settings['cache.memoryMiB'] * 2 ** 20;
  if (explainOptions(settings) !== null)
    options.cacheBytes = Math.floor(cacheBytes(settings) * (1 - explanationsFraction));
  const diskBytes = settings['cache.diskMiB'] * 2 ** 20;
  if (pagesFolder !== '' && diskBytes > 0) Object.assign(options, { diskFolder: pagesFolder, diskBytes });
  return options;
}

/** The options of the separate model for explanations; null if the model for completion explains, too. */
export function explainOptions(settings: Settings): (LoadOptions & { cacheBytes: number }) | null {
  const modelPath = pathFrom(settings['explain.model']);
  if (modelPath === '' || modelPath === pathFrom(settings['model.path'])) return null;
  return { ...commonOptions(settings), modelPath, cacheBytes: Math.floor(cacheBytes(settings) * explanationsFraction) };
}

/**
 * How to reach the team's server; null if the settings name none. If the editor has no token for it, we use the
 * environment variable HEARTH_SERVER_TOKEN, which an administrator can set.
 */
export function serverOptions(settings: Settings, { serverToken, network }: Connecting): ServerOptions | null {
  const { 'server.url': url, 'server.model': model } = settings;
  if (url.trim() === '') return null;
  return { url, model, credential: serverToken || (process.env.HEARTH_SERVER_TOKEN ?? ''), network: network ?? {} };
}

function commonOptions(settings: Settings): Omit<LoadOptions, 'modelPath'> {
  return {
    backend: settings.backend,
    ...(settings.gpu.trim() !== '' && { gpu: settings.gpu.trim() }),
    ...(settings['engine.threads'] > 0 && { threads: settings['engine.threads'] }),
  };
}

/** The memory for all KV caches together. */
export const cacheBytes = (settings: Settings): number => settings['cache.memoryMiB'] * 2 ** 20 || defaultCacheBytes();

/** What one window wants switched off after it has seen crashes. InitializationOptions explains the fields. */
export interface Caution {
  avoidsGpu?: boolean;
  isSafeMode?: boolean;
}

/** What restrict() can take away. */
interface Restrictable {
  settings: Settings;
  pagesFolder: string;
  draftModel: string;
  adapterFolder: string;
}

/**
 * Switches off whatever at least one window wants switched off, since all windows share the engine. In safe mode, the
 * GPU, the draft model, Hearth's own adapters and the disk cache are off.
 */
export function restrict<T extends Restrictable>(setup: T, cautions: Iterable<Caution>): T {
  const all = [...cautions];
  const isSafeMode = all.some((each) => each.isSafeMode);
  const onCpu = isSafeMode || all.some((each) => each.avoidsGpu);
  const settings = onCpu ? { ...setup.settings, backend: 'cpu' as const } : setup.settings;
  return { ...setup, settings, ...(isSafeMode && { pagesFolder: '', draftModel: '', adapterFolder: '' }) };
}
