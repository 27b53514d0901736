// The connection to the language server: starts it, stops it and restarts it, also after a crash, and keeps the latest
// status that it has sent.
import { existsSync } from 'node:fs';
import {
  type CancellationToken,
  type Disposable,
  EventEmitter,
  type ExtensionContext,
  type LogOutputChannel,
  l10n,
  window,
  workspace,
} from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import * as protocol from '../language-server/protocol/messages.ts';
import { readSettings, section } from './config.ts';
import { RelatedCode } from './related-code.ts';
import { RestartPolicy } from './restart-policy.ts';
import { endpointFor, ServerProcess } from './server-process.ts';

/** The key of the team server's token in VS Code's SecretStorage. */
export const serverTokenKey = 'serverToken';
const serverModule = 'dist/server.js';
const bundledModel = 'models/starter.gguf';

export class Client implements Disposable {
  readonly log: LogOutputChannel = window.createOutputChannel('Hearth', { log: true });
  status: protocol.ServerStatus = { health: 'starting' };
  private readonly statusEmitter = new EventEmitter<protocol.ServerStatus>();
  readonly onStatus = this.statusEmitter.event;
  private readonly chunkEmitter = new EventEmitter<protocol.ExplainChunk>();
  readonly onExplainChunk = this.chunkEmitter.event;
  private readonly grownEmitter = new EventEmitter<protocol.GrownParams>();
  readonly onGrown = this.grownEmitter.event;
  private readonly upEmitter = new EventEmitter<LanguageClient>();
  private readonly relatedCode = new RelatedCode();
  private readonly settingsListener = workspace.onDidChangeConfiguration(async (event) => {
    if (event.affectsConfiguration(section)) this.notify(protocol.settingsNotification, await this.settings());
  });
  private readonly server: ServerProcess;
  private policy = new RestartPolicy();
  private languageClient: LanguageClient | undefined;
  private lifecycle: Promise<void> = Promise.resolve();
  private restarting: Promise<void> | undefined;
  private isEndAnnounced = false;

  /**
   * asksAgain: whether this window requests a suggestion again when the server reports that its text has grown; only
   * then may the server answer with an unfinished text.
   */
  constructor(
    private readonly context: ExtensionContext,
    private readonly asksAgain: boolean,
  ) {
    const endpoint = endpointFor(context.globalStorageUri.fsPath, context.extension.packageJSON.version);
    const module = context.asAbsolutePath(serverModule);
    this.server = new ServerProcess(module, endpoint, (text) => this.log.error(text.trimEnd()));
  }

  start(): Promise<void> {
    return this.inTurn(() => this.connect());
  }

  /** Never rejects, so that a new server can be started even if stopping the old one failed. */
  stop(): Promise<void> {
    return this.inTurn(async () => {
      const client = this.languageClient;
      this.languageClient = undefined;
      if (client?.needsStop()) await client.stop().catch((error: unknown) => this.log.warn(String(error)));
    });
  }

  /** Ends the server process for all windows and starts another. While that is in progress, further calls join it. */
  restart(): Promise<void> {
    this.restarting ??= this.quitAndStart().finally(() => {
      this.restarting = undefined;
    });
    return this.restarting;
  }

  /** Rejects with a message for the user when there is no server. */
  async request<R>(method: string, params: object = {}, token?: CancellationToken): Promise<R> {
    if (!this.languageClient?.isRunning()) throw new Error(l10n.t('The Hearth server is not running.'));
    return this.languageClient.sendRequest<R>(method, params, token);
  }

  /** Does nothing when there is no server: a new one gets the settings when it starts. */
  notify(method: string, params: object): void {
    if (!this.languageClient?.isRunning()) return;
    this.languageClient.sendNotification(method, params).catch((error: unknown) => this.log.warn(String(error)));
  }

  /** Resolves once a server is running. Stays pending if none can be started. */
  async running(): Promise<LanguageClient> {
    if (this.languageClient?.isRunning()) return this.languageClient;
    return new Promise((resolve) => {
      const listener = this.upEmitter.event((client) => {
        listener.dispose();
        resolve(client);
      });
    });
  }

  dispose(): void {
    for (const each of [this.statusEmitter, this.chunkEmitter, this.grownEmitter, this.upEmitter]) each.dispose();
    for (const each of [this.relatedCode, this.settingsListener, this.log]) each.dispose();
  }

  private async quitAndStart(): Promise<void> {
    await this.inTurn(async () => {
      const client = this.languageClient;
      if (!client?.isRunning()) return;
      await client.sendNotification(protocol.quitNotification).catch(() => undefined);
    });
    await this.stop();
    this.policy = new RestartPolicy();
    await this.start();
  }

  /** Runs starts and stops one after another, so that they never overlap. */
  private inTurn(action: () => Promise<void>): Promise<void> {
    this.lifecycle = this.lifecycle.then(action);
    return this.lifecycle;
  }

  private async connect(): Promise<void> {
    const module = this.context.asAbsolutePath(serverModule);
    if (!existsSync(module)) return this.fail(l10n.t('{0} is missing. Please reinstall Hearth.', module));
    this.setStatus({ health: 'starting' });
    try {
      // The server starts and loads its model while the extension host loads the language client library.
      const [socket, { createLanguageClient }, settings] = await Promise.all([
        this.server.connect(),
        import('./language-client.ts'),
        this.settings(),
      ]);
      this.isEndAnnounced = false;
      this.languageClient = createLanguageClient(socket, this.options(settings), {
        log: this.log,
        onRunning: (client) => this.onRunning(client),
        onEnd: () => void this.afterEnd(),
      });
      this.addHandlers(this.languageClient);
      await this.languageClient.start();
    } catch (error) {
      this.languageClient = undefined;
      this.log.error(`The language server did not start: ${messageOf(error)}`);
      if (this.policy.recordCrash(performance.now())) return this.connect();
      this.fail(l10n.t('The Hearth server did not start. {0}', messageOf(error)));
    }
  }

  /** Reads the token only if it is needed: SecretStorage is slow while a window opens. */
  private async settings(): Promise<protocol.SettingsParams> {
    const settings = readSettings();
    if (!settings['server.url']) return settings;
    return { ...settings, serverToken: (await this.context.secrets.get(serverTokenKey)) ?? '' };
  }

  private options(settings: protocol.SettingsParams): protocol.InitializationOptions {
    return {
      settings,
      bundledModel: this.context.asAbsolutePath(bundledModel),
      asksAgain: this.asksAgain,
      hasOwnProvider: true,
      sharesCode: true,
      avoidsGpu: this.policy.avoidsGpu,
      isSafeMode: this.policy.isSafeMode,
      storageFolder: this.context.globalStorageUri.fsPath,
    };
  }

  private addHandlers(client: LanguageClient): void {
    client.onNotification(protocol.statusNotification, (status: protocol.ServerStatus) => {
      if (status.health === 'ready') this.policy.recordReady(status.model?.device === 'gpu');
      this.setStatus(status);
    });
    client.onNotification(protocol.farewellNotification, () => {
      this.isEndAnnounced = true;
    });
    client.onNotification(protocol.explainChunkNotification, (chunk: protocol.ExplainChunk) =>
      this.chunkEmitter.fire(chunk),
    );
    client.onRequest(protocol.relatedRequest, (params: protocol.RelatedParams) => this.relatedCode.answer(params));
    client.onNotification(protocol.grownNotification, (grown: protocol.GrownParams) => this.grownEmitter.fire(grown));
  }

  /** Called when the connection has closed and this window did not close it. */
  private async afterEnd(): Promise<void> {
    this.languageClient = undefined;
    if (this.isEndAnnounced) {
      this.log.info('The language server stopped: it was restarted, or the window that started it was closed.');
      return this.start();
    }
    const ending = await this.server.ending();
    if (this.policy.recordCrash(performance.now())) {
      const how = this.policy.isSafeMode ? ' on the CPU, without a draft model and without the disk cache' : '';
      this.log.warn(`The language server ended unexpectedly (${ending}) and is being restarted${how}.`);
      return this.start();
    }
    this.fail(l10n.t('The Hearth server crashed repeatedly ({0}) and was not restarted.', ending));
  }

  private onRunning(client: LanguageClient): void {
    const where = this.server.pid === undefined ? 'in another window' : `as process ${this.server.pid}`;
    this.log.info(`The language server is running ${where}.`);
    this.upEmitter.fire(client);
  }

  private fail(message: string): void {
    this.log.error(message);
    this.setStatus({ health: 'error', problem: 'server', message });
  }

  private setStatus(status: protocol.ServerStatus): void {
    this.status = status;
    this.statusEmitter.fire(status);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
