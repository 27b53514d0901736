// What the other features see of the language server: its status, its messages, and requests to it. connection.ts
// handles its process and the connection.
import { isDeepStrictEqual } from 'node:util';
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
import { cleanLog, type Log } from '../../language-server/protocol/log.ts';
import * as protocol from '../../language-server/protocol/messages.ts';
import * as wire from '../../language-server/protocol/wire.ts';
import { networkSettings, readSettings, section, usesServer } from '../settings/config.ts';
import { RelatedCode } from '../workspace/related-code.ts';
import { WorkspaceFiles } from '../workspace/workspace-files.ts';
import { type Cause, Connection, type State } from './connection.ts';
import type { ClientSession } from './language-client.ts';
import type { RestartPolicy } from './restart-policy.ts';
import { ServerLauncher } from './server-launcher.ts';
import type { ProcessLink } from './server-link.ts';

/** The key of the team server's token in VS Code's SecretStorage. */
export const serverTokenKey = 'serverToken';
/** JSON-RPC's error codes for requests that the end of the connection left unanswered, and for requests after it. */
const endedCodes = [-32097, -32096];

export class Client implements Disposable {
  readonly channel: LogOutputChannel = window.createOutputChannel('Hearth', { log: true });
  readonly log: Log = cleanLog(this.channel);
  status: protocol.ServerStatus = { health: 'starting' };
  private readonly statusEmitter = new EventEmitter<protocol.ServerStatus>();
  readonly onStatus = this.statusEmitter.event;
  private readonly chunkEmitter = new EventEmitter<protocol.ExplainChunk>();
  readonly onExplainChunk = this.chunkEmitter.event;
  private readonly grownEmitter = new EventEmitter<protocol.GrownParams>();
  readonly onGrown = this.grownEmitter.event;
  private readonly upEmitter = new EventEmitter<LanguageClient>();
  private readonly relatedCode = new RelatedCode();
  private readonly workspaceFiles = new WorkspaceFiles(async (params) => {
    const client = this.languageClient;
    // If sending fails, the server has ended. The next server gets all files again.
    if (client) await wire.notify(client, protocol.closedFilesNotification, params).catch(() => undefined);
  });
  private readonly settingsListener = workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration(section) || event.affectsConfiguration('http')) void this.sendSettings();
  });
  private readonly connection: Connection<ProcessLink, ClientSession>;
  /** The settings that were sent to the server, or that the starting server will get. */
  private sentSettings: protocol.SettingsParams = {};
  /** Why the server is being started again; '' for the first start. */
  private restartReason = '';

  /**
   * asksAgain: whether this window requests a suggestion again when the server reports that its text has grown.
   * Otherwise the server never answers with an unfinished text.
   */
  constructor(
    private readonly context: ExtensionContext,
    private readonly asksAgain: boolean,
  ) {
    const launcher = new ServerLauncher({
      module: context.asAbsolutePath('dist/server.js'),
      storageFolder: context.globalStorageUri.fsPath,
      version: context.extension.packageJSON.version,
      onOutput: (text) => this.log.error(text),
    });
    this.connection = new Connection({
      find: () => launcher.find(),
      start: (signal) => launcher.start(signal),
      prepare: (policy) => this.prepare(policy),
      onState: (state) => this.enter(state),
      onEnd: (cause, willReconnect) => this.report(cause, willReconnect),
    });
  }

  start(): Promise<void> {
    return this.connection.start();
  }

  stop(): Promise<void> {
    return this.connection.stop();
  }

  /** Ends the server process for all windows and starts another. */
  restart(): Promise<void> {
    return this.connection.restart();
  }

  /** Rejects with a message for the user if there is no server, or if it ends before it has answered. */
  async request<P, R>(type: wire.RequestType<P, R>, params: P, token?: CancellationToken): Promise<R> {
    if (!this.languageClient) throw new Error(l10n.t('The Hearth server is not running.'));
    return wire.request(this.languageClient, type, params, token).catch((error: { code?: number }) => {
      const hasEnded = endedCodes.includes(error.code ?? 0);
      throw hasEnded ? new Error(l10n.t('The Hearth server has ended. Try again.')) : error;
    });
  }

  /** Does nothing if there is no server. */
  notify<P>(type: wire.NotificationType<P>, params: P): void {
    if (!this.languageClient) return;
    wire.notify(this.languageClient, type, params).catch((error: unknown) => this.log.warn(String(error)));
  }

  /** Resolves once a server is running. Stays pending if none can be started. */
  async running(): Promise<LanguageClient> {
    if (this.languageClient) return this.languageClient;
    return new Promise((resolve) => {
      const listener = this.upEmitter.event((client) => {
        listener.dispose();
        resolve(client);
      });
    });
  }

  dispose(): void {
    for (const emitter of [this.statusEmitter, this.chunkEmitter, this.grownEmitter, this.upEmitter]) emitter.dispose();
    for (const part of [this.relatedCode, this.workspaceFiles, this.settingsListener, this.channel]) part.dispose();
  }

  private get languageClient(): LanguageClient | undefined {
    const client = this.connection.session?.client;
    return client?.isRunning() ? client : undefined;
  }

  /**
   * Loads the library of the language client and reads the settings while the server starts. Resolves to a function
   * that makes the session for a link.
   */
  private async prepare(policy: RestartPolicy): Promise<(link: ProcessLink) => ClientSession> {
    const [{ ClientSession }, settings] = await Promise.all([import('./language-client.ts'), this.settings()]);
    this.sentSettings = settings;
    return (link) => {
      const session = new ClientSession(link, this.options(settings, policy), this.channel);
      this.addHandlers(session.client);
      return session;
    };
  }

  /** Sends the settings unless the server has them already. */
  private async sendSettings(): Promise<void> {
    const settings = await this.settings();
    if (!this.languageClient || isDeepStrictEqual(settings, this.sentSettings)) return;
    this.sentSettings = settings;
    this.notify(protocol.settingsNotification, settings);
  }

  /** Reads the token only if it is needed: SecretStorage is slow while a window opens. */
  private async settings(): Promise<protocol.SettingsParams> {
    if (!usesServer()) return readSettings();
    const serverToken = await this.serverToken();
    // The settings are read after the token, because they may change while the token is awaited.
    return { ...readSettings(), ...(usesServer() && { serverToken, network: networkSettings() }) };
  }

  private async serverToken(): Promise<string> {
    try {
      return (await this.context.secrets.get(serverTokenKey)) ?? '';
    } catch (error) {
      this.log.error(`The token for the server cannot be read: ${String(error)}`);
      return '';
    }
  }

  private options(settings: protocol.SettingsParams, policy: RestartPolicy): protocol.InitializationOptions {
    return {
      settings,
      bundledModel: this.context.asAbsolutePath('models/starter.gguf'),
      asksAgain: this.asksAgain,
      hasOwnProvider: true,
      hasOwnSettings: true,
      sharesCode: true,
      wantsSignsOfLife: true,
      avoidsGpu: policy.avoidsGpu,
      isSafeMode: policy.isSafeMode,
      storageFolder: this.context.globalStorageUri.fsPath,
    };
  }

  private addHandlers(client: LanguageClient): void {
    wire.onNotification(client, protocol.statusNotification, (status) => {
      if (status.health === 'ready') this.connection.policy.recordReady(status.model?.device === 'gpu');
      this.setStatus(status);
    });
    wire.onNotification(client, protocol.explainChunkNotification, (chunk) => this.chunkEmitter.fire(chunk));
    wire.onNotification(client, protocol.grownNotification, (grown) => this.grownEmitter.fire(grown));
    wire.onRequest(client, protocol.relatedRequest, (params) => this.relatedCode.answer(params));
  }

  private enter(state: State): void {
    const message = state === 'starting' ? this.restartReason : '';
    if (state === 'starting' || state === 'ending') this.setStatus({ health: 'starting', ...(message && { message }) });
    const { session } = this.connection;
    if (state !== 'up' || !session) return;
    const { link, client } = session;
    this.log.info(`The language server is running as process ${link.pid}.`);
    if (!link.isShared) this.log.warn(notSharedText());
    this.upEmitter.fire(client);
    // The user may have changed the settings while the server started.
    void this.sendSettings();
    this.workspaceFiles
      .connected()
      .catch((error: unknown) => this.log.warn(`Files that are not open are not searched: ${error}`));
  }

  /** Logs why the connection has ended. If that matters to the user, the status says it, too. */
  private report(cause: Cause, willReconnect: boolean): void {
    const { isSafeMode } = this.connection.policy;
    this.restartReason = cause.kind === 'hung' ? l10n.t('the server did not react and is being started again') : '';
    switch (cause.kind) {
      case 'left':
        return;
      case 'restarted':
        this.log.info('The language server is being restarted.');
        return;
      case 'not started':
        this.log.error(`The language server did not start: ${cause.how}`);
        if (!willReconnect)
          this.fail(l10n.t('The Hearth server did not start ({0}). Restart it, or reinstall Hearth.', cause.how));
        return;
      default: {
        const how = isSafeMode ? " on the CPU, without a draft model, Hearth's own adapters and the disk cache" : '';
        const what = cause.kind === 'hung' ? 'does not react' : `ended unexpectedly (${cause.how})`;
        this.log.warn(`The language server ${what}${willReconnect ? ` and is being restarted${how}` : ''}.`);
        if (!willReconnect)
          this.fail(l10n.t('The Hearth server failed repeatedly ({0}). Restart it, or try another model.', cause.how));
      }
    }
  }

  private fail(message: string): void {
    this.setStatus({ health: 'error', problem: 'server', message });
  }

  private setStatus(status: protocol.ServerStatus): void {
    const isAlone = this.connection.session?.link.isShared === false;
    const settingProblems = [...(status.settingProblems ?? []), ...(isAlone ? [notSharedText()] : [])];
    this.status = settingProblems.length > 0 ? { ...status, settingProblems } : status;
    this.statusEmitter.fire(this.status);
  }
}

/** Says that this window has a server of its own, because no folder can hold the socket of a shared one. */
function notSharedText(): string {
  return l10n.t(
    'This window keeps its own model in memory, since Hearth cannot write to any folder for a shared server.',
  );
}
