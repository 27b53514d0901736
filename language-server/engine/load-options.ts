// Turns the settings into the engine's options: the model, the threads, the memory. After crashes, restrict() switches
// off the options that might have caused them.
import { totalmem } from 'node:os';
import type { LoadOptions } from '../../native/index.ts';
import type { AdapterTask, OwnAdapters } from '../models/model-traits.ts';
import type { Connecting, Settings } from '../protocol/messages.ts';
import { withoutTilde } from '../protocol/system.ts';
import type { ServerOptions } from '../remote/team-connection.ts';

/**
 * If there is a separate model for explanations, it gets this fraction of the memory for KV caches. The model for
 * completion gets the rest, because it caches whole documents.
 */
const explanationsFraction = 1 / 4;

/** The engine has the same default. */
const defaultCacheBytes = (): number => Math.min(2 ** 30, totalmem() / 10);

const pathFrom = (setting: string): string => withoutTilde(setting.trim());

const adapterSettings = { completions: 'model.adapter', edits: 'model.editAdapter' } as const;
const adapterTasks: AdapterTask[] = ['completions', 'edits'];

/** The settings that decide which adapters a model gets. */
export type AdapterSettings = Pick<Settings, 'backend' | (typeof adapterSettings)[AdapterTask]>;

/** The path of the adapter that the settings name for a task; '' if they name none. */
function namedAdapter(settings: AdapterSettings, task: AdapterTask): string {
  const path = pathFrom(settings[adapterSettings[task]]);
  return path === 'off' ? '' : path;
}

/**
 * Whether the model may get Hearth's own adapter for a task. With an adapter, a model cannot use WebGPU, and nobody
 * should lose the GPU because of an adapter that they did not ask for.
 */
const mayUseOwn = (settings: AdapterSettings, task: AdapterTask): boolean =>
  settings[adapterSettings[task]].trim() === '' && !settings.backend.startsWith('webgpu');

/** The path of the adapter for a task; null for none. own: Hearth's adapters that were loaded. */
export const adapterFor = (task: AdapterTask, settings: AdapterSettings, own: OwnAdapters = {}): string | null =>
  (mayUseOwn(settings, task) ? own[task] : namedAdapter(settings, task)) || null;

/** The paths of the adapters that the settings name. */
export const adapterPaths = (settings: AdapterSettings): string[] => [
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

/** The adapters to load with the model. folder: that of Hearth's own adapters; '' for none. */
export function adapterOptions(settings: AdapterSettings, folder: string): Pick<ModelOptions, 'adapters' | 'own'> {
  const adapters = adapterPaths(settings);
  const tasks = adapterTasks.filter((task) => mayUseOwn(settings, task));
  return {
    ...(adapters.length > 0 && { adapters }),
    ...(folder !== '' && tasks.length > 0 && { own: { folder, tasks } }),
  };
}

/** The files that the engine reads and writes. */
export interface EngineFiles {
  bundledModel: string;
  /** The folder in which the engine stores its pages between runs; '' if it stores none. */
  pagesFolder?: string;
  /** The path of the draft model: a smaller model that drafts tokens for the main one; '' for none. */
  draftModel?: string;
  /** The folder with Hearth's own adapters; '' for none. */
  adapterFolder?: string;
}

/** The options for the model that completes code. */
export function loadOptions(settings: Settings, files: EngineFiles): ModelOptions {
  const { bundledModel, pagesFolder = '', draftModel = '', adapterFolder = '' } = files;
  const modelPath = pathFrom(settings['model.path']);
  const draftModelPath = pathFrom(draftModel);
  const options: ModelOptions = {
    ...commonOptions(settings),
    ...adapterOptions(settings, adapterFolder),
    modelPath: modelPath === '' ? bundledModel : modelPath,
  };
  if (draftModelPath !== '') options.draftModelPath = draftModelPath;
  if (settings['cache.memoryMiB'] > 0) options.cacheBytes = settings['cache.memoryMiB'] * 2 ** 20;
  if (explainOptions(settings) !== null)
    options.cacheBytes = Math.floor(cacheBytes(settings) * (1 - explanationsFraction));
  const diskBytes = settings['cache.diskMiB'] * 2 ** 20;
  if (pagesFolder !== '' && diskBytes > 0) Object.assign(options, { diskFolder: pagesFolder, diskBytes });
  return options;
}

/** The options of the separate model for explanations; null if the model for completion also explains. */
export function explainOptions(settings: Settings): (LoadOptions & { cacheBytes: number }) | null {
  const modelPath = pathFrom(settings['explain.model']);
  if (modelPath === '' || modelPath === pathFrom(settings['model.path'])) return null;
  return { ...commonOptions(settings), modelPath, cacheBytes: Math.floor(cacheBytes(settings) * explanationsFraction) };
}

/**
 * How to reach the team's server; null if the settings name none. If the editor has no token for the server, the
 * environment variable HEARTH_SERVER_TOKEN is the token: an administrator can set it.
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

/** The memory for the KV caches of all models together. */
export const cacheBytes = (settings: Settings): number => settings['cache.memoryMiB'] * 2 ** 20 || defaultCacheBytes();

/** What a window wants switched off after crashes of the server. InitializationOptions explains the fields. */
export interface Precautions {
  avoidsGpu?: boolean;
  isSafeMode?: boolean;
}

/** The options that restrict() may change. */
interface Restrictable {
  settings: Settings;
  pagesFolder: string;
  draftModel: string;
  adapterFolder: string;
}

/**
 * Switches off whatever any of the windows wants switched off, because all windows share the engine. Safe mode switches
 * off the GPU, the draft model, Hearth's own adapters and the disk cache.
 */
export function restrict<T extends Restrictable>(setup: T, precautions: Iterable<Precautions>): T {
  const all = [...precautions];
  const isSafeMode = all.some((window) => window.isSafeMode);
  const onCpu = isSafeMode || all.some((window) => window.avoidsGpu);
  const settings = onCpu ? { ...setup.settings, backend: 'cpu' as const } : setup.settings;
  return { ...setup, settings, ...(isSafeMode && { pagesFolder: '', draftModel: '', adapterFolder: '' }) };
}
