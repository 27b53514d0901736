// Runs dist/server.js with the real engine and the starter model, and measures its memory, handles, threads and CPU
// time.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FrameClient } from './frame-client.ts';

const root = join(import.meta.dirname, '../..');
export const starterModel = join(root, 'models/starter.gguf');
/** HEARTH_SERVER: the program of a different version, to compare with. */
const program = process.env.HEARTH_SERVER ?? join(root, 'dist/server.js');
export const serverCommand = [process.execPath, program, '--stdio'];

export async function startServer(settings: object = {}, options: object = {}): Promise<FrameClient> {
  const client = new FrameClient(serverCommand);
  await client.initialize({ settings, bundledModel: starterModel, ...options });
  await loaded(client);
  return client;
}

/** Resolves when the model is loaded. */
export async function loaded(client: FrameClient): Promise<void> {
  const ready = client.notice(({ params }) => (params as { health?: string })?.health === 'ready');
  await Promise.race([ready, fail(client)]);
}

async function fail({ ended }: FrameClient): Promise<never> {
  throw new Error(`the server ended with ${(await ended).join(' ')}`);
}

/** A process's memory in MiB, and its open handles and threads. */
export function usage(pid: number): { rssMiB: number; handles: number; threads: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const figure = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]);
  return { rssMiB: figure('VmRSS') / 1024, handles: readdirSync(`/proc/${pid}/fd`).length, threads: figure('Threads') };
}

/** The CPU time of the process's main thread in ms, which does not advance while other programs run. */
export function serverThreadMs(pid: number): number {
  const [, fields = ''] = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8').split(') ');
  const [user, system] = fields.split(' ').slice(11, 13).map(Number);
  const msPerTick = 10;
  return ((user ?? Number.NaN) + (system ?? Number.NaN)) * msPerTick;
}
