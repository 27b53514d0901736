// One connection, that is, one window: its documents and offers. A handler that fails is logged and returns
// an empty answer, so that one bad request never ends the server.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Connection,
  DidChangeConfigurationNotification,
  type InitializeParams,
  type InitializeResult,
  type InlineCompletionList,
  type InlineCompletionParams,
  LogMessageNotification,
  ResponseError,
  TextDocumentSyncKind,
  TextDocuments,
} from 'vscode-languageserver';
import { version } from '../../package.json';
import { OpenDocument } from '../documents/open-document.ts';
import { pagesFolderIn } from '../engine/disk-cache.ts';
import { cacheBytes } from '../engine/load-options.ts';
import type { SharedEngine } from '../engine/shared-engine.ts';
import { explain } from '../explain/provider.ts';
import { listModels } from '../models/list.ts';
import type { GhostCompletion } from '../offers/complete.ts';
import { CompletionProvider } from '../offers/provider.ts';
import { ClosedFiles } from '../prompt/closed-files.ts';
import { RelatedCode } from '../prompt/related-code.ts';
import { redacted } from '../prompt/secrets.ts';
import { errorText, placeName, timingLine, windowLog } from '../protocol/log.ts';
import * as protocol from '../protocol/messages.ts';
import { modelsRequest } from '../protocol/models.ts';
import * as wire from '../protocol/wire.ts';
import { ConnectedWindow } from './connected-window.ts';
import { report } from './doctor.ts';
import { EditRequests } from './edit-requests.ts';
import type { Inbox } from './inbox.ts';
import { WindowSettings } from './window-settings.ts';

/** How often a client learns that the server is alive. It gives up after four seconds without a sign. */
const aliveMs = 1000;
/** Editors without an extension do not say where the cursor rests: it is where they last asked, after so long. */
const restMs = 300;
/** The name of our settings in the editor's configuration. */
const section = 'hearth';
/** How long an editor may take to tell its configuration. Without it, the settings are those of initializationOptions. */
const configurationMs = 2000;
/** The code of errors that are shown to the user; outside the range that JSON-RPC reserves. */
const requestFailedCode = -32803;

export class Session {
  readonly log = windowLog(
    (message) => this.connection.sendNotification(LogMessageNotification.type, message),
    redacted,
  );
  private readonly own = new WindowSettings();
  /** Resolves when the engine has been told the settings. */
  private configured = Promise.resolve();
  private options: Partial<protocol.InitializationOptions> = {};
  private completions = new CompletionProvider();
  private readonly documents: TextDocuments<OpenDocument>;
  private readonly window: ConnectedWindow;
  private readonly closedFiles = new ClosedFiles();
  private readonly edits: EditRequests;
  private stopListening = () => {};
  private aliveTimer: NodeJS.Timeout | undefined;
  private restTimer: NodeJS.Timeout | undefined;
  private isGone = false;

  constructor(
    private readonly connection: Connection,
    private readonly shared: SharedEngine,
    private readonly inbox: Inbox,
    /** Ends the process, for all sessions. */
    onQuit: () => void,
  ) {
    this.documents = new TextDocuments({
      create: OpenDocument.create,
      update: (document, changes, version) => this.edits.update(document, changes, version),
    });
    this.window = new ConnectedWindow(connection, this.documents);
    this.edits = new EditRequests(connection, this.window, {
      engines: this.shared,
      settings: () => this.settings,
      log: this.log,
    });
    connection.onInitialize((params) => this.initialize(params));
    connection.onInitialized(() => {
      if (this.isGone) return; // the window was closed while this message was queued
      this.window.initialized();
      shared.cautions.add(this.options);
      this.stopListening = shared.onChange(() => this.report());
      if (this.options.wantsSignsOfLife) this.aliveTimer = this.startSignsOfLife();
      if (this.window.canRegister)
        connection.client.register(DidChangeConfigurationNotification.type, { section }).catch(() => undefined);
      this.configured = this.configure();
    });
    wire.onNotification(connection, protocol.settingsNotification, (given) => {
      this.own.give(given);
      this.apply();
    });
    connection.onDidChangeConfiguration(({ settings }) => {
      if (!this.options.hasOwnSettings) this.configured = this.configure(settings);
    });
    wire.onNotification(connection, protocol.cursorNotification, (params) => {
      void this.guard('reading ahead', this.rest(params)).then(() => this.report());
    });
    wire.onNotification(connection, protocol.leaveNotification, ({ uri, dismissed }) =>
      this.completions.leave(uri, dismissed),
    );
    wire.onNotification(connection, protocol.closedFilesNotification, (params) => this.index(params));
    wire.onNotification(connection, protocol.quitNotification, onQuit);
    connection.languages.inlineCompletion.on((params, token) => this.complete(params, abortSignal(token)));
    wire.onRequest(connection, protocol.explainRequest, (params, token) => this.explain(params, abortSignal(token)));
    wire.onRequest(connection, protocol.doctorRequest, () => report(shared.examined()));
    wire.onRequest(connection, modelsRequest, (params) =>
      listModels(params, { engine: shared.host.engine, cacheBytes: cacheBytes(this.settings) }),
    );
    this.documents.onDidClose(({ document }) => {
      this.completions.forget(document.uri);
      this.edits.forget(document.uri);
    });
    this.documents.listen(connection);
    connection.listen();
  }

  /** Call when the window has closed: stops all work for it. */
  dispose(): void {
    this.isGone = true;
    this.shared.cautions.delete(this.options);
    this.stopListening();
    clearInterval(this.aliveTimer);
    clearTimeout(this.restTimer);
    this.completions.close();
    this.edits.close();
  }

  private initialize(params: InitializeParams): InitializeResult {
    const options: Partial<protocol.InitializationOptions> = params.initializationOptions ?? {};
    this.options = options;
    this.window.initialize(params);
    this.own.give(options.settings);
    this.tellProblems();
    const onGrown = (grown: protocol.GrownParams) => this.send(protocol.grownNotification, grown);
    const onMade = ({ timings }: GhostCompletion) =>
      this.shared.answered(timings, timings.prefillMs + timings.decodeMs);
    const related = new RelatedCode(this.window, this.closedFiles);
    this.completions = new CompletionProvider({ onMade, related, ...(options.asksAgain && { onGrown }) });
    return {
      capabilities: {
        textDocumentSync: TextDocumentSyncKind.Incremental,
        inlineCompletionProvider: !options.hasOwnProvider,
        workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
      },
      serverInfo: { name: 'hearth', version },
    };
  }

  private get settings(): protocol.Settings {
    return this.own.settings;
  }

  /** pushed: the settings of all servers, from an editor that cannot be asked for those of one. */
  private async configure(pushed?: unknown): Promise<void> {
    const { window, own } = this;
    const ofSection = pushed instanceof Object && section in pushed ? pushed[section] : undefined;
    const value = window.hasConfiguration ? await this.askForConfiguration() : ofSection;
    await this.guard(
      'reading the configuration',
      Promise.resolve(value).then((given) => own.configure(given)),
    );
    if (!this.isGone) this.apply();
  }

  private askForConfiguration(): Promise<unknown> {
    const answer = this.connection.workspace.getConfiguration(section).catch(() => null);
    return Promise.race([answer, sleep(configurationMs, null, { ref: false })]);
  }

  private tellProblems(): void {
    for (const problem of this.own.problems) this.log.warn(problem);
  }

  private apply(): void {
    this.tellProblems();
    if (this.settings.mode === 'off') this.completions.cancelAll();
    this.edits.configured();
    const { own, options, shared } = this;
    const bundledModel = options.bundledModel ?? shared.parts.bundledModel;
    const pagesFolder = pagesFolderIn(options.storageFolder);
    const setup = { settings: own.settings, bundledModel, pagesFolder, connecting: own.connecting };
    void this.guard('applying the settings', shared.configure(setup));
  }

  private async complete(
    params: InlineCompletionParams & protocol.CompletionExtras,
    signal: AbortSignal,
  ): Promise<InlineCompletionList & protocol.CompletionOutcome> {
    const startedAt = performance.now();
    const { uri } = params.textDocument;
    const document = this.documents.get(uri);
    clearTimeout(this.restTimer);
    if (!this.options.hasOwnProvider)
      this.restTimer = setTimeout(() => void this.guard('reading ahead', this.rest({ ...params, uri })), restMs);
    // Messages that supersede the request may be queued already; then no work is started for it.
    const source = {
      ready: async () => {
        await Promise.all([this.inbox.caughtUp(), this.configured]);
        return this.shared.ready();
      },
      isLoading: () => this.shared.host.engine === null,
    };
    if (!document) this.log.warn(`${placeName(uri, params.position)} cannot be completed: the document is not open`);
    const answer = document && this.completions.provide({ ...params, document }, source, this.settings, signal);
    const failed = { items: [], reason: 'failed' as const, timings: protocol.noTimings };
    const outcome = (await this.guard('completion', answer)) ?? failed;
    const latencyMs = performance.now() - startedAt;
    // Not logged, since in a flood of requests nearly all are superseded.
    if (outcome.reason !== 'superseded') {
      const where = placeName(uri, params.position);
      this.log.info(`completion at ${where}: ${outcome.reason}; ${timingLine(outcome.timings, latencyMs)}`);
    }
    return { ...outcome, latencyMs };
  }

  private async rest({ uri, position, mode }: protocol.CursorParams): Promise<void> {
    const document = this.documents.get(uri);
    const startedAt = performance.now();
    const { models } = this.shared;
    const timings = document && (await this.completions.rest({ document, position, mode }, models, this.settings));
    if (!timings) return;
    const ms = (performance.now() - startedAt).toFixed(0);
    const tokens = timings.promptTokens - timings.cachedTokens;
    this.log.info(`read ${tokens} tokens around ${placeName(uri, position)} in ${ms} ms`);
  }

  private async explain(params: protocol.ExplainParams, signal: AbortSignal) {
    const onText = (text: string) => this.send(protocol.explainChunkNotification, { id: params.id, text });
    const startedAt = performance.now();
    try {
      const result = await explain(await this.shared.explainer(), params, onText, signal);
      const latencyMs = performance.now() - startedAt;
      this.log.info(`explanation: ${result.finishReason}; ${timingLine(result.timings, latencyMs)}`);
      this.shared.answered(result.timings, latencyMs);
      return result;
    } catch (error) {
      this.log.error(`explanation failed: ${errorText(error)}`);
      return new ResponseError(requestFailedCode, error instanceof Error ? error.message : String(error));
    }
  }

  private index({ isAnew, files }: Partial<protocol.ClosedFilesParams> = {}): void {
    if (isAnew === true) this.closedFiles.clear();
    for (const { uri, text } of Array.isArray(files) ? files : [])
      if (typeof uri === 'string' && (text === null || typeof text === 'string')) this.closedFiles.set({ uri, text });
  }

  private startSignsOfLife(): NodeJS.Timeout {
    let isSending = false; // a window that does not read must not fill the memory
    return setInterval(async () => {
      if (isSending) return;
      isSending = true;
      await wire.notify(this.connection, protocol.aliveNotification, undefined).catch(() => undefined);
      isSending = false;
    }, aliveMs);
  }

  private report(): void {
    const { message, ...rest } = this.shared.status(this.settings.mode === 'off');
    const status = message === undefined ? rest : { ...rest, message: redacted(message) };
    const { problems: settingProblems } = this.own;
    this.send(protocol.statusNotification, settingProblems.length > 0 ? { ...status, settingProblems } : status);
  }

  private send<P>(type: wire.NotificationType<P>, params: P): void {
    // Errors are ignored: the window may just have closed.
    if (!this.isGone) wire.notify(this.connection, type, params).catch(() => undefined);
  }

  /** Logs an error and returns an empty answer instead. */
  private async guard<T>(what: string, work: Promise<T> | undefined): Promise<T | null> {
    try {
      return (await work) ?? null;
    } catch (error) {
      this.log.error(`${what} failed: ${errorText(error)}`);
      return null;
    }
  }
}

/** Converts LSP's CancellationToken to an AbortSignal. */
function abortSignal(token: wire.Token): AbortSignal {
  const controller = new AbortController();
  if (token.isCancellationRequested) controller.abort();
  else token.onCancellationRequested(() => controller.abort());
  return controller.signal;
}
