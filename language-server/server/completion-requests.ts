// Handles the requests for completions in one window. It is also told where the cursor rests, and gets the files that
// are not open: both make answers faster or better.
import type { Connection, InlineCompletionList, InlineCompletionParams } from 'vscode-languageserver';
import type { OpenDocument } from '../documents/open-document.ts';
import type { SharedEngine } from '../engine/shared-engine.ts';
import { CompletionProvider } from '../offers/provider.ts';
import { guarded, type Log, placeName, timingLine } from '../protocol/log.ts';
import * as protocol from '../protocol/messages.ts';
import * as wire from '../protocol/wire.ts';
import { ClosedFiles } from '../related-code/closed-files.ts';
import { type EditorWindow, RelatedCode } from '../related-code/related-code.ts';

/**
 * An editor without our extension does not say where the cursor rests. If the document is unchanged this long after a
 * request, the cursor probably rests at the request's position.
 */
const restMs = 300;

interface Parts {
  engines: Pick<SharedEngine, 'ready' | 'models' | 'host' | 'answered'>;
  documents: { get(uri: string): OpenDocument | undefined };
  settings: () => protocol.Settings;
  /** Resolves once the messages received so far are handled. One of them may supersede the request. */
  caughtUp: () => Promise<unknown>;
  log: Log;
}

export class CompletionRequests {
  private provider = new CompletionProvider();
  private readonly closedFiles = new ClosedFiles();
  private restTimer: NodeJS.Timeout | undefined;
  private hasOwnProvider = false;

  constructor(
    private readonly connection: Pick<Connection, 'sendNotification'>,
    private readonly parts: Parts,
  ) {}

  initialize(
    window: EditorWindow,
    { asksAgain, hasOwnProvider = false }: Partial<protocol.InitializationOptions>,
  ): void {
    // Sending fails only if the window has just closed.
    const onGrown = (grown: protocol.GrownParams) =>
      void wire.notify(this.connection, protocol.grownNotification, grown).catch(() => undefined);
    this.hasOwnProvider = hasOwnProvider;
    this.provider = new CompletionProvider({
      onMade: ({ timings }, { info }) =>
        this.parts.engines.answered(timings, timings.prefillMs + timings.decodeMs, info.name),
      related: new RelatedCode(window, this.closedFiles),
      ...(asksAgain && { onGrown }),
    });
  }

  async complete(
    params: InlineCompletionParams & protocol.CompletionExtras,
    signal: AbortSignal,
  ): Promise<InlineCompletionList & protocol.CompletionOutcome> {
    const startedAt = performance.now();
    const { engines, documents, settings, caughtUp, log } = this.parts;
    const { uri } = params.textDocument;
    const document = documents.get(uri);
    if (document) this.expectRest(document, params);
    else log.warn(`${placeName(uri, params.position)} cannot be completed: the document is not open`);
    const source = {
      ready: async () => {
        await caughtUp();
        return engines.ready();
      },
      isLoading: () => engines.host.engine === null,
    };
    const answer = document && this.provider.provide({ ...params, document }, source, settings, signal);
    const failed = { items: [], reason: 'failed' as const, timings: protocol.noTimings };
    const outcome = (await guarded(log, 'completion', answer)) ?? failed;
    const latencyMs = performance.now() - startedAt;
    // A superseded request is not logged: in a flood of requests, nearly all are superseded.
    if (outcome.reason !== 'superseded') {
      const where = placeName(uri, params.position);
      log.info(`completion at ${where}: ${outcome.reason}; ${timingLine(outcome.timings, latencyMs)}`);
    }
    return { ...outcome, latencyMs };
  }

  /** Call when the cursor rests. Evaluates the prompt for the next key there. */
  async rest(params: protocol.CursorParams): Promise<void> {
    const startedAt = performance.now();
    const timings = await guarded(this.parts.log, 'reading ahead', this.readAhead(params));
    if (!timings) return;
    const ms = (performance.now() - startedAt).toFixed(0);
    const where = placeName(params.uri, params.position);
    this.parts.log.info(`read ${timings.promptTokens - timings.cachedTokens} tokens around ${where} in ${ms} ms`);
  }

  private async readAhead({ uri, position, mode }: protocol.CursorParams) {
    const { engines, documents, settings } = this.parts;
    const document = documents.get(uri);
    return document && this.provider.rest({ document, position, mode }, engines.models, settings());
  }

  leave({ uri, dismissed }: protocol.LeaveParams): void {
    this.provider.leave(uri, dismissed);
  }

  /** Adds files that are not open to the index, or replaces them. isAnew: whether to forget all earlier files first. */
  index({ isAnew, files }: Partial<protocol.ClosedFilesParams> = {}): void {
    const isFile = ({ uri, text }: protocol.ClosedFile) =>
      typeof uri === 'string' && (text === null || typeof text === 'string');
    if (isAnew === true) {
      this.closedFiles.clear();
      // Some files may no longer be shared, so no prompt keeps their code.
      this.provider.withdraw('all');
    }
    const refused = (Array.isArray(files) ? files : []).filter((file) => isFile(file) && !this.closedFiles.set(file));
    if (refused.length > 0) this.provider.withdraw(refused.map(({ uri }) => uri));
  }

  /** Call when the settings have changed. */
  configured(): void {
    if (this.parts.settings().mode === 'off') this.provider.cancelAll();
  }

  forget(uri: string): void {
    this.provider.forget(uri);
  }

  /** Call when the window has closed. */
  close(): void {
    clearTimeout(this.restTimer);
    this.provider.close();
  }

  /** Treats the position of a request as that of a resting cursor, unless the document changes within restMs. */
  private expectRest(document: OpenDocument, params: Omit<protocol.CursorParams, 'uri'>): void {
    clearTimeout(this.restTimer);
    if (this.hasOwnProvider) return;
    const { uri, version } = document;
    this.restTimer = setTimeout(() => {
      if (document.version === version) void this.rest({ ...params, uri });
    }, restMs);
  }
}
