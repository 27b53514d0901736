// What proves to a team's server who asks. It comes from the editor's secret storage, never from a workspace.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { promisify } from 'node:util';
import { ServerError } from './server-error.ts';

const run = promisify(execFile);
/** Sign-in tools ask a server of their own, and some ask the user. */
const commandMs = 60_000;

/**
 * The text may be a bearer token, "user:password" or a header "Name: value", "@" and the path of a file that contains one
 * of these, or "!" and a command that prints one, as git's helpers do.
 */
export class Credential {
  private fetched: Promise<string> | undefined;
  /** What must not appear in the log. */
  readonly secrets: string[] = [];

  constructor(private readonly text: string) {
    if (!this.isElsewhere) this.keepSecret(text);
  }

  get isEmpty(): boolean {
    return this.text === '';
  }

  private get isElsewhere(): boolean {
    return /^[!@]/.test(this.text);
  }

  /** Forgets what the file or the command said, which may have expired. False if there is neither. */
  renew(): boolean {
    this.fetched = undefined;
    return this.isElsewhere;
  }

  async headers(): Promise<Record<string, string>> {
    const text = this.isElsewhere ? await this.fetch() : this.text;
    if (text === '') return {};
    const header = /^([\w-]+): +([\t -~]+)$/.exec(text);
    if (header) return { [header[1]!]: header[2]! };
    if (text.includes(':')) return { authorization: `Basic ${Buffer.from(text).toString('base64')}` };
    if (!/^[!-~]+$/.test(text)) throw new ServerError('The token has characters that a header cannot have.');
    return { authorization: `Bearer ${text}` };
  }

  /** Once for all requests that wait for it. */
  private fetch(): Promise<string> {
    this.fetched ??= this.fromElsewhere().catch((error: unknown) => {
      this.fetched = undefined;
      throw error;
    });
    return this.fetched;
  }

  private async fromElsewhere(): Promise<string> {
    const text = await (this.text.startsWith('!') ? this.runCommand() : this.readFile());
    this.keepSecret(text);
    return text;
  }

  private async readFile(): Promise<string> {
    const path = this.text.slice(1).replace(/^~(?=[/\\])/, homedir());
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      throw new ServerError(`The file with the token, ${path}, cannot be read: ${error.code}.`);
    });
    if (text.trim() === '') throw new ServerError(`The file with the token, ${path}, is empty.`);
    return text.trim();
  }

  private async runCommand(): Promise<string> {
    const words = [...this.text.slice(1).matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)];
    const [file = '', ...args] = words.map(([, double, single, bare]) => double ?? single ?? bare ?? '');
    try {
      const { stdout } = await run(file, args, { timeout: commandMs, windowsHide: true });
      const text = stdout.trim();
      if (text === '') throw new Error('it printed nothing');
      return text;
    } catch (error) {
      // The message of execFile contains the arguments, and perhaps what the command has printed.
      const { code, message } = error as NodeJS.ErrnoException;
      const why = code === undefined ? message : code === 'ENOENT' ? 'there is no such program' : `exit code ${code}`;
      throw new ServerError(`The command for the token, "${file}", failed: ${why}.`);
    }
  }

  private keepSecret(text: string): void {
    const value = text.replace(/^[\w-]+: +/, '');
    const password = value.slice(value.indexOf(':') + 1);
    this.secrets.push(value, password, Buffer.from(text).toString('base64'), value.replace(/^\w+ /, ''));
  }
}
