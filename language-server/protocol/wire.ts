// Custom messages, with the types of their parameters and results. The classes of vscode-jsonrpc cannot be used: they
// are compared by identity, and the bundles of the extension and of its language client each have their own copy.

export class NotificationType<Params = void> {
  declare readonly params: Params;

  constructor(readonly method: string) {}
}

export class RequestType<Params, Result> {
  declare readonly params: Params;
  declare readonly result: Result;

  constructor(readonly method: string) {}
}

/** The methods that a language client and the server's connection have in common. */
export interface Wire {
  sendNotification(method: string, params?: unknown): Promise<void>;
  sendRequest<R>(method: string, params: unknown, token?: Token): Promise<R>;
  onNotification<P>(method: string, handler: (params: P) => void): unknown;
  onRequest<P, R>(method: string, handler: (params: P, token: Token) => R): unknown;
}

/** LSP's CancellationToken. */
export interface Token {
  readonly isCancellationRequested: boolean;
  onCancellationRequested(listener: () => void): { dispose(): void };
}

/** A signal that aborts when the token is cancelled. */
export function abortSignal(token: Token): AbortSignal {
  const controller = new AbortController();
  if (token.isCancellationRequested) controller.abort();
  else token.onCancellationRequested(() => controller.abort());
  return controller.signal;
}

export function notify<P>(wire: Pick<Wire, 'sendNotification'>, type: NotificationType<P>, params: P): Promise<void> {
  return params === undefined ? wire.sendNotification(type.method) : wire.sendNotification(type.method, params);
}

export function request<P, R>(wire: Pick<Wire, 'sendRequest'>, type: RequestType<P, R>, params: P, token?: Token) {
  return wire.sendRequest<R>(type.method, params, token);
}

export function onNotification<P>(
  wire: Pick<Wire, 'onNotification'>,
  type: NotificationType<P>,
  handler: (params: P) => void,
): void {
  wire.onNotification(type.method, handler);
}

export function onRequest<P, R, E>(
  wire: Pick<Wire, 'onRequest'>,
  type: RequestType<P, R>,
  handler: (params: P, token: Token) => R | E | Promise<R | E>,
): void {
  wire.onRequest(type.method, handler);
}
