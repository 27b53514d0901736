// LSP's cancellation: as the platform's own kind, and of requests that no handler has seen yet.
import type { CancellationToken, InlineCompletionList, RequestMessage } from 'vscode-languageserver/node';
import { noTimings } from './completion/complete.ts';
import type { CompletionOutcome } from './protocol.ts';

export function abortSignal(token: CancellationToken): AbortSignal {
  const controller = new AbortController();
  if (token.isCancellationRequested) controller.abort();
  else token.onCancellationRequested(() => controller.abort());
  return controller.signal;
}

/** Undefined: the handler answers. */
export function cancelledResult({ method }: RequestMessage): (InlineCompletionList & CompletionOutcome) | undefined {
  const isCompletion = method === 'textDocument/inlineCompletion';
  return isCompletion ? { items: [], reason: 'superseded', latencyMs: 0, timings: noTimings } : undefined;
}
