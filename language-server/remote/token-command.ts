// Runs the command that prints a token: without a shell, input or a terminal, and for at most a minute. The command and
// the programs that it has started end with this process, unless this process is killed.
import { type ChildProcess, spawn } from 'node:child_process';
import { isWindows } from '../protocol/system.ts';
import { ServerError } from './server-error.ts';

/** Sign-in tools ask a server, and some ask the user. */
const maxMs = 60_000;
/** No server accepts a longer header. */
const maxBytes = 2 ** 16;

/** The command's output, without white space at the ends. Rejects with a ServerError. */
export function tokenFrom(command: string): Promise<string> {
  const words = [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)];
  const [file = '', ...args] = words.map(([, double, single, bare]) => double ?? single ?? bare ?? '');
  return output(file, args).catch((error: NodeJS.ErrnoException) => {
    // The system's own message contains the arguments, which may be secret.
    const why = error.code === 'ENOENT' ? 'there is no such program' : (error.code ?? error.message);
    throw new ServerError(`The command for the token, "${file}", failed: ${why}.`);
  });
}

function output(file: string, args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: !isWindows,
      windowsHide: true,
    });
    const end = () => kill(child);
    const fail = (why: string) => {
      reject(new Error(why));
      end();
    };
    const timer = setTimeout(() => fail(`it has not ended for ${maxMs / 1000} s`), maxMs);
    process.once('exit', end);
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      if (text.length > maxBytes) fail('it printed too much for a token');
    });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (signal !== null) reject(new Error('a signal ended it'));
      else if (code !== 0) reject(new Error(`exit code ${code}`));
      else if (text.trim() === '') reject(new Error('it printed nothing'));
      else resolve(text.trim());
      clearTimeout(timer);
      process.off('exit', end);
    });
  });
}

/** Kills the command and, except on Windows, the programs that it has started. */
function kill({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(isWindows ? pid : -pid, 'SIGKILL');
  } catch {
    // The process has just ended.
  }
}
