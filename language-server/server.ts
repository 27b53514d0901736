// The composition root: wires the connection, the documents, the engine and the features. Every handler answers
// something; one bad request never ends the server.
import {
  type Connection,
  type InitializeResult,
  type InlineCompletionItem,
  type InlineCompletionParams,
  InlineCompletionTriggerKind,
  ProgressType,
  ResponseError,
  TextDocumentSyncKind,
  TextDocuments,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { AddonInfo, Engine } from '../native/index.ts';
import { version } from '../package.json';
import { abortSignal } from './abort-signal.ts';
import { EarlyAnswers, GrowingItem } from './completion/early-answers.ts';
import { type Answer, CompletionProvider } from './completion/provider.ts';
import { pagesFolderIn, wipe } from './disk-cache.ts';
import { examine, reportLines } from './doctor.ts';
import { EngineHost, type LoadEngine, loadOptions } from './engine-host.ts';
import { explain } from './explain/provider.ts';
import { errorText, placeName, timingLine } from './log.ts';
import * as protocol from './protocol.ts';
import { usableSettings } from './settings.ts';
import { StatusReporter } from './status.ts';
import { Watchdog } from './watchdog.ts';

/** What the server takes from outside; tests give a fake engine. */
export interface ServerParts {
  loadEngine: LoadEngine;
  addonInfo: () => AddonInfo;
  /** For clients that name no bundled model. */
  bundledModel: string;
}

/** A fault that the user is told about; outside the range that JSON-RPC reserves. */
const requestFailedCode = -32803;
// As EX_SOFTWARE of sysexits.h: an internal fault. The editor starts the server again.
const hopelessExitCode = 70;
const partialResult = new ProgressType<InlineCompletionItem[]>();

export function startServer(connection: Connection, parts: ServerParts): void {
  let settings = protocol.defaultSettings;
  let bundledModel = parts.bundledModel;
  let pagesFolder = '';
  let asksAgain = false;
  const log = connection.console;
  const documents = new TextDocuments(TextDocument);
  const completions = new CompletionProvider();
  const early = new EarlyAnswers((uri, version, position) => {
    const grown: protocol.GrownParams = { uri, version, position };
    void connection.sendNotification(protocol.grownNotification, grown);
  });
  const host = new EngineHost(parts.loadEngine, log, () => status.report());
  const status = new StatusReporter(
    host,
    () => settings,
    (report) => void connection.sendNotification(protocol.statusNotification, report),
  );
  const watchdog = new Watchdog(() => host.engine?.status() ?? null, {
    slow: (message) => log.info(message),
    hung: (message) => {
      log.error(message);
      status.setAlarm(message);
    },
    recovered: () => status.setAlarm(null),
    hopeless: (message) => {
      log.error(message);
      setImmediate(() => process.exit(hopelessExitCode));
    },
  });

  /** Loads what the settings ask for. A disabled server loads nothing, and keeps what it has. */
  async function applySettings(): Promise<void> {
    status.report();
    if (settings.enabled) await host.ensure(loadOptions(settings, bundledModel, pagesFolder));
    // After that: an engine that was loaded with it writes there when it is closed.
    if (settings['cache.diskMiB'] === 0) await wipe(pagesFolder, log);
  }

  async function loadedEngine(): Promise<Engine> {
    await host.ensure(loadOptions(settings, bundledModel, pagesFolder));
    if (host.engine) return host.engine;
    throw new Error(host.state.kind === 'failed' ? host.state.message : 'The model is being replaced; ask again.');
  }

  async function provide(params: InlineCompletionParams, signal: AbortSignal): Promise<InlineCompletionItem[]> {
    const document = documents.get(params.textDocument.uri);
    if (!document) return [];
    const startedAt = performance.now();
    const { position, partialResultToken } = params;
    const growing = new GrowingItem();
    // The final answer repeats the item, grown: a client that asks for the first text early replaces it.
    const onItem = (item: InlineCompletionItem) => {
      const isFirst = growing.item === null;
      growing.grow(item);
      if (isFirst && partialResultToken !== undefined)
        void connection.sendProgress(partialResult, partialResultToken, [item]);
    };
    const note = ({ reason, items, timings }: Answer) => {
      const latencyMs = performance.now() - startedAt;
      const result = reason ?? `${items.length} item`;
      log.info(`completion at ${placeName(document.uri, position)}: ${result}; ${timingLine(timings, latencyMs)}`);
      if (timings.promptTokens > 0) status.answered(timings, latencyMs);
    };
    const wish = early.wishOf(document, position, params.context);
    const whole = completions.provide(document, position, wish, host.engine, settings, { signal, onItem });
    const isEarly = asksAgain && wish.triggerKind === InlineCompletionTriggerKind.Automatic;
    const answer = await (isEarly ? early.answer(document, position, growing, whole, note) : whole);
    note(answer);
    return answer.items;
  }

  async function readAroundCursor({ uri, position }: protocol.CursorParams): Promise<void> {
    const document = documents.get(uri);
    if (!document) return;
    const startedAt = performance.now();
    const timings = await completions.rest(document, position, host.engine, settings);
    if (timings) {
      const ms = (performance.now() - startedAt).toFixed(0);
      const tokens = timings.promptTokens - timings.cachedTokens;
      log.info(`read ${tokens} tokens around ${placeName(uri, position)} in ${ms} ms`);
    }
    status.report();
  }

  async function explainSelection(
    params: protocol.ExplainParams,
    signal: AbortSignal,
  ): Promise<protocol.ExplainResult> {
    const startedAt = performance.now();
    const onText = (text: string) => {
      const chunk: protocol.ExplainChunk = { id: params.id, text };
      void connection.sendNotification(protocol.explainChunkNotification, chunk);
    };
    const result = await explain(await loadedEngine(), params.text, params.languageId, onText, signal);
    const latencyMs = performance.now() - startedAt;
    log.info(`explanation: ${result.finishReason}; ${timingLine(result.timings, latencyMs)}`);
    status.answered(result.timings, latencyMs);
    return result;
  }

  async function doctor(): Promise<string> {
    const modelPath = loadOptions(settings, bundledModel).modelPath;
    return reportLines(await examine({ addonInfo: parts.addonInfo, modelPath, engine: loadedEngine })).join('\n');
  }

  connection.onInitialize((params): InitializeResult => {
    const options = params.initializationOptions as Partial<protocol.InitializationOptions> | undefined;
    settings = usableSettings(options?.settings, (problem) => log.warn(problem));
    bundledModel = options?.bundledModel ?? parts.bundledModel;
    pagesFolder = pagesFolderIn(options?.storageFolder);
    asksAgain = options?.asksAgain ?? false;
    return {
      capabilities: { textDocumentSync: TextDocumentSyncKind.Incremental, inlineCompletionProvider: true },
      serverInfo: { name: 'hearth', version },
    };
  });
  connection.onInitialized(() => void applySettings());
  connection.onNotification(protocol.settingsNotification, (changed: protocol.Settings) => {
    settings = usableSettings(changed, (problem) => log.warn(problem));
    if (!settings.enabled) completions.cancelAll();
    void applySettings();
  });
  connection.onNotification(protocol.cursorNotification, (params: protocol.CursorParams) => {
    readAroundCursor(params).catch((error: unknown) => log.error(`reading ahead failed: ${errorText(error)}`));
  });
  connection.languages.inlineCompletion.on((params, token) =>
    provide(params, abortSignal(token)).catch((error: unknown) => {
      log.error(`completion failed: ${errorText(error)}`);
      return [];
    }),
  );
  connection.onRequest(protocol.explainRequest, (params: protocol.ExplainParams, token) =>
    explainSelection(params, abortSignal(token)).catch((error: unknown) => {
      log.error(`explanation failed: ${errorText(error)}`);
      return new ResponseError(requestFailedCode, error instanceof Error ? error.message : String(error));
    }),
  );
  connection.onRequest(protocol.doctorRequest, doctor);
  documents.onDidClose(({ document }) => completions.forget(document.uri));
  connection.onShutdown(async () => {
    watchdog.dispose();
    completions.cancelAll();
    await host.unload();
  });
  documents.listen(connection);
  connection.listen();
}
