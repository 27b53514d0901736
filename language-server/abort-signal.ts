import type { CancellationToken } from 'vscode-languageserver/node';

/** LSP's cancellation as the platform's own kind. */
export function abortSignal(token: CancellationToken): AbortSignal {
  const controller = new AbortController();
  if (token.isCancellationRequested) controller.abort();
  else token.onCancellationRequested(() => controller.abort());
  return controller.signal;
}
