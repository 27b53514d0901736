// Counts the messages that the client has not read yet. The library's writer keeps all of them in memory.
import type { Message, MessageWriter } from 'vscode-languageserver/node';

export class Outbox implements MessageWriter {
  readonly onError: MessageWriter['onError'];
  readonly onClose: MessageWriter['onClose'];
  unread = 0;

  /** onChange: called when `unread` has changed. */
  constructor(
    private readonly writer: MessageWriter,
    private readonly onChange: () => void,
  ) {
    this.onError = writer.onError;
    this.onClose = writer.onClose;
  }

  /** Resolves when the operating system has taken the message. */
  async write(message: Message): Promise<void> {
    this.count(1);
    await this.writer.write(message).finally(() => this.count(-1));
  }

  end(): void {
    this.writer.end();
  }

  dispose(): void {
    this.writer.dispose();
  }

  private count(more: number): void {
    this.unread += more;
    this.onChange();
  }
}
