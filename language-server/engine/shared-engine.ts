// Holds the process's only engine, which all connected windows share. It loads the engine, watches it, and unloads it
// after a while without requests. The state of a single window is in server/session.ts.
import type { AddonInfo, Completer, Engine, LoadOptions, Timings } from '../../native/index.ts';
import type { EditFormatName, Model } from '../models/model-traits.ts';
import { errorText, type Log } from '../protocol/log.ts';
import type { Connecting, ServerStatus, Settings } from '../protocol/messages.ts';
import { defaultSettings } from '../protocol/settings.ts';
import type { Timeouts } from '../remote/availability.ts';
import { Team } from '../remote/team.ts';
import type { ServerOptions } from '../remote/team-connection.ts';
import { wipe } from './disk-cache.ts';
import { EngineHost, type LoadModel } from './engine-host.ts';
import { ExplanationModel } from './explanation-model.ts';
import { GpuTrials } from './gpu-trials.ts';
import {
  adapterFor,
  explainOptions,
  loadOptions,
  type ModelOptions,
  type Precautions,
  restrict,
  serverOptions,
} from './load-options.ts';
import { Throughput } from './throughput.ts';
import { Watchdog } from './watchdog.ts';

/**
 * The local model writes next edits only if it reads at least this many tokens per second: a question has about a
 * thousand tokens, and nobody waits longer than four seconds for an edit.
 */
const minPrefillForEdits = 250;
/** The speed of reading fewer tokens than this says little about the time that a question takes. */
const minTokensToJudge = 64;

/** The parts that tests replace with fakes. */
export interface ServerParts {
  loadModel: LoadModel;
  addonInfo: () => AddonInfo;
  /** The path of the starter model. A client may name another path. */
  bundledModel: string;
  /** The path of the draft model; absent if there is none. */
  draftModel?: string;
  /** The folder with Hearth's own adapters; absent if there is none. */
  adapterFolder?: string;
  /** How long to wait for the editor's configuration and for a team's server; absent for the default times. */
  patience?: { configurationMs: number; team: Timeouts };
}

/** All windows should send the same user settings. If they differ, the engine uses those that were sent last. */
export interface EngineSetup {
  settings: Settings;
  bundledModel: string;
  pagesFolder: string;
  connecting: Connecting;
}

/** The models that complete code; see Models in offers/warm-models.ts. */
interface CompletingModels {
  local: Engine;
  adapter?: string;
  remote: () => Completer | null;
  headStartMs: () => number;
  /** Null if the local model was not trained to write next edits. */
  editFormat: EditFormatName | null;
  /** The path of the local model's adapter for next edits; null if there is none. */
  editAdapter: string | null;
}

/** The model for explanations. */
export interface Explainer extends Model {
  /**
   * Whether an explanation must wait because the engine for completion is computing. Absent if there is only one
   * engine.
   */
  mustWait?: () => boolean;
}

/** The parts that the doctor examines. */
export interface Examined {
  addonInfo: () => AddonInfo;
  modelPath: string;
  /** The path of the separate model for explanations; absent if there is none. */
  explainModelPath?: string;
  /** The team's server; absent if there is none. */
  server?: ServerOptions;
  /** Rejects with a message for the user if the model cannot be loaded. */
  engine: () => Promise<Engine>;
  /** Loads another model beside that engine. */
  loadModel: LoadModel;
  /** The options given to `hearth doctor`; absent for the defaults. */
  cpu?: Pick<LoadOptions, 'variant' | 'threads'>;
}

// EX_SOFTWARE of sysexits.h: an internal error. At this code, the editor restarts the server.
const faultExitCode = 70;
const idleCheckMs = 10_000;

export class SharedEngine {
  readonly host: EngineHost;
  /** One object per open window: what that window wants switched off. */
  readonly precautions = new Set<Precautions>();
  private readonly explanationModel: ExplanationModel;
  private setup: EngineSetup & { draftModel: string; adapterFolder: string };
  private readonly throughput = new Throughput();
  /**
   * The most tokens per second that the local model has read. The maximum counts, because other programs can only make
   * the model seem slower. Short prompts do not count, nor does the first one after loading: with it, the weights come
   * from the disk.
   */
  private fastestReading: number | undefined;
  private hasRead = false;
  private readonly listeners = new Set<() => void>();
  private readonly watchdog: Watchdog;
  private readonly trials: GpuTrials;
  private readonly idleTimer: NodeJS.Timeout;
  private team: { key: string; server: Team } | null = null;
  private last: ServerStatus['last'];
  private alarm: string | null = null;
  private isUnloaded = false;
  private isClosed = false;
  private lastUsedAtMs = performance.now();

  constructor(
    readonly parts: ServerParts,
    private readonly log: Log,
  ) {
    const { bundledModel, draftModel = '', adapterFolder = '' } = parts;
    this.setup = {
      settings: defaultSettings,
      bundledModel,
      draftModel,
      adapterFolder,
      pagesFolder: '',
      connecting: {},
    };
    this.host = new EngineHost(parts.loadModel, log, () => this.changed());
    this.explanationModel = new ExplanationModel(
      parts.loadModel,
      log,
      () => this.changed(),
      () => this.host.model,
    );
    this.watchdog = new Watchdog(() => this.host.engine?.status() ?? null, {
      slow: (message) => log.info(message),
      hung: (message) => this.setAlarm(message),
      recovered: () => this.setAlarm(null),
      gaveUp: (message) => {
        log.error(message);
        setImmediate(() => process.exit(faultExitCode));
      },
    });
    this.trials = new GpuTrials(log, () => this.changed());
    this.idleTimer = setInterval(() => {
      this.unloadIfIdle();
      this.trials.look(this.host.engine, performance.now() - this.lastUsedAtMs);
    }, idleCheckMs).unref();
  }

  /** Calls the listener whenever the status changes. Returns a function that removes it. */
  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /**
   * Loads the model that the settings name, and connects to the team's server. If suggestions are off, does neither; a
   * loaded model stays, because another window might use it.
   */
  async configure(setup: EngineSetup): Promise<void> {
    const usedDisk = this.setup.settings['cache.diskMiB'] > 0;
    const usesDisk = setup.settings['cache.diskMiB'] > 0;
    const { draftModel = '', adapterFolder = '' } = this.parts;
    this.setup = restrict({ ...setup, draftModel, adapterFolder }, this.precautions);
    this.chooseTeam(setup.settings.mode !== 'off');
    this.trials.interrupt();
    this.changed();
    if (explainOptions(this.setup.settings) === null) await this.explanationModel.unload();
    if (setup.settings.mode !== 'off' && !this.isUnloaded) await this.host.ensure(this.loadOptions());
    else if (usedDisk && !usesDisk) await this.host.unload();
    // This comes last: an engine with a disk cache writes to it when it is closed.
    if (!usesDisk) await wipe(setup.pagesFolder, this.log);
  }

  /** Resolves to the models once the local model is loaded. If that fails, resolves to null, and status() says why. */
  async ready(): Promise<CompletingModels | null> {
    this.noteUse();
    this.isUnloaded = false;
    // configure() connects only if suggestions are on in general. They may also be on for a single language.
    if (this.team === null) this.chooseTeam(true);
    // This is a loop because the user may choose another model while this one is loading.
    while (!this.isClosed && this.host.engine === null && this.host.state.kind !== 'failed')
      await this.host.ensure(this.loadOptions());
    return this.models;
  }

  /** The models that complete code; null unless the local model is loaded. */
  get models(): CompletingModels | null {
    const { model } = this.host;
    if (model === null) return null;
    const { engine: local, traits, ownAdapters } = model;
    const remote = () => this.team?.server.completer(local) ?? null;
    const headStartMs = () => this.team?.server.headStartMs ?? Number.POSITIVE_INFINITY;
    const { settings } = this.setup;
    const adapter = adapterFor('completions', settings, ownAdapters);
    const { editFormat } = traits;
    const isSlow = (this.fastestReading ?? Number.POSITIVE_INFINITY) < minPrefillForEdits;
    const editAdapter = isSlow ? null : adapterFor('edits', settings, ownAdapters);
    return { local, ...(adapter !== null && { adapter }), remote, headStartMs, editFormat, editAdapter };
  }

  /** Like ready(), but for explicit commands: rejects with a message for the user if the model cannot be loaded. */
  async required(): Promise<Model> {
    this.noteUse();
    this.isUnloaded = false;
    return this.host.required(this.loadOptions());
  }

  /**
   * The model for explanations. If it is a separate one, the model for completion is loaded first and gets its memory.
   */
  async explainer(): Promise<Explainer> {
    const { settings } = this.setup;
    const options = explainOptions(settings);
    if (options === null) return this.required();
    if (settings.mode !== 'off') await this.ready();
    const mustWait = () => {
      this.explanationModel.keep(); // this is only called while an answer is written
      return this.isComputing;
    };
    return { ...(await this.explanationModel.required(options)), mustWait };
  }

  private noteUse(): void {
    this.lastUsedAtMs = performance.now();
    this.trials.interrupt();
  }

  private get isComputing(): boolean {
    const status = this.host.engine?.status();
    return status !== undefined && status.state !== 'idle';
  }

  examined(): Examined {
    const { settings, connecting } = this.setup;
    const explainModelPath = explainOptions(settings)?.modelPath;
    const server = serverOptions(settings, connecting);
    return {
      addonInfo: this.parts.addonInfo,
      modelPath: this.loadOptions().modelPath,
      ...(explainModelPath !== undefined && { explainModelPath }),
      ...(server && { server }),
      engine: async () => (await this.required()).engine,
      loadModel: this.parts.loadModel,
    };
  }

  /** Call after each answer. model: the name of the model that gave it, on the team's server or on this machine. */
  answered(timings: Timings, latencyMs: number, model: string): void {
    this.throughput.add(timings);
    if (model === this.host.engine?.info.name) this.judgeReading(timings);
    this.last = { ...timings, latencyMs, model };
    this.changed();
  }

  private judgeReading({ promptTokens, cachedTokens, prefillMs, completionTokens }: Timings): void {
    const read = promptTokens - cachedTokens;
    // An answer without a token was cancelled before its prompt was read.
    if (completionTokens === 0) return;
    const isFirst = !this.hasRead;
    this.hasRead = true;
    if (isFirst || read < minTokensToJudge || prefillMs === 0) return;
    this.fastestReading = Math.max(this.fastestReading ?? 0, (read * 1000) / prefillMs);
  }

  status(isOff: boolean): ServerStatus {
    const { state } = this.host;
    if (this.alarm !== null) return { health: 'error', problem: 'engine', message: this.alarm };
    if (isOff) return { health: 'off', ...this.figures() };
    if (state.kind === 'failed') return { health: 'error', problem: 'model', message: state.message };
    if (state.kind === 'loading') return { health: 'loading', progress: state.progress };
    if (state.kind === 'unloaded') return { health: this.isUnloaded ? 'unloaded' : 'starting' };
    return { health: 'ready', ...this.figures() };
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.trials.interrupt();
    this.team?.server.close();
    clearInterval(this.idleTimer);
    await Promise.all([this.host.unload(), this.explanationModel.unload()]);
    this.watchdog.dispose();
  }

  private loadOptions(): ModelOptions {
    return loadOptions(this.setup.settings, this.setup);
  }

  private chooseTeam(isWanted: boolean): void {
    const { settings, connecting } = this.setup;
    const options = serverOptions(settings, connecting);
    const key = JSON.stringify(options);
    if (key === this.team?.key) return;
    this.team?.server.close();
    const onChange = (message: string) => {
      this.log.warn(message);
      this.changed();
    };
    this.team = isWanted && options ? { key, server: new Team(options, onChange, this.parts.patience?.team) } : null;
  }

  private figures(): Omit<ServerStatus, 'health'> {
    const { model } = this.host;
    const explaining = this.explanationModel.model;
    const { decodeTokensPerSecond, prefillTokensPerSecond } = this.throughput;
    return {
      ...(model && {
        model: this.team?.server.info(model.engine) ?? model.engine.info,
        engine: model.engine.status(),
        onlyExplains: model.traits.fim === null && model.traits.chatTemplate !== null,
        ...(this.team === null && model.engine.info.path === this.setup.bundledModel && { isStarter: true }),
      }),
      ...(explaining && { explainModel: explaining.engine.info }),
      ...(decodeTokensPerSecond !== undefined && { decodeTokensPerSecond }),
      ...(prefillTokensPerSecond !== undefined && { prefillTokensPerSecond }),
      ...(this.last && { last: this.last }),
    };
  }

  /** alarm: the watchdog's message; null once the engine makes progress again. */
  private setAlarm(alarm: string | null): void {
    if (alarm !== null) this.log.error(alarm);
    this.alarm = alarm;
    this.changed();
  }

  private unloadIfIdle(): void {
    const minutes = this.setup.settings['engine.unloadAfterMinutes'];
    const isIdle = performance.now() - this.lastUsedAtMs > minutes * 60_000;
    if (minutes === 0 || !isIdle || this.host.engine?.status().state !== 'idle') return;
    this.log.info(`unloading the model after ${minutes} minutes without a request`);
    this.isUnloaded = true;
    this.trials.interrupt();
    this.forgetFigures();
    this.host.unload().then(
      () => this.changed(),
      (error: unknown) => this.log.error(errorText(error)),
    );
  }

  private forgetFigures(): void {
    this.throughput.clear();
    this.fastestReading = undefined;
    this.hasRead = false;
    this.last = undefined;
  }

  private changed(): void {
    // The figures of one model do not apply to the next.
    if (this.host.state.kind === 'loading') this.forgetFigures();
    for (const listener of this.listeners) listener();
  }
}
