// Types a trace into the language server, key by key.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Pending, ReplayEditor } from './replay-editor.ts';
import { cursorAfter, type Edit, type Trace } from './trace.ts';

export interface Key extends Answer {
  /** Tokens that the engine evaluated in the foreground, from the key to its answer. */
  evaluated: number;
}

/** Each key waits for the previous answer. Optionally, the cursor rests in each new line. */
export async function typeAndWait(editor: ReplayEditor, trace: Trace, rests = false): Promise<Key[]> {
  const keys: Key[] = [];
  for (const edit of trace.edits) {
    keys.push(await keyOf(editor, editor.type(edit)));
    if (rests) await restInNewLine(editor, edit);
  }
  return keys;
}

/** If the edit begins a line, rests there until the server has evaluated the prompt, like a person who thinks. */
export async function restInNewLine(editor: Pick<ReplayEditor, 'rest'>, edit: Edit): Promise<void> {
  if (edit.insert.includes('\n')) await editor.rest(cursorAfter(edit));
}

/** Each key comes at its recorded time and cancels the previous request, as in an editor. */
export async function typeLive(editor: ReplayEditor, trace: Trace, isOver = () => false): Promise<Key[]> {
  const start = performance.now();
  const keys: Promise<Key>[] = [];
  let previous: Pending | undefined;
  for (const edit of trace.edits) {
    await sleep(Math.max(0, start + edit.atMs - performance.now()));
    if (isOver()) break;
    previous?.cancel();
    previous = editor.type(edit);
    keys.push(keyOf(editor, previous));
  }
  return Promise.all(keys);
}

export async function keyOf(editor: ReplayEditor, pending: Pending): Promise<Key> {
  const before = editor.evaluatedTokens;
  const answer = await pending.answer;
  return { ...answer, evaluated: editor.evaluatedTokens - before };
}
