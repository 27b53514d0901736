// Renders a model's own chat template. The template is a program, and the model's file may come from anybody. So the
// template runs in its own process, with limits of time and memory: in a thread of the server, it could end the server
// by allocating too much.
import { type ExecFileException, execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ChatTemplate } from '../models/model-traits.ts';
import { sentence } from '../protocol/log.ts';

export interface ChatMessage {
  role: 'user' | 'assistant';
  content: string;
}

export interface TemplateInput extends ChatTemplate {
  messages: ChatMessage[];
}

const maxTemplateChars = 100_000;
const maxTextChars = 1_000_000;
/** The time to render a text and to start the process, which takes seconds while the machine is loading a model. */
export const budget = { ms: 10_000 };
/** Limits of memory in MiB, and no way to run text as JavaScript. */
const flags = ['--max-old-space-size=64', '--max-semi-space-size=8', '--disallow-code-generation-from-strings'];

// The program in dist/, as seen from the bundles in dist/ and from the sources.
const places = ['.', '../dist', '../../dist'].map((folder) => join(__dirname, folder, 'template-process.js'));

/** The conversation as text, up to the beginning of the next answer. Rejects with a message for the user. */
export async function renderChat(input: TemplateInput, timeout = budget.ms): Promise<string> {
  if (input.template.length > maxTemplateChars) throw unusable('it is too long');
  const program = places.find((place) => existsSync(place));
  if (program === undefined) throw unusable(`${places[0]} is missing`);
  return new Promise((resolve, reject) => {
    const limits = { timeout, killSignal: 'SIGKILL', maxBuffer: maxTextChars } as const;
    const options = { ...limits, cwd: '/', env: environment(), windowsHide: true };
    const child = execFile(process.execPath, [...flags, program], options, (error, text, complaint) =>
      error === null ? resolve(text) : reject(unusable(reasonOf(error, complaint))),
    );
    // Standard input stays open: its end tells the process that the server has ended.
    child.stdin?.on('error', () => {}); // the process has ended; the callback above reports it
    child.stdin?.write(`${JSON.stringify(input)}\n`);
  });
}

/** Passes on only the variable that makes Electron run as Node: VS Code runs servers in Electron. */
function environment(): NodeJS.ProcessEnv {
  const { ELECTRON_RUN_AS_NODE } = process.env;
  return ELECTRON_RUN_AS_NODE === undefined ? {} : { ELECTRON_RUN_AS_NODE };
}

function reasonOf({ code, killed = false, message }: ExecFileException, complaint: string): string {
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return 'its text is too long';
  if (killed) return 'it takes too long';
  if (typeof code === 'string') return message;
  return code === 1 ? sentence(complaint, [], 200).replace(/[. ]+$/, '') : 'it needs too much memory';
}

const unusable = (reason: string) => new Error(`The chat template in the model's file cannot be used: ${reason}.`);
