// Proves the user's identity to a team's server. The credential comes from the editor's secret storage, never from a
// workspace.
import { open } from 'node:fs/promises';
import { noHomeText, withoutTilde } from '../protocol/system.ts';
import { ServerError } from './server-error.ts';
import { tokenFrom } from './token-command.ts';

/** No server accepts a longer header. */
const maxBytes = 2 ** 16;

/** Thrown if the token does not come in time. The server is not asked then. */
export class PendingToken extends ServerError {}

/**
 * The text can be a bearer token, "user:password" or a header "Name: value". It can also be "@" and the path of a file
 * that contains one of these, or "!" and a command that prints one, as git's credential helpers do.
 */
export class Credential {
  private fetched: Promise<string> | undefined;
  /** Texts that must not appear in the log. */
  readonly secrets: string[] = [];

  /** isElsewhere: whether the text names a file or a command. */
  constructor(
    private readonly text: string,
    private readonly isElsewhere = /^[!@]/.test(text),
  ) {
    if (!isElsewhere) this.keepSecret(text);
  }

  get isEmpty(): boolean {
    return this.text === '';
  }

  /** Forgets the token from the file or the command, because it may have expired. False if there is neither. */
  renew(): boolean {
    this.fetched = undefined;
    return this.isElsewhere;
  }

  /** Rejects with PendingToken if the signal is aborted. The token is still fetched, for the next request. */
  async headers(signal: AbortSignal): Promise<Record<string, string>> {
    signal.throwIfAborted();
    const text = this.isElsewhere ? await unlessAborted(this.fetch(), signal) : this.text;
    if (text === '') return {};
    const header = /^([\w-]+): +([\t -~]+)$/.exec(text);
    if (header) return { [header[1]!]: header[2]! };
    if (text.includes(':')) return { authorization: `Basic ${Buffer.from(text).toString('base64')}` };
    if (!/^[!-~]+$/.test(text)) throw new ServerError('The token has characters that a header cannot have.');
    return { authorization: `Bearer ${text}` };
  }

  /** Fetches the token once for all requests that wait for it. */
  private fetch(): Promise<string> {
    this.fetched ??= this.fromElsewhere().catch((error: unknown) => {
      this.fetched = undefined;
      throw error;
    });
    return this.fetched;
  }

  private async fromElsewhere(): Promise<string> {
    const text = await (this.text.startsWith('!') ? tokenFrom(this.text.slice(1)) : this.readFile());
    this.keepSecret(text);
    return text;
  }

  private async readFile(): Promise<string> {
    const path = withoutTilde(this.text.slice(1));
    if (/^~[/\\]/.test(path)) throw new ServerError(`The file with the token is to be at ${path}, but ${noHomeText}`);
    const bytes = await beginningOf(path).catch((error: NodeJS.ErrnoException) => {
      throw new ServerError(`The file with the token, ${path}, cannot be read: ${error.code}.`);
    });
    if (bytes.length > maxBytes) throw new ServerError(`The file with the token, ${path}, is too long for one.`);
    const text = bytes.toString().trim();
    if (text === '') throw new ServerError(`The file with the token, ${path}, is empty.`);
    return text;
  }

  private keepSecret(text: string): void {
    const value = text.replace(/^[\w-]+: +/, '');
    const password = value.slice(value.indexOf(':') + 1);
    this.secrets.push(value, password, Buffer.from(text).toString('base64'), value.replace(/^\w+ /, ''));
  }
}

/** The beginning of a file: at most maxBytes + 1 bytes. */
async function beginningOf(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxBytes + 1), 0, maxBytes + 1);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(new PendingToken('The token is not there yet: its file or command has not ended.'));
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
