// Turns the settings into the options with which an engine is loaded: the model, the threads, the memory. After
// crashes, restrict() takes out the options that might have caused them.
import { totalmem } from 'node:os';
import type { LoadOptions } from '../../native/index.ts';
import type { AdapterTask, OwnAdapters } from '../models/model-traits.ts';
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

const adapterSettings = { completions: 'model.adapter', edits: 'model.editAdapter' } as const;
const adapterTasks: AdapterTask[] = ['completions', 'edits'];

/** The adapter that the settings name for a task; '' if they name none. */
function namedAdapter(settings: Settings, task: AdapterTask): string {
  const path = pathFrom(settings[adapterSettings[task]]);
  return path === 'off' ? '' : path;
}

/**
 * Whether the model may get Hearth's own adapter for a task. WebGPU runs no adapters, and an adapter that nobody has
 * asked for must not cost anybody a GPU.
 */
const mayUseOwn = (settings: Settings, task: AdapterTask): boolean =>
  settings[adapterSettings[task]].trim() === '' && !settings.backend.startsWith('webgpu');

/** The path of the adapter for a task; null for none. own: Hearth's adapters that were loaded. */
export const adapterFor = (task: AdapterTask, settings: Settings, own: OwnAdapters = {}): string | null =>
  (mayUseOwn(settings, task) ? own[task] : namedAdapter(settings, task)) || null;

/** The adapters that the settings name. */
export const adapterPaths = (settings: Settings): string[] => [
  ...new Set(adapterTasks.map((task) => namedAdapter(settings, task)).filter((path) => path !== '')),
];

/** Where Hearth's own adapters are, and for which tasks the model gets one. */
export interface OwnAdapterOptions {
  folder: string;
  tasks: AdapterTask[];
}

export interface ModelOptions extends LoadOptions {
  /** Absent: the model gets none of Hearth's own adapters. */
  own?: OwnAdapterOptions;
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
  const tasks = adapterTasks.filter((task) => mayUseOwn(settings, task));
  if (adapterFolder !== '' && tasks.length > 0) options.own = { folder: adapterFolder, tasks };
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
