// Filters incoming messages before their handlers see them:
//   - refuses what LSP forbids before `initialize` and after `shutdown`, and an id that a queued message has already
//   - answers requests that are cancelled while they are queued
//   - stops reading while the queue is too long, or while too many answers are unread
import {
  type ConnectionOptions,
  type DataCallback,
  type Disposable,
  ErrorCodes,
  type InlineCompletionList,
  Message,
  type MessageReader,
  type MessageWriter,
  type NotificationMessage,
  type ResponseMessage,
} from 'vscode-languageserver/node';
import { type CompletionOutcome, noTimings } from '../protocol/messages.ts';
import { Outbox } from './outbox.ts';

/** The pipe or socket that messages come from. While it is paused, the sender has to wait. */
export interface Source {
  pause(): unknown;
  resume(): unknown;
  on(event: 'data', listener: (bytes: Buffer) => void): unknown;
  /** Closes it at once, even where the other side reads nothing. */
  destroy(): unknown;
}

// Reading pauses above the first number and resumes below the second: enough that the newest request of a burst has
// been seen, and little enough to take no memory.
const maxWaiting = 1000;
const fewWaiting = 200;
/** Reading has paused long before; these are messages that nobody has asked for. */
const maxUnread = 10_000;

const superseded: InlineCompletionList & CompletionOutcome = {
  items: [],
  reason: 'superseded',
  latencyMs: 0,
  timings: noTimings,
};

export class Inbox implements MessageReader {
  readonly onError: MessageReader['onError'];
  readonly onClose: MessageReader['onClose'];
  readonly onPartialMessage: MessageReader['onPartialMessage'];
  private phase: 'new' | 'initialized' | 'shut down' = 'new';
  /** How many messages were passed to the connection, and how many have left its queue. */
  private received = 0;
  private handled = 0;
  private isPaused = false;
  /** The ids of queued requests and responses. The connection's queue would lose the first of two with the same id. */
  private readonly queued = new Set<string>();
  private readonly catchingUp: { received: number; resolve: () => void }[] = [];
  /** Writes to the client. */
  readonly outbox: Outbox;

  /** onDeaf: called when the client reads nothing of what it is sent. */
  constructor(
    private readonly reader: MessageReader,
    writer: MessageWriter,
    private readonly source: Source | null,
    private readonly onDeaf: () => void = () => {},
  ) {
    this.outbox = new Outbox(writer, () => this.settle());
    this.onError = reader.onError;
    this.onClose = reader.onClose;
    this.onPartialMessage = reader.onPartialMessage;
  }

  /** The options for a connection that uses this inbox as its reader. */
  readonly options: ConnectionOptions = {
    messageStrategy: {
      handleMessage: (message, next) => {
        if (!isCancel(message)) this.leaveQueue(message);
        const result = next(message);
        this.settle();
        return result;
      },
    },
    connectionStrategy: {
      cancelUndispatched: (message) => {
        // Undefined leaves the answer to the handler.
        if (!Message.isRequest(message) || message.method !== 'textDocument/inlineCompletion') return undefined;
        this.leaveQueue(message);
        return { jsonrpc: message.jsonrpc, id: message.id, result: superseded };
      },
    },
  };

  listen(callback: DataCallback): Disposable {
    return this.reader.listen((message) => {
      if (isCancelOfNothing(message)) return;
      const refusal = this.refusal(message);
      if (refusal === null) {
        // The connection handles cancellation itself.
        if (!isCancel(message)) this.enterQueue(message);
        callback(message);
        this.settle();
      } else if (Message.isRequest(message)) {
        const response: ResponseMessage = { jsonrpc: message.jsonrpc, id: message.id, error: refusal };
        void this.outbox.write(response).catch(() => undefined);
      }
    });
  }

  dispose(): void {
    this.reader.dispose();
  }

  /** Resolves when all messages received so far have reached their handlers, including any that supersede a request. */
  caughtUp(): Promise<void> {
    if (this.handled >= this.received) return Promise.resolve();
    return new Promise((resolve) => void this.catchingUp.push({ received: this.received, resolve }));
  }

  private enterQueue(message: Message): void {
    this.received++;
    const key = queueKey(message);
    if (key !== undefined) this.queued.add(key);
  }

  private leaveQueue(message: Message): void {
    this.handled++;
    const key = queueKey(message);
    if (key !== undefined) this.queued.delete(key);
  }

  /** Why LSP forbids the message now; null if it does not. */
  private refusal(message: Message): NonNullable<ResponseMessage['error']> | null {
    const key = queueKey(message);
    if (key !== undefined && this.queued.has(key))
      return { code: ErrorCodes.InvalidRequest, message: 'An earlier request with this id is still waiting.' };
    if (Message.isResponse(message) || (Message.isNotification(message) && message.method === 'exit')) return null;
    const isInitialize = Message.isRequest(message) && message.method === 'initialize';
    if (this.phase === 'new' && !isInitialize)
      return { code: ErrorCodes.ServerNotInitialized, message: 'The server has not been initialized.' };
    if (this.phase === 'shut down')
      return { code: ErrorCodes.InvalidRequest, message: 'The server has been shut down.' };
    if (this.phase === 'initialized' && isInitialize)
      return { code: ErrorCodes.InvalidRequest, message: 'The server has been initialized already.' };
    if (isInitialize) this.phase = 'initialized';
    if (Message.isRequest(message) && message.method === 'shutdown') this.phase = 'shut down';
    return null;
  }

  private settle(): void {
    while ((this.catchingUp[0]?.received ?? Number.POSITIVE_INFINITY) <= this.handled)
      this.catchingUp.shift()?.resolve();
    const { unread } = this.outbox;
    if (unread > maxUnread) this.onDeaf();
    const waiting = Math.max(this.received - this.handled, unread);
    if (!this.isPaused && waiting > maxWaiting) this.source?.pause();
    else if (this.isPaused && waiting < fewWaiting) this.source?.resume();
    else return;
    this.isPaused = !this.isPaused;
  }
}

/** Undefined for what has no id. 1 and "1" are the same id in the connection's queue. */
function queueKey(message: Message): string | undefined {
  if (Message.isRequest(message)) return `request ${message.id}`;
  return Message.isResponse(message) && message.id !== null ? `response ${message.id}` : undefined;
}

function isCancel(message: Message): boolean {
  return Message.isNotification(message) && message.method === '$/cancelRequest';
}

/** The connection closes when a cancellation does not say of what. */
function isCancelOfNothing(message: Message): boolean {
  if (!isCancel(message)) return false;
  const { params } = message as NotificationMessage;
  const id = params instanceof Object && 'id' in params ? params.id : undefined;
  return typeof id !== 'number' && typeof id !== 'string';
}
