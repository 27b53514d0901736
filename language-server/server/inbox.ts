// Holds incoming messages, and passes them to the connection one at a time. Thanks to the inbox,
//   - a waiting completion that is cancelled is answered at once,
//   - a handler can wait until all messages received so far have reached their handlers,
//   - reading pauses while too many messages wait, or while the client has too many answers to read.
import {
  type ConnectionOptions,
  type DataCallback,
  type Disposable,
  type InlineCompletionList,
  Message,
  type MessageReader,
  type MessageWriter,
  type NotificationMessage,
  type RequestMessage,
  type ResponseMessage,
} from 'vscode-languageserver/node';
import { type CompletionOutcome, noTimings } from '../protocol/messages.ts';
import { Outbox } from './outbox.ts';

/** The pipe or socket that messages come from. While it is paused, the sender waits. */
export interface Source {
  pause(): unknown;
  resume(): unknown;
  on(event: 'data', listener: (bytes: Buffer) => void): unknown;
  /** Closes the source at once, even if the other side reads nothing. */
  destroy(): unknown;
}

// Reading pauses above maxWaiting messages and resumes below fewWaiting. A thousand messages need little memory, and a
// burst of requests is rarely longer, so the newest request is usually among them.
const maxWaiting = 1000;
const fewWaiting = 200;
/** More unread messages end the connection. They cannot all be answers: reading requests has paused long before. */
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
  /** Messages, and functions that are called when all messages before them have reached their handlers. */
  private readonly waiting: (Message | (() => void))[] = [];
  private deliver: DataCallback = () => {};
  /** Whether a message has been passed on but has not reached its handler yet. */
  private isDelivering = false;
  private isPaused = false;
  /** Writes to the client. */
  readonly outbox: Outbox;

  /** onDeaf: called when the client does not read its messages. */
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
        const result = next(message);
        if (!isCancel(message)) this.isDelivering = false;
        this.passOn();
        return result;
      },
    },
  };

  listen(callback: DataCallback): Disposable {
    this.deliver = callback;
    return this.reader.listen((message) => {
      if (isCancel(message)) this.cancel(message);
      else this.waiting.push(message);
      this.passOn();
    });
  }

  dispose(): void {
    this.reader.dispose();
  }

  /** Resolves when all messages received so far have reached their handlers. */
  async caughtUp(): Promise<void> {
    if (this.isDelivering || this.waiting.length > 0)
      await new Promise<void>((resolve) => void this.waiting.push(resolve));
  }

  /** Answers a waiting completion at once. The cancellation of another waiting request waits directly after it. */
  private cancel(message: NotificationMessage): void {
    const id = message.params instanceof Object && 'id' in message.params ? message.params.id : undefined;
    if (typeof id !== 'number' && typeof id !== 'string') return; // passing the message on would close the connection
    const index = this.waiting.findIndex((waiting) => isRequest(waiting) && waiting.id === id);
    const request = this.waiting[index];
    if (!isRequest(request)) this.deliver(message);
    else if (request.method !== 'textDocument/inlineCompletion') this.waiting.splice(index + 1, 0, message);
    else {
      this.waiting.splice(index, 1);
      const answer: ResponseMessage = { jsonrpc: request.jsonrpc, id, result: superseded };
      void this.outbox.write(answer).catch(() => undefined);
    }
  }

  private passOn(): void {
    while (!this.isDelivering && this.waiting.length > 0) {
      const next = this.waiting.shift();
      if (typeof next === 'function') next();
      else if (next !== undefined) {
        this.isDelivering = !isCancel(next);
        this.deliver(next);
      }
    }
    this.settle();
  }

  private settle(): void {
    const { unread } = this.outbox;
    if (unread > maxUnread) this.onDeaf();
    const waiting = Math.max(this.waiting.length, unread);
    if (!this.isPaused && waiting > maxWaiting) this.source?.pause();
    else if (this.isPaused && waiting < fewWaiting) this.source?.resume();
    else return;
    this.isPaused = !this.isPaused;
  }
}

function isRequest(waiting: Message | (() => void) | undefined): waiting is RequestMessage {
  return typeof waiting !== 'function' && Message.isRequest(waiting);
}

function isCancel(message: Message): message is NotificationMessage {
  return Message.isNotification(message) && message.method === '$/cancelRequest';
}
