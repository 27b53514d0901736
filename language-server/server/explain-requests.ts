// Handles the requests for explanations in one window.
import { type Connection, ResponseError, type TextDocuments } from 'vscode-languageserver';
import type { OpenDocument } from '../documents/open-document.ts';
import type { SharedEngine } from '../engine/shared-engine.ts';
import { functionOf } from '../explain/around-selection.ts';
import { explain } from '../explain/explanations.ts';
import { errorText, type Log, timingLine } from '../protocol/log.ts';
import { type ExplainParams, explainChunkNotification } from '../protocol/messages.ts';
import { notify } from '../protocol/wire.ts';

/** LSP's code for a request that failed. The editor shows the error's message to the user. */
const requestFailedCode = -32803;

export class ExplainRequests {
  /** Aborted when the window has closed: a closed connection does not cancel its requests by itself. */
  private readonly closed = new AbortController();

  constructor(
    private readonly connection: Pick<Connection, 'sendNotification'>,
    private readonly engines: Pick<SharedEngine, 'explainer' | 'answered'>,
    private readonly documents: Pick<TextDocuments<OpenDocument>, 'get'>,
    private readonly log: Log,
  ) {}

  async explain(params: ExplainParams, cancelled: AbortSignal) {
    const signal = AbortSignal.any([cancelled, this.closed.signal]);
    // Sending fails only if the window has just closed.
    const onText = (text: string) =>
      void notify(this.connection, explainChunkNotification, { id: params.id, text }).catch(() => undefined);
    const startedAt = performance.now();
    try {
      const explainer = await this.engines.explainer();
      const document = params.range && this.documents.get(params.uri);
      const around = params.range && document ? await functionOf(document, params.text, params.range) : null;
      const result = await explain(explainer, { ...params, around }, onText, signal);
      const latencyMs = performance.now() - startedAt;
      this.log.info(`explanation: ${result.finishReason}; ${timingLine(result.timings, latencyMs)}`);
      // The speed shown is that of the model for completion, so answers of a second model do not count.
      if (!explainer.mustWait) this.engines.answered(result.timings, latencyMs, explainer.engine.info.name);
      return result;
    } catch (error) {
      this.log.error(`explanation failed: ${errorText(error)}`);
      return new ResponseError(requestFailedCode, error instanceof Error ? error.message : String(error));
    }
  }

  /** Call when the window has closed. */
  close(): void {
    this.closed.abort();
  }
}
