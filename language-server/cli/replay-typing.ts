// Typing a trace into the language server, key by key.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Pending, ReplayServer } from './replay-server.ts';
import type { Trace } from './trace.ts';

export interface Key extends Answer {
  /** By the engine in the foreground, from the key to its answer. */
  evaluated: number;
}

/** Each key comes when the one before it is answered. */
export async function typeAndWait(server: ReplayServer, trace: Trace): Promise<Key[]> {
  const keys: Key[] = [];
  for (const edit of trace.edits) keys.push(await keyOf(server, server.type(edit)));
  return keys;
}

/** Each key comes at its time and cancels the request before it, as an editor does. */
export async function typeLive(server: ReplayServer, trace: Trace, isOver = () => false): Promise<Key[]> {
  const start = performance.now();
  const keys: Promise<Key>[] = [];
  let previous: Pending | undefined;
  for (const edit of trace.edits) {
    await sleep(Math.max(0, start + edit.atMs - performance.now()));
    if (isOver()) break;
    previous?.cancel();
    previous = server.type(edit);
    keys.push(keyOf(server, previous));
  }
  return Promise.all(keys);
}

export async function keyOf(server: ReplayServer, pending: Pending): Promise<Key> {
  const before = server.evaluatedTokens;
  const answer = await pending.answer;
  return { ...answer, evaluated: server.evaluatedTokens - before };
}
