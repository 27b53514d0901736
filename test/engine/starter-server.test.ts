// Runs the starter model behind a completion endpoint that takes prompts as text. Its answers equal those to prompts as
// tokens.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Team } from '../../language-server/remote/team.ts';
import {
  type Completer,
  type Engine,
  type FinishReason,
  type GenerateRequest,
  loadEngine,
} from '../../native/index.ts';
import { type Answer, begin, CompletionServer, patient, send } from '../support/completion-server.ts';

const root = join(import.meta.dirname, '../..');
const source = readFileSync(join(root, 'test/fixtures/sample.ts.txt'), 'utf8');

let served: Engine;
let local: Engine;
let remote: Completer;
let http: CompletionServer;
let team: Team;
/** How the requests to the server ended. */
const finishReasons: FinishReason[] = [];

/** Behaves as real servers do: special tokens in the text count as such, and closing a connection ends its request. */
const answer: Answer = async (response, { body }) => {
  const closed = new AbortController();
  response.on('close', () => closed.abort());
  begin(response);
  const tokens = served.tokenize(String(body.prompt), true);
  const { finishReason, timings } = await served.generate(
    { tokens, maxTokens: Number(body.max_tokens) },
    (text) => void send(response, { choices: [{ text }] }),
    closed.signal,
  );
  finishReasons.push(finishReason);
  const { promptTokens, completionTokens, cachedTokens } = timings;
  send(response, { choices: [{ text: '', finish_reason: finishReason }] });
  const details = { cached_tokens: cachedTokens };
  const usage = { prompt_tokens: promptTokens, completion_tokens: completionTokens, prompt_tokens_details: details };
  send(response, { choices: [], usage });
  response.end('data: [DONE]\n\n');
};

beforeAll(async () => {
  const modelPath = join(root, 'models/starter.gguf');
  served = await loadEngine({ modelPath });
  local = await loadEngine({ modelPath });
  http = await CompletionServer.start();
  http.defaultAnswer = answer;
  http.probe = answer;
  team = new Team({ url: http.url, model: 'starter-coder', credential: '' }, () => {}, patient);
  await team.tried;
  const completer = team.completer(local);
  if (completer === null) throw new Error(team.info(local).fallbackReason);
  remote = completer;
});

afterAll(async () => {
  team.close();
  await http.close();
  await served.close();
  await local.close();
});

/** Requests the rest of a line in the source; the prompt ends inside the line. */
function promptAt({ info }: Completer, line: number, begin: RegExp): Uint32Array {
  const lines = source.split('\n');
  const { fimPrefix, fimSuffix, fimMiddle } = info.special;
  const given = begin.exec(lines[line] ?? '')?.[0] ?? '';
  const prefix = `${lines.slice(0, line).join('\n')}\n`;
  const suffix = `\n${lines.slice(line + 1).join('\n')}`;
  const [before, behind, middle] = [prefix, suffix, given].map((text) => [...local.tokenize(text)]);
  return Uint32Array.from([fimPrefix, ...(before ?? []), fimSuffix, ...(behind ?? []), fimMiddle, ...(middle ?? [])]);
}

async function textOf(model: Completer, request: GenerateRequest) {
  let text = '';
  const { finishReason } = await model.generate(request, (piece) => {
    text += piece;
  });
  return { text, finishReason };
}

test("the answers equal the local engine's, token for token", async () => {
  for (const line of [12, 18, 24, 30, 36, 42, 48]) {
    const [here, there] = await Promise.all(
      [local, remote].map((model) => textOf(model, { tokens: promptAt(model, line, /^\s*\w*/), maxTokens: 24 })),
    );
    expect([line, there]).toEqual([line, here]);
  }
});

test("further typing reuses the server's cache", async () => {
  await remote.prefill(promptAt(remote, 20, /^/));
  const { timings } = await remote.generate({ tokens: promptAt(remote, 20, /^\s*\w*/), maxTokens: 4 });
  expect(timings.promptTokens - timings.cachedTokens).toBeLessThanOrEqual(4);
});

test('cancelling a request ends it on the server, too', async () => {
  const abort = new AbortController();
  const request = { tokens: promptAt(remote, 40, /^/), maxTokens: 1000 };
  const { finishReason } = await remote.generate(request, () => abort.abort(), abort.signal);
  expect(finishReason).toBe('cancelled');
  await expect.poll(() => finishReasons.at(-1)).toBe('cancelled');
  await expect.poll(() => served.status().state).toBe('idle');
});
