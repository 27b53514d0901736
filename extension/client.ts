// The language server's life: start, restart after a crash, stop; and the latest status that it sent.
// Completions need no code here: LSP's inline completion is served by the LanguageClient itself.
import { existsSync } from 'node:fs';
import { type CancellationToken, EventEmitter, type ExtensionContext, type LogOutputChannel, window } from 'vscode';
import {
  CloseAction,
  ErrorAction,
  type ErrorHandler,
  LanguageClient,
  type LanguageClientOptions,
  RevealOutputChannelOn,
  State,
  TransportKind,
} from 'vscode-languageclient/node';
import {
  type ExplainChunk,
  explainChunkNotification,
  type GrownParams,
  grownNotification,
  type InitializationOptions,
  type ServerStatus,
  statusNotification,
} from '../language-server/protocol.ts';
import { askAgain } from './ask-again.ts';
import { readSettings } from './config.ts';
import { RestartPolicy } from './restart-policy.ts';

// Where code is written. Left out: output channels, diffs against git, our own documents, and settings.json, which
// may hold secrets. "vscode-remote" is what a remote file is called when Hearth runs on the near side.
const schemes = ['file', 'untitled', 'vscode-remote', 'vscode-vfs', 'vscode-notebook-cell'];

const bundledModel = 'models/starter-45m-q6_k.gguf';

export class Client {
  readonly log: LogOutputChannel = window.createOutputChannel('Hearth', { log: true });
  status: ServerStatus = { health: 'starting' };
  private readonly statusEmitter = new EventEmitter<ServerStatus>();
  readonly onStatus = this.statusEmitter.event;
  private readonly chunkEmitter = new EventEmitter<ExplainChunk>();
  readonly onExplainChunk = this.chunkEmitter.event;
  private languageClient: LanguageClient | undefined;

  constructor(private readonly context: ExtensionContext) {}

  async start(): Promise<void> {
    const module = this.context.asAbsolutePath('dist/server.js');
    if (!existsSync(module)) return this.fail(`The language server ${module} is missing. Please reinstall Hearth.`);
    this.setStatus({ health: 'starting' });
    const policy = new RestartPolicy();
    const client = this.createLanguageClient(module, policy);
    this.languageClient = client;
    try {
      await client.start();
    } catch (error) {
      this.log.error(`Starting the language server failed: ${String(error)}`);
      // What becomes of a process that ended is the error handler's business.
      if (!policy.hasDied) this.fail('The language server did not start. The log says why.');
    }
  }

  /** A stop that fails or hangs must not keep a new server from starting: the old process is ended all the same. */
  async stop(): Promise<void> {
    const client = this.languageClient;
    this.languageClient = undefined;
    if (client?.needsStop()) await client.stop().catch((error: unknown) => this.log.warn(String(error)));
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  request<R>(method: string, params?: object, token?: CancellationToken): Promise<R> {
    if (!this.languageClient?.isRunning()) throw new Error('The language server is not running.');
    return this.languageClient.sendRequest<R>(method, params ?? {}, token);
  }

  /** Without a server there is nobody to tell: it reads the settings when it starts. */
  async notify(method: string, params: object): Promise<void> {
    if (this.languageClient?.isRunning()) await this.languageClient.sendNotification(method, params);
  }

  dispose(): void {
    this.statusEmitter.dispose();
    this.chunkEmitter.dispose();
    this.log.dispose();
  }

  private createLanguageClient(module: string, policy: RestartPolicy): LanguageClient {
    const options: LanguageClientOptions = {
      documentSelector: schemes.map((scheme) => ({ scheme })),
      initializationOptions: (): InitializationOptions => ({
        settings: readSettings(),
        bundledModel: this.context.asAbsolutePath(bundledModel),
        asksAgain: true,
        storageFolder: this.context.globalStorageUri.fsPath,
      }),
      outputChannel: this.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationFailedHandler: () => false,
      errorHandler: this.errorHandler(policy),
    };
    const client = new LanguageClient('hearth', 'Hearth', { module, transport: TransportKind.ipc }, options);
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Starting) this.setStatus({ health: 'starting' });
      if (newState === State.Running)
        this.log.info(`The language server runs as process ${client.serverProcess?.pid}.`);
    });
    client.onNotification(statusNotification, (status: ServerStatus) => {
      if (status.health === 'ready') policy.ready();
      this.setStatus(status);
    });
    client.onNotification(grownNotification, (grown: GrownParams) => void askAgain(grown));
    client.onNotification(explainChunkNotification, (chunk: ExplainChunk) => this.chunkEmitter.fire(chunk));
    return client;
  }

  private errorHandler(policy: RestartPolicy): ErrorHandler {
    return {
      error: (error) => {
        this.log.error(`The connection to the language server failed: ${error.message}`);
        return { action: ErrorAction.Continue, handled: true };
      },
      closed: () => {
        if (policy.died(Date.now())) {
          this.log.warn('The language server ended unexpectedly and is started again.');
          return { action: CloseAction.Restart, handled: true };
        }
        this.fail('The language server keeps ending unexpectedly and is not started again. The log says why.');
        return { action: CloseAction.DoNotRestart, handled: true };
      },
    };
  }

  private fail(message: string): void {
    this.log.error(message);
    this.setStatus({ health: 'error', message });
  }

  private setStatus(status: ServerStatus): void {
    this.status = status;
    this.statusEmitter.fire(status);
  }
}
