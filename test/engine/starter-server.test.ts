// The starter model behind a completion endpoint: what it answers by way of text is what it answers by way of tokens.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { RemoteEngine } from '../../language-server/remote/remote-engine.ts';
import { type Engine, type FinishReason, loadEngine } from '../../native/index.ts';

const root = join(import.meta.dirname, '../..');
const source = readFileSync(join(root, 'language-server/prompt/text-window.ts'), 'utf8');

let served: Engine;
let local: Engine;
let remote: RemoteEngine;
let fallbacks: string[];
/** How the requests to the server ended. */
const finishReasons: FinishReason[] = [];

/** As servers do: special tokens are read in the text, and a closed connection ends the request. */
const http = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  const { prompt, max_tokens: maxTokens } = JSON.parse(body) as { prompt: string; max_tokens: number };
  const closed = new AbortController();
  response.on('close', () => closed.abort());
  const send = (event: unknown) => response.write(`data: ${JSON.stringify(event)}\n\n`);
  const tokens = served.tokenize(prompt, true);
  const { finishReason, timings } = await served.generate(
    { tokens, maxTokens },
    (text) => void send({ choices: [{ text }] }),
    closed.signal,
  );
  finishReasons.push(finishReason);
  const { promptTokens, completionTokens, cachedTokens } = timings;
  send({ choices: [{ text: '', finish_reason: finishReason }] });
  const details = { cached_tokens: cachedTokens };
  send({ usage: { prompt_tokens: promptTokens, completion_tokens: completionTokens, prompt_tokens_details: details } });
  response.end('data: [DONE]\n\n');
});

beforeAll(async () => {
  const modelPath = join(root, 'models/starter.gguf');
  served = await loadEngine({ modelPath });
  local = await loadEngine({ modelPath });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  fallbacks = [];
  remote = new RemoteEngine({ url, model: 'starter', token: '' }, local, (message) => fallbacks.push(message));
});

afterAll(async () => {
  http.closeAllConnections();
  http.close();
  await served.close();
  await remote.close();
});

/** A hole in the source at a line, filled from behind what begins the line. */
function promptAt(line: number, begin: RegExp): Uint32Array {
  const lines = source.split('\n');
  const { fimPrefix, fimSuffix, fimMiddle } = local.info.special;
  const given = begin.exec(lines[line] ?? '')?.[0] ?? '';
  const prefix = `${lines.slice(0, line).join('\n')}\n`;
  const suffix = `\n${lines.slice(line + 1).join('\n')}`;
  const [before, behind, middle] = [prefix, suffix, given].map((text) => [...local.tokenize(text)]);
  return Uint32Array.from([fimPrefix, ...(before ?? []), fimSuffix, ...(behind ?? []), fimMiddle, ...(middle ?? [])]);
}

test('answers are those of the local engine, token for token', async () => {
  const lines = [12, 18, 24, 30, 36, 42, 48];
  for (const line of lines) {
    const request = { tokens: promptAt(line, /^\s*\w*/), maxTokens: 24 };
    const [here, there] = [await local.generate(request), await remote.generate(request)];
    expect([line, there.text, there.finishReason]).toEqual([line, here.text, here.finishReason]);
    expect(there.timings.promptTokens).toBe(request.tokens.length);
  }
  expect(fallbacks).toEqual([]);
});

test("typing on uses the server's cache", async () => {
  await remote.prefill(promptAt(20, /^/));
  const { timings } = await remote.generate({ tokens: promptAt(20, /^\s*\w*/), maxTokens: 4 });
  expect(timings.promptTokens - timings.cachedTokens).toBeLessThanOrEqual(4);
});

test('a cancelled request ends on the server, too', async () => {
  const abort = new AbortController();
  const request = { tokens: promptAt(40, /^/), maxTokens: 1000 };
  const { finishReason } = await remote.generate(request, () => abort.abort(), abort.signal);
  expect(finishReason).toBe('cancelled');
  await vi.waitFor(() => expect(finishReasons.at(-1)).toBe('cancelled'));
  expect(served.status().state).toBe('idle');
});
