// Counts the syntax errors in a text: with esbuild for scripts, JSON and CSS, and otherwise with the language's own
// parser, in a process that answers line by line.
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { type Loader, transform } from 'esbuild';

// `npm run` and Vitest run in the repository's root.
const folder = join('lab', 'tools', 'syntax');
const loaders: Record<string, Loader> = {
  typescript: 'ts',
  typescriptreact: 'tsx',
  javascript: 'jsx',
  javascriptreact: 'jsx',
  json: 'json',
  css: 'css',
};

export class Syntax {
  private readonly processes: LineProcess[] = [];
  private java: LineProcess | undefined;
  private others: LineProcess | undefined;

  /** Null if this machine has no parser for the language. */
  async errors(language: string, text: string): Promise<number | null> {
    const loader = loaders[language];
    if (loader !== undefined) return scriptErrors(text, loader);
    if (language === 'java') {
      this.java ??= this.started('java', [join(folder, 'Check.java')]);
      return this.java.ask(Buffer.from(text).toString('base64'));
    }
    this.others ??= this.started('python3', [join(folder, 'check.py')]);
    return this.others.ask(JSON.stringify({ language, text }));
  }

  close(): void {
    for (const each of this.processes) each.close();
  }

  private started(command: string, parameters: string[]): LineProcess {
    const made = new LineProcess(command, parameters);
    this.processes.push(made);
    return made;
  }
}

/**
 * At most 1 for scripts, because esbuild's parser stops at the first error; TypeScript 7 has no API for its parser yet.
 * For CSS, warnings count as errors.
 */
async function scriptErrors(text: string, loader: Loader): Promise<number> {
  try {
    const { warnings } = await transform(text, { loader, jsx: 'preserve', logLevel: 'silent' });
    return loader === 'css' ? warnings.length : 0;
  } catch {
    return 1;
  }
}

/**
 * A process that answers each line with a line. After it has ended, for example because its program is not installed,
 * answers are null.
 */
class LineProcess {
  private readonly child: ChildProcess;
  private readonly lines: Interface;
  private readonly waiting: ((answer: number | null) => void)[] = [];
  private hasEnded = false;

  constructor(command: string, parameters: string[]) {
    this.child = spawn(command, parameters, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.lines = createInterface({ input: this.child.stdout! });
    this.lines.on('line', (line) => this.waiting.shift()?.(JSON.parse(line) as number | null));
    this.child.on('error', () => this.end());
    this.child.on('close', () => this.end());
    this.child.stdin?.on('error', () => this.end());
  }

  ask(line: string): Promise<number | null> {
    if (this.hasEnded) return Promise.resolve(null);
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      this.child.stdin?.write(`${line}\n`);
    });
  }

  close(): void {
    this.child.stdin?.end();
  }

  private end(): void {
    this.hasEnded = true;
    for (const answer of this.waiting.splice(0)) answer(null);
  }
}
