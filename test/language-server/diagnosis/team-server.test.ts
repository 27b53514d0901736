// The doctor's report about a team's server.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { examineServer } from '../../../language-server/diagnosis/team-server.ts';
import { Connection } from '../../../language-server/remote/team-connection.ts';
import { type Answer, begin, CompletionServer, events, refuse, send, stream } from '../../support/completion-server.ts';

let server: CompletionServer;

beforeEach(async () => {
  server = await CompletionServer.start();
  server.pages.set('/v1/models', { data: [{ id: 'coder', root: 'Qwen/Qwen2.5-Coder-7B', max_model_len: 8000 }] });
  server.defaultAnswer = stream(' + b', '\n');
  server.probe = specialAware(true);
});

afterEach(() => server.close());

/** Answers with the length of the prompt, where each special token's name counts as one token or as several. */
const specialAware =
  (isKnown: boolean): Answer =>
  (response, { body }) => {
    const prompt = String(body.prompt);
    const tokens = isKnown ? prompt.replaceAll(/<\|\w+\|>/g, 's').length : prompt.length;
    send(begin(response), {
      choices: [{ text: ' + b', logprobs: { token_logprobs: [0] }, finish_reason: 'length' }],
      usage: { prompt_tokens: tokens, completion_tokens: 1 },
    });
    response.end('data: [DONE]\n\n');
  };

async function examined(more = {}) {
  const checks = await examineServer({ url: server.url, model: 'coder', credential: 'token-123', ...more });
  expect(JSON.stringify(checks)).not.toContain('token-123');
  return Object.fromEntries(checks.map(({ name, isOk, detail }) => [name, `${isOk ? 'ok' : 'BROKEN'}: ${detail}`]));
}

test('the doctor finds no fault in a server that does everything Hearth needs', async () => {
  expect(await examined()).toEqual({
    server: `ok: ${server.url}/, without a proxy, with a token`,
    'its model': expect.stringMatching(
      /^ok: coder, Qwen2\.5-Coder-7B, context of 8000 tokens; prompts begin with <\|fim_prefix\|>/,
    ),
    completion: expect.stringMatching(/^ok: first text after \d+ ms; \+ b$/),
    'special tokens': 'ok: <|fim_prefix|> is one token',
    'log-probabilities': 'ok: sent, so unlikely suggestions can be hidden',
    'prefix cache and speed': expect.stringMatching(/^ok: 32 of 40 tokens cached; .* \d+ tokens per second$/),
    cancellation: expect.stringMatching(/^ok: the next request is answered \d+ ms after a long one is cancelled$/),
  });
});

test('the doctor reports an invalid address and a missing server', async () => {
  expect(await examined({ url: 'ftp://coder' })).toEqual({
    server: expect.stringMatching(/^BROKEN: .* is not an address/),
  });
  const { url } = server;
  await server.close();
  const closed = vi.spyOn(Connection.prototype, 'close');
  expect((await examined({ url }))['its model']).toMatch(
    /^BROKEN: .* refuses the connection\. Is the server running\?$/,
  );
  expect(closed).toHaveBeenCalledOnce();
  closed.mockRestore();
  server = await CompletionServer.start();
});

test('the doctor reports a token that is not accepted', async () => {
  server.probe = refuse(401);
  expect((await examined()).completion).toMatch(
    /^BROKEN: .* does not accept the token \(401\)\. "Hearth: Set Server Token"/,
  );
});

test('the doctor reports a model that cannot fill in the middle, by its name or its tokens', async () => {
  expect((await examined({ model: 'qwen2.5-7b' }))['its model']).toMatch(/^BROKEN: .* Serve a base model/);
  server.probe = specialAware(false);
  expect((await examined())['special tokens']).toMatch(
    /^BROKEN: <\|fim_prefix\|> is several tokens here.*"NAME=MODEL"/,
  );
});

test('the doctor reports a gateway that drops log-probabilities', async () => {
  server.probe = events({ choices: [{ text: ' + b', finish_reason: 'stop' }] });
  const { 'log-probabilities': said, 'special tokens': tokens } = await examined();
  expect(said).toMatch(/^BROKEN: The server sends none, .* LiteLLM drops them/);
  expect(tokens).toMatch(/^ok: the server does not say how many tokens/);
});

test('the doctor reports a server that never uses its cache, and one that does not say whether it does', async () => {
  const answering =
    (details: object): Answer =>
    (response, asked) => {
      const usage = { prompt_tokens: 1000, completion_tokens: 1, ...details };
      const choices = [{ text: ' + b', finish_reason: 'stop', logprobs: { token_logprobs: [0] } }];
      events({ choices, usage })(response, asked);
    };
  server.defaultAnswer = answering({ prompt_tokens_details: { cached_tokens: 0 } });
  expect((await examined())['prefix cache and speed']).toMatch(/^BROKEN: none of 1000 tokens was cached .* X-User-Id/);
  for (const silent of [{}, { prompt_tokens_details: null }, { prompt_tokens_details: {} }]) {
    server.defaultAnswer = answering(silent);
    expect((await examined())['prefix cache and speed']).toMatch(/^ok: .* does not say what it has cached/);
  }
});

test('the doctor reports a server that does not answer', async () => {
  server.pages.set('/v1/models', { data: [] });
  server.probe = () => {};
  server.defaultAnswer = () => {};
  const checks = await examineServer({ url: server.url, model: 'coder=Qwen2.5-Coder-7B', credential: '' }, 300);
  expect(checks.at(-1)).toEqual({
    name: 'completion',
    isOk: false,
    detail: `127.0.0.1:${server.port} has not answered in time.`,
  });
});
