// Many clients of a team's server in one process; team-server.mjs bundles and runs this. Each client has its own
// provider and document. All share the local engine, which only counts and cuts tokens.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { InlineCompletionTriggerKind } from 'vscode-languageserver/node';
import { OpenDocument } from '../../language-server/documents/open-document.ts';
import { loadModel } from '../../language-server/engine/load-model.ts';
import { generate } from '../../language-server/offers/complete.ts';
import { CompletionProvider } from '../../language-server/offers/provider.ts';
import type { Models } from '../../language-server/offers/warm-models.ts';
import { Anchors } from '../../language-server/prompt/anchors.ts';
import { defaultSettings } from '../../language-server/protocol/settings.ts';
import { usualTimeouts } from '../../language-server/remote/availability.ts';
import { Team } from '../../language-server/remote/team.ts';
import type { Completer, Engine } from '../../native/index.ts';
import { type GoldenCase, goldenCases } from '../../test/golden/golden-cases.ts';
import { atCursor } from '../../test/language-server/cursor.ts';
import { makeTrace } from '../tools/make-trace.ts';
import { cursorAfter, type Trace } from '../tools/trace.ts';

export interface Key {
  /** The time from the key to the first text, or to an answer without text; null if the next key came first. */
  firstMs: number | null;
}

export const loadLocal = async (modelPath: string): Promise<Engine> => (await loadModel({ modelPath })).engine;

/**
 * Connects a client to the team's server. If the local engine answers instead, adds the reason to `fallbacks`: then the
 * measurement is worthless.
 */
export async function connect(url: string, local: Engine, fallbacks: string[]): Promise<Models> {
  // With fifty clients a server is slow, not broken.
  const patience = { ...usualTimeouts, minMs: 600_000, maxMs: 600_000 };
  let isConnected = false;
  const onChange = (message: string) => void (isConnected && fallbacks.push(message));
  const team = new Team({ url, model: '', credential: '' }, onChange, patience);
  await team.tried;
  isConnected = true;
  return { local, remote: () => team.completer(local) };
}

/**
 * Compares the answers of the server's model with those of the local engine, at the golden cases' cursors. Returns the
 * number of compared cases, and a description of each case whose answers differ.
 */
export async function agreement(remote: Completer, local: Engine, folder: string, most: number) {
  const all = readdirSync(folder)
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .flatMap((name) => goldenCases(readFileSync(join(folder, name), 'utf8')));
  const cases = all.filter((_, i) => (i * most) % all.length < most);
  const differing: string[] = [];
  for (const golden of cases) {
    const [here, there] = [await answer(local, golden), await answer(remote, golden)];
    if (here !== there) differing.push(`${golden.languageId}: ${golden.title}\n  here:  ${here}\n  there: ${there}`);
  }
  return { cases: cases.length, differing };
}

async function answer(engine: Completer, { document, languageId }: GoldenCase): Promise<string> {
  const { text, offset } = atCursor(document);
  const place = { uri: 'file:///golden', languageId, text, offset };
  const options = { maxTokens: 32, multiline: 'auto' } as const;
  const { suggestions, reason } = await generate(engine, new Anchors(engine), place, options);
  return JSON.stringify(suggestions[0]?.text ?? reason);
}

/**
 * The ms until the server is idle after a request is cancelled. writing: the server was generating; reading: it was
 * reading a long prompt.
 */
export async function cancelToIdle(remote: Completer, isIdle: () => Promise<boolean>, source: string) {
  const measure = async (request: Parameters<Engine['generate']>[0], cancelWhen: (cancel: () => void) => unknown) => {
    const abort = new AbortController();
    let cancelledAt = 0;
    const cancel = () => {
      cancelledAt ||= performance.now();
      abort.abort();
    };
    void cancelWhen(cancel);
    await remote.generate(request, cancel, abort.signal);
    while (!(await isIdle())) await sleep(2);
    return performance.now() - cancelledAt;
  };
  const long = remote.tokenize(source).subarray(0, 3000);
  const writing = await measure({ tokens: long.subarray(0, 64), maxTokens: 1000 }, () => {});
  const reading = await measure({ tokens: long, maxTokens: 1 }, async (cancel) => {
    while (await isIdle()) await sleep(2);
    setTimeout(cancel, 100);
  });
  return { writing, reading };
}

/** Makes one trace per client, each of which types lines into a document of its own. */
export function traces(source: string, clients: number, keys: number, intervalMs: number): Trace[] {
  const rows = source.split('\n');
  return Array.from({ length: clients }, (_, i) => {
    const at = Math.floor((rows.length * i) / clients);
    // Different people's documents differ from the first line on.
    const text = [`// document ${i}`, ...rows.slice(at), ...rows.slice(0, at)].slice(0, 400).join('\n');
    const trace = makeTrace(`document${i}.ts`, text, { line: 200, lines: 12, intervalMs, autoClose: false });
    return { ...trace, edits: trace.edits.slice(0, keys) };
  });
}

/**
 * Types the trace. start: waits until all clients' documents are read, and resolves to the time at which the trace
 * begins.
 */
export async function type(models: Models, { name, text, edits }: Trace, start: () => Promise<number>): Promise<Key[]> {
  const provider = new CompletionProvider({ onGrown: () => {} });
  const source = { ready: async () => models, isLoading: () => false };
  const document = OpenDocument.create(`file:///team/${name}`, 'typescript', 0, text);
  const ask = async (position: { line: number; character: number }, signal: AbortSignal): Promise<Key> => {
    const askedAt = performance.now();
    const context = { triggerKind: InlineCompletionTriggerKind.Automatic };
    await provider.provide({ document, position, context }, source, () => defaultSettings, signal);
    return { firstMs: signal.aborted ? null : performance.now() - askedAt };
  };
  const [first] = edits;
  if (!first) return [];
  // The document has been open for a while.
  await provider.rest({ document, position: first }, models, defaultSettings);
  const startMs = await start();
  const keys: Promise<Key>[] = [];
  let last = new AbortController();
  for (const [i, edit] of edits.entries()) {
    await sleep(Math.max(0, startMs + edit.atMs - performance.now()));
    last.abort();
    last = new AbortController();
    const { line, character, deleted, insert } = edit;
    const range = { start: { line, character }, end: { line, character: character + deleted } };
    OpenDocument.update(document, [{ range, text: insert }], i + 1);
    keys.push(ask(cursorAfter(edit), last.signal));
  }
  const answered = await Promise.all(keys);
  provider.cancelAll();
  return answered;
}
