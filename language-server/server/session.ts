// One connection, that is, one window with its documents and offers. If a handler fails, the failure is logged, and the
// answer is empty or an error. So one bad request never ends the server.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Connection,
  DidChangeConfigurationNotification,
  type InitializeParams,
  type InitializeResult,
  LogMessageNotification,
  TextDocumentSyncKind,
  TextDocuments,
} from 'vscode-languageserver';
import { version } from '../../package.json';
import { report } from '../diagnosis/machine.ts';
import { OpenDocument } from '../documents/open-document.ts';
import { pagesFolderIn } from '../engine/disk-cache.ts';
import { adapterPaths, cacheBytes } from '../engine/load-options.ts';
import type { SharedEngine } from '../engine/shared-engine.ts';
import { listModels } from '../models/list.ts';
import { guarded, logEntry, windowLog } from '../protocol/log.ts';
import * as protocol from '../protocol/messages.ts';
import { modelsRequest } from '../protocol/models.ts';
import * as wire from '../protocol/wire.ts';
import { redacted } from '../secrets/secrets.ts';
import { forgetTree, prepareTree } from '../syntax/trees.ts';
import { CompletionRequests } from './completion-requests.ts';
import { ConnectedWindow } from './connected-window.ts';
import { EditRequests } from './edit-requests.ts';
import { ExplainRequests } from './explain-requests.ts';
import type { Inbox } from './inbox.ts';
import { WindowSettings } from './window-settings.ts';

/** How often a client gets a sign of life. After three seconds without one, the client gives up the server. */
const aliveMs = 1000;
/** The name of our settings in the editor's configuration. */
const section = 'hearth';
/** How long to wait for the editor's configuration. Without an answer, the settings of initializationOptions apply. */
const usualConfigurationMs = 2000;

export class Session {
  readonly log = windowLog(
    (message) => this.connection.sendNotification(LogMessageNotification.type, message),
    redacted,
  );
  private readonly windowSettings = new WindowSettings();
  /** Resolves when the engine has the settings. */
  private configured = Promise.resolve();
  private options: Partial<protocol.InitializationOptions> = {};
  private readonly completions: CompletionRequests;
  private readonly documents: TextDocuments<OpenDocument>;
  private readonly window: ConnectedWindow;
  private readonly edits: EditRequests;
  private readonly explanations: ExplainRequests;
  private stopListening = () => {};
  private aliveTimer: NodeJS.Timeout | undefined;
  private isGone = false;

  constructor(
    private readonly connection: Connection,
    private readonly shared: SharedEngine,
    inbox: Inbox,
    /** Ends the process, for all sessions. */
    onQuit: () => void,
  ) {
    this.documents = new TextDocuments({
      create: OpenDocument.create,
      update: (document, changes, version) => this.edits.update(document, changes, version),
    });
    this.window = new ConnectedWindow(connection, this.documents);
    this.completions = new CompletionRequests(connection, {
      engines: shared,
      documents: this.documents,
      settings: () => this.settings,
      // If a queued message supersedes the request, no work is started for it.
      caughtUp: () => Promise.all([inbox.caughtUp(), this.configured]),
      log: this.log,
    });
    this.edits = new EditRequests(connection, this.window, {
      engines: shared,
      settings: () => this.settings,
      log: this.log,
    });
    this.explanations = new ExplainRequests(connection, shared, this.documents, this.log);
    connection.onInitialize((params) => this.initialize(params));
    connection.onInitialized(() => {
      if (this.isGone) return; // the window was closed while this message was queued
      this.window.initialized();
      shared.precautions.add(this.options);
      this.stopListening = shared.onChange(() => this.report());
      if (this.options.wantsSignsOfLife) this.aliveTimer = this.startSignsOfLife();
      if (this.window.mustRegister)
        connection.client.register(DidChangeConfigurationNotification.type, { section }).catch(() => undefined);
      this.configured = this.configure();
    });
    wire.onNotification(connection, protocol.settingsNotification, (given) => {
      this.windowSettings.give(given);
      this.apply();
    });
    connection.onDidChangeConfiguration(({ settings }) => {
      if (!this.options.hasOwnSettings) this.configured = this.configure(settings);
    });
    wire.onNotification(connection, protocol.cursorNotification, (params) => {
      void this.completions.rest(params).then(() => this.report());
      this.edits.rest(params);
    });
    wire.onNotification(connection, protocol.leaveNotification, (params) => this.completions.leave(params));
    wire.onNotification(connection, protocol.closedFilesNotification, (params) => this.completions.index(params));
    wire.onNotification(connection, protocol.quitNotification, onQuit);
    connection.languages.inlineCompletion.on((params, token) =>
      this.completions.complete(params, wire.abortSignal(token)),
    );
    wire.onRequest(connection, protocol.explainRequest, (params, token) =>
      this.explanations.explain(params, wire.abortSignal(token)),
    );
    wire.onRequest(connection, protocol.doctorRequest, () => report(shared.examined()));
    wire.onRequest(connection, modelsRequest, (params) =>
      listModels(params, {
        engine: shared.host.engine,
        cacheBytes: cacheBytes(this.settings),
        storageFolder: this.options.storageFolder ?? '',
        adapters: adapterPaths(this.settings),
      }),
    );
    this.documents.onDidOpen(({ document }) => void prepareTree(document));
    this.documents.onDidClose(({ document }) => {
      forgetTree(document.uri);
      this.completions.forget(document.uri);
      this.edits.forget(document.uri);
    });
    this.documents.listen(connection);
    connection.listen();
  }

  /** Call when the window has closed. Stops all work for it. */
  dispose(): void {
    this.isGone = true;
    this.shared.precautions.delete(this.options);
    this.stopListening();
    clearInterval(this.aliveTimer);
    for (const { uri } of this.documents.all()) forgetTree(uri);
    this.completions.close();
    this.edits.close();
    this.explanations.close();
  }

  private initialize(params: InitializeParams): InitializeResult {
    const options: Partial<protocol.InitializationOptions> = params.initializationOptions ?? {};
    this.options = options;
    this.window.initialize(params);
    this.windowSettings.give(options.settings);
    this.tellProblems();
    this.completions.initialize(this.window, options);
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
    return this.windowSettings.settings;
  }

  /**
   * Takes the settings from the editor's configuration. Until the editor answers, its last configuration applies.
   * pushed: the settings of all servers, from an editor that cannot be asked for ours.
   */
  private async configure(pushed?: unknown): Promise<void> {
    const { connection, window, windowSettings, shared } = this;
    const { configurationMs = usualConfigurationMs } = shared.parts.patience ?? {};
    const given = pushed instanceof Object && section in pushed ? pushed[section] : undefined;
    const asked = window.mustRequestSettings ? connection.workspace.getConfiguration(section) : Promise.resolve(given);
    let isLate = false;
    const use = (answer: unknown) => {
      windowSettings.configure(answer);
      if (isLate) this.apply();
    };
    const reading = guarded(this.log, 'reading the configuration', asked.then(use));
    await Promise.race([reading, sleep(configurationMs, null, { ref: false })]);
    isLate = true;
    this.apply();
  }

  private tellProblems(): void {
    for (const problem of this.windowSettings.problems) this.log.warn(problem);
  }

  private apply(): void {
    if (this.isGone) return;
    this.tellProblems();
    this.completions.configured();
    this.edits.configured();
    const { windowSettings, options, shared } = this;
    const bundledModel = options.bundledModel ?? shared.parts.bundledModel;
    const pagesFolder = pagesFolderIn(options.storageFolder);
    const setup = {
      settings: windowSettings.settings,
      bundledModel,
      pagesFolder,
      connecting: windowSettings.connecting,
    };
    void guarded(this.log, 'applying the settings', shared.configure(setup));
  }

  private startSignsOfLife(): NodeJS.Timeout {
    let isSending = false; // one message at a time: if the window does not read, more would fill the memory
    return setInterval(async () => {
      if (isSending) return;
      isSending = true;
      await wire.notify(this.connection, protocol.aliveNotification, undefined).catch(() => undefined);
      isSending = false;
    }, aliveMs);
  }

  private report(): void {
    const { message, ...rest } = this.shared.status(this.settings.mode === 'off');
    const status = message === undefined ? rest : { ...rest, message: logEntry(redacted(message)) };
    const { problems: settingProblems } = this.windowSettings;
    const known = settingProblems.length > 0 ? { ...status, settingProblems } : status;
    // Sending fails only if the window has just closed.
    if (!this.isGone) wire.notify(this.connection, protocol.statusNotification, known).catch(() => undefined);
  }
}
