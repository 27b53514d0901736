// The thread in which a chat template runs: dist/template-worker.js.
import { parentPort, workerData } from 'node:worker_threads';
import { Template } from '@huggingface/jinja';
import type { TemplateInput } from './chat-template.ts';

const mostChars = 1_000_000;

const { template, messages } = workerData as TemplateInput;
const text = new Template(template).render({ messages, add_generation_prompt: true, bos_token: '', eos_token: '' });
if (text.length > mostChars) throw new Error('its text is too long');
parentPort?.postMessage(text);
