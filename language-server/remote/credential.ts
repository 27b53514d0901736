// What proves to a team's server who asks. It comes from the editor's secret storage, never from a workspace.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ServerError } from './server-error.ts';

const run = promisify(execFile);
/** Sign-in tools ask a server of their own, and some ask the user. */
const commandMs = 60_000;

/**
 * The text may be a bearer token, "user:password", a header "Name: value", or "!" and a command that prints one of
 * these, as git's helpers do.
 */
export class Credential {
  private printed: Promise<string> | undefined;
  /** What must not appear in the log. */
  readonly secrets: string[] = [];

  constructor(private readonly text: string) {
    if (!this.isCommand) this.keepSecret(text);
  }

  get isEmpty(): boolean {
    return this.text === '';
  }

  private get isCommand(): boolean {
    return this.text.startsWith('!');
  }

  /** Forgets what the command has printed, which may have expired. False if there is no command. */
  renew(): boolean {
    this.printed = undefined;
    return this.isCommand;
  }

  async headers(): Promise<Record<string, string>> {
    const text = this.isCommand ? await this.fromCommand() : this.text;
    if (text === '') return {};
    const header = /^([\w-]+): +([\t -~]+)$/.exec(text);
    if (header) return { [header[1]!]: header[2]! };
    if (text.includes(':')) return { authorization: `Basic ${Buffer.from(text).toString('base64')}` };
    if (!/^[!-~]+$/.test(text)) throw new ServerError('The token has characters that a header cannot have.');
    return { authorization: `Bearer ${text}` };
  }

  /** Runs once for all requests that wait for it. */
  private fromCommand(): Promise<string> {
    this.printed ??= this.runCommand().catch((error: unknown) => {
      this.printed = undefined;
      throw error;
    });
    return this.printed;
  }

  private async runCommand(): Promise<string> {
    const words = [...this.text.slice(1).matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)];
    const [file = '', ...args] = words.map(([, double, single, bare]) => double ?? single ?? bare ?? '');
    try {
      const { stdout } = await run(file, args, { timeout: commandMs, windowsHide: true });
      const text = stdout.trim();
      if (text === '') throw new Error('it printed nothing');
      this.keepSecret(text);
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
