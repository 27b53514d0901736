// The engine of this process, for every window that is connected: loaded once, watched, and unloaded when nobody has
// asked for a while. What belongs to one window is in session.ts.
import type { AddonInfo, Engine, Timings } from '../native/index.ts';
import { wipe } from './disk-cache.ts';
import type { Patient } from './doctor.ts';
import { EngineHost, type LoadModel } from './engine-host.ts';
import type { Explainer } from './explain/provider.ts';
import { SecondModel } from './explain/second-model.ts';
import { type EngineOptions, explainOptions, loadOptions } from './load-options.ts';
import { errorText, type Log } from './log.ts';
import type { Model } from './models/model-traits.ts';
import type { ServerStatus, Settings } from './protocol.ts';
import { behindServer } from './remote/remote-engine.ts';
import { defaultSettings } from './settings.ts';
import { Throughput } from './throughput.ts';
import { Watchdog } from './watchdog.ts';

/** What the server takes from outside; tests give a fake engine. */
export interface ServerParts {
  loadModel: LoadModel;
  addonInfo: () => AddonInfo;
  /** For clients that name no bundled model. */
  bundledModel: string;
}

/** What the engine is loaded with. Windows agree on it, as these settings are the user's; the newest word counts. */
export interface EngineSetup {
  settings: Settings;
  bundledModel: string;
  pagesFolder: string;
  /** Of the team's server; empty: it wants none. */
  serverToken: string;
}

// As EX_SOFTWARE of sysexits.h: an internal fault. The editor starts the server again.
const faultExitCode = 70;
const idleCheckMs = 10_000;

export class SharedEngine {
  readonly host: EngineHost;
  private readonly second: SecondModel;
  private setup: EngineSetup;
  private readonly throughput = new Throughput();
  private readonly listeners = new Set<() => void>();
  private readonly watchdog: Watchdog;
  private readonly idleTimer: NodeJS.Timeout;
  private last: ServerStatus['last'];
  private alarm: string | null = null;
  private isUnloaded = false;
  private isClosed = false;
  private usedAt = performance.now();

  constructor(
    readonly parts: ServerParts,
    private readonly log: Log,
  ) {
    this.setup = { settings: defaultSettings, bundledModel: parts.bundledModel, pagesFolder: '', serverToken: '' };
    const load = behindServer(parts.loadModel, (message) => {
      log.warn(message);
      this.changed();
    });
    this.host = new EngineHost(load, log, () => this.changed());
    this.second = new SecondModel(
      parts.loadModel,
      log,
      () => this.changed(),
      () => this.host.model,
    );
    this.watchdog = new Watchdog(() => this.host.engine?.status() ?? null, {
      slow: (message) => log.info(message),
      hung: (message) => this.sound(message),
      recovered: () => this.sound(null),
      hopeless: (message) => {
        log.error(message);
        setImmediate(() => process.exit(faultExitCode));
      },
    });
    this.idleTimer = setInterval(() => this.unloadIfIdle(), idleCheckMs).unref();
  }

  /** Calls back on every change of the status; the function ends that. */
  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Loads what the settings ask for. A window that is switched off loads nothing, and leaves what there is. */
  async configure(setup: EngineSetup): Promise<void> {
    this.setup = setup;
    this.changed();
    if (explainOptions(setup.settings) === null) await this.second.unload();
    if (setup.settings.mode !== 'off' && !this.isUnloaded) await this.host.ensure(this.loadOptions());
    // After that: an engine that was loaded with it writes there when it is closed.
    if (setup.settings['cache.diskMiB'] === 0) await wipe(setup.pagesFolder, this.log);
  }

  /** The engine, once it is loaded; null when it cannot be: the status says why. */
  async ready(): Promise<Engine | null> {
    this.usedAt = performance.now();
    this.isUnloaded = false;
    // Again where another model was chosen while this one was loading.
    while (!this.isClosed && this.host.engine === null && this.host.state.kind !== 'failed')
      await this.host.ensure(this.loadOptions());
    return this.host.engine;
  }

  /** As ready(), for what the user asked for by name: tries again what has failed, and rejects with the reason. */
  async required(): Promise<Model> {
    this.usedAt = performance.now();
    this.isUnloaded = false;
    return this.host.required(this.loadOptions());
  }

  /** The model for explanations. Where that is a second one, the one for completion gets its memory first. */
  async explainer(): Promise<Explainer> {
    const { settings } = this.setup;
    const options = explainOptions(settings);
    if (options === null) return { ...(await this.required()), mustWait: () => false };
    if (settings.mode !== 'off') await this.ready();
    return { ...(await this.second.required(options)), mustWait: () => this.isComputing };
  }

  private get isComputing(): boolean {
    const status = this.host.engine?.status();
    return status !== undefined && status.state !== 'idle' && status.op !== 'server';
  }

  /** Itself, for the doctor. */
  patient(): Patient {
    const explainModelPath = explainOptions(this.setup.settings)?.modelPath;
    return {
      addonInfo: this.parts.addonInfo,
      modelPath: this.loadOptions().modelPath,
      ...(explainModelPath !== undefined && { explainModelPath }),
      engine: async () => (await this.required()).engine,
    };
  }

  answered(timings: Timings, latencyMs: number): void {
    this.throughput.add(timings);
    this.last = { ...timings, latencyMs };
    this.changed();
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
    clearInterval(this.idleTimer);
    await Promise.all([this.host.unload(), this.second.unload()]);
    this.watchdog.dispose();
  }

  private loadOptions(): EngineOptions {
    const { settings, bundledModel, pagesFolder, serverToken: token } = this.setup;
    const options = loadOptions(settings, bundledModel, pagesFolder);
    const { 'server.url': url, 'server.model': model } = settings;
    return url.trim() === '' ? options : { ...options, server: { url, model, token } };
  }

  private figures(): Omit<ServerStatus, 'health'> {
    const { model } = this.host;
    const second = this.second.model;
    const { decodeTokensPerSecond, prefillTokensPerSecond } = this.throughput;
    return {
      ...(model && {
        model: model.engine.info,
        engine: model.engine.status(),
        onlyExplains: model.traits.fim === null && model.traits.chatTemplate !== null,
      }),
      ...(second && { explainModel: second.engine.info }),
      ...(decodeTokensPerSecond !== undefined && { decodeTokensPerSecond }),
      ...(prefillTokensPerSecond !== undefined && { prefillTokensPerSecond }),
      ...(this.last && { last: this.last }),
    };
  }

  /** What the watchdog says; null when the engine moves again. */
  private sound(alarm: string | null): void {
    if (alarm !== null) this.log.error(alarm);
    this.alarm = alarm;
    this.changed();
  }

  private unloadIfIdle(): void {
    const minutes = this.setup.settings['engine.unloadAfterMinutes'];
    const isIdle = performance.now() - this.usedAt > minutes * 60_000;
    if (minutes === 0 || !isIdle || this.host.engine?.status().state !== 'idle') return;
    this.log.info(`unloading the model after ${minutes} minutes without a request`);
    this.isUnloaded = true;
    this.forgetFigures();
    this.host.unload().then(
      () => this.changed(),
      (error: unknown) => this.log.error(errorText(error)),
    );
  }

  private forgetFigures(): void {
    this.throughput.clear();
    this.last = undefined;
  }

  private changed(): void {
    // Figures of one model say nothing about the next.
    if (this.host.state.kind === 'loading') this.forgetFigures();
    for (const listener of this.listeners) listener();
  }
}
