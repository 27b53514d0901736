// Renders a model's own chat template. The template is a program, and the model file may come from anybody. So it runs in
// a worker thread with a limit on time and memory.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

export interface ChatMessage {
  role: 'user' | 'assistant';
  content: string;
}

export interface TemplateInput {
  template: string;
  messages: ChatMessage[];
}

const mostTemplateChars = 100_000;
const mostMs = 5000;
const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16, stackSizeMb: 2 };

// dist/, seen from the bundles in it and from the sources.
const workerPlaces = ['.', '../dist', '../../dist'].map((folder) => join(__dirname, folder, 'template-worker.js'));

/** The conversation as text, up to where the next answer begins. Rejects with a message for the user. */
export async function renderChat(input: TemplateInput, patienceMs = mostMs): Promise<string> {
  if (input.template.length > mostTemplateChars) throw unusable('it is too long');
  const path = workerPlaces.find((place) => existsSync(place));
  if (path === undefined) throw unusable(`${workerPlaces[0]} is missing`);
  const worker = new Worker(path, { workerData: input, resourceLimits, env: {}, stdout: true, stderr: true });
  try {
    return await new Promise<string>((resolve, reject) => {
      const timer = setTimeout(() => reject(unusable('it takes too long')), patienceMs);
      worker.once('message', resolve);
      worker.once('error', ({ message }) => reject(unusable(message)));
      worker.once('exit', () => {
        clearTimeout(timer);
        reject(unusable('it gives no text'));
      });
    });
  } finally {
    await worker.terminate();
  }
}

const unusable = (reason: string) => new Error(`The chat template in the model's file cannot be used: ${reason}.`);
