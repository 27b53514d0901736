// The process that renders a chat template, dist/template-process.js. It reads one line of JSON and writes the text.
// The template runs in a thread of its own, so that the main thread can end the process as soon as the server has
// ended, whatever the template does.
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { Template } from '@huggingface/jinja';
import type { TemplateInput } from './chat-template.ts';

function renderInThread(input: TemplateInput): void {
  const thread = new Worker(__filename, { workerData: input });
  thread.once('message', (text: string) => process.stdout.write(text, () => process.exit(0)));
  // Exit code 1: the message says what is wrong with the template. Exit code 2: the template needs too much memory.
  thread.once('error', ({ message, code }: NodeJS.ErrnoException) =>
    process.stderr.write(message, () => process.exit(code === 'ERR_WORKER_OUT_OF_MEMORY' ? 2 : 1)),
  );
}

function render({ template, bosToken, eosToken, messages }: TemplateInput): string {
  const names = { bos_token: bosToken, eos_token: eosToken };
  return new Template(template).render({ messages, add_generation_prompt: true, ...names });
}

if (isMainThread) {
  let line = '';
  process.stdin.setEncoding('utf8');
  process.stdin.on('data', (part) => {
    line += part;
    if (line.endsWith('\n')) renderInThread(JSON.parse(line));
  });
  process.stdin.on('end', () => process.exit(3)); // the server has ended, so nobody reads the code
} else {
  parentPort?.postMessage(render(workerData));
}
