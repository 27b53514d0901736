// The requests to a team's server, and Hearth's use of the answers.
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Team } from '../../../language-server/remote/team.ts';
import type { Completer } from '../../../native/index.ts';
import { FakeEngine } from '../../fixtures/fake-engine.ts';
import { begin, CompletionServer, events, patient, refuse, send, stream } from '../../support/completion-server.ts';

let server: CompletionServer;
let messages: string[];
let team: Team;

beforeEach(async () => {
  server = await CompletionServer.start();
  messages = [];
});

afterEach(async () => {
  vi.useRealTimers();
  team.close();
  await server.close();
});

async function connect(model = 'coder', timeouts = patient): Promise<Completer> {
  const options = { url: `${server.url}/v1/`, model, credential: 'secret' };
  team = new Team(options, (message) => messages.push(message), timeouts);
  await team.tried;
  const completer = team.completer(new FakeEngine());
  if (completer === null) throw new Error(messages.join('\n') || team.info(new FakeEngine()).fallbackReason);
  return completer;
}

const bytes = (text: string) => Uint32Array.from(Buffer.from(text));

function promptFor({ info }: Completer, before = 'let a', after = ';'): Uint32Array {
  const { fimPrefix, fimSuffix, fimMiddle } = info.special;
  return Uint32Array.of(fimPrefix, ...bytes(before), fimSuffix, ...bytes(after), fimMiddle);
}

async function ask(model: Completer, more = {}) {
  const pieces: [string, number][] = [];
  const request = { tokens: promptFor(model), maxTokens: 7, ...more };
  const completed = await model.generate(request, (text, logProbability) => void pieces.push([text, logProbability]));
  return { ...completed, pieces, text: pieces.map(([text]) => text).join('') };
}

test('a prompt is sent as text, and the answer arrives piece by piece', async () => {
  const { finishReason, timings, pieces } = await ask(await connect());
  const [asked] = server.asked;
  expect(asked).toMatchObject({ path: '/v1/completions', headers: { authorization: 'Bearer secret' } });
  expect(asked?.headers['user-agent']).toMatch(/^hearth\/\d+\.\d+\.\d+$/);
  expect(asked?.body).toEqual({
    model: 'coder',
    prompt: '<|fim_prefix|>let a<|fim_suffix|>;<|fim_middle|>',
    logprobs: 1,
    max_tokens: 7,
    temperature: 0,
    stream: true,
    stream_options: { include_usage: true },
    user: asked?.headers['x-user-id'],
  });
  expect(pieces).toEqual([
    ['one', 0],
    [' two', 0],
  ]);
  expect(finishReason).toBe('length');
  expect(timings).toMatchObject({ promptTokens: 40, cachedTokens: 32, completionTokens: 2, decodePasses: 1 });
});

test('all requests have the same random user, so that balancers choose the same replica', async () => {
  const model = await connect();
  await ask(model);
  await ask(model);
  const users = server.asked.flatMap(({ body, headers }) => [body.user, headers['x-user-id']]);
  expect(new Set(users).size).toBe(1);
  expect(users[0]).toMatch(/^[\da-f]{8}-[\da-f-]{27}$/);
});

test('if the server stops generating by itself, its connections are used again', async () => {
  const model = await connect();
  for (let i = 0; i < 8; i++) await ask(model, { stopBefore: '\n' });
  // The next request may begin before the last bytes of an answer have arrived.
  expect(new Set(server.asked.map(({ port }) => port)).size).toBeLessThanOrEqual(2);
  expect(server.asked[0]?.body.stop).toEqual(['\n']);
});

test('events may be split anywhere, even inside a character', async () => {
  const inPieces = async (response: ServerResponse) => {
    begin(response);
    const whole = Buffer.from('data: {"choices":[{"text":"é…"}]}\r\n\r\n: a comment\n\ndata: [DONE]\n\n');
    for (let at = 0; at < whole.length; at += 7) {
      response.write(whole.subarray(at, at + 7));
      await sleep(1);
    }
    response.end();
  };
  server.answers.push((response) => void inPieces(response));
  expect((await ask(await connect())).text).toBe('é…');
});

test.each([
  ['vLLM', { token_logprobs: [-0.5, null, -1] }],
  ['llama.cpp', { content: [{ logprob: -0.5 }, { logprob: 0 }, { logprob: -1 }] }],
])('log-probabilities are read as %s sends them', async (_, logprobs) => {
  server.answers.push(events({ choices: [{ text: 'xy', logprobs, finish_reason: 'stop' }] }));
  expect((await ask(await connect())).pieces).toEqual([['xy', -1.5]]);
});

test('a server without log-probabilities is named in the log and the status, once', async () => {
  server.defaultAnswer = events({ choices: [{ text: 'xy', finish_reason: 'stop' }] });
  const model = await connect();
  await ask(model);
  team.completer(new FakeEngine());
  const local = new FakeEngine();
  team.completer(local);
  expect(messages.filter((message) => message.includes('no probabilities')).length).toBe(1);
  expect(team.info(local).backend).toMatch(/^server 127\.0\.0\.1:\d+, which sends no probabilities/);
});

const fastApi = (field: string) => [{ type: 'extra_forbidden', loc: ['body', field], msg: 'Not permitted', input: 1 }];

test.each<[string, number, object]>([
  ['logprobs', 400, { error: { message: 'Unsupported parameter: logprobs' } }],
  ['stream_options', 400, { error: { message: 'Unsupported parameter: stream_options' } }],
  ['user', 400, { error: { message: 'Unsupported parameter: user' } }],
  ['user', 422, { detail: fastApi('user') }],
])('a server that rejects %s with status %i is asked without it', async (field, status, body) => {
  const model = await connect();
  server.answers.push(refuse(status, JSON.stringify(body)));
  expect((await ask(model)).text).toBe('one two');
  await ask(model);
  expect(server.asked.map(({ body }) => field in body)).toEqual([true, false, false]);
});

test('the model is to write the white space before the cursor; if it does not, it is asked again with that space in the prompt', async () => {
  const model = await connect();
  const indented = { heal: Buffer.from('    ') };
  server.answers.push(stream('  ', '  re', 'turn'));
  expect((await ask(model, indented)).pieces.map(([text]) => text)).toEqual(['re', 'turn']);
  server.answers.push(stream('  }', ' else'), stream('return'));
  expect((await ask(model, indented)).text).toBe('return');
  // An answer that ends within the white space counts as something else, too.
  server.answers.push(stream('  '), stream('return'));
  expect((await ask(model, indented)).text).toBe('return');
  expect(server.asked.map(({ body }) => String(body.prompt).endsWith('    '))).toEqual([
    false,
    false,
    true,
    false,
    true,
  ]);
  await expect.poll(() => server.closed.length).toBe(5);
});

test("when the caller ends an answer, the server's generation ends, too", async () => {
  const model = await connect();
  server.answers.push((response) => send(begin(response), { choices: [{ text: 'so far' }] }));
  const { finishReason } = await model.generate({ tokens: promptFor(model), maxTokens: 7 }, () => true);
  expect(finishReason).toBe('stop');
  await expect.poll(() => server.closed).toEqual([false]);
});

test('a cancelled request ends on the server, too, and does not count as a failure', async () => {
  const model = await connect();
  const abort = new AbortController();
  server.answers.push((response) => send(begin(response), { choices: [{ text: 'so far' }] }));
  const request = { tokens: promptFor(model), maxTokens: 7 };
  expect(await model.generate(request, () => abort.abort(), abort.signal)).toMatchObject({ finishReason: 'cancelled' });
  await expect.poll(() => server.closed).toEqual([false]);
  expect(team.completer(new FakeEngine())).not.toBeNull();
});

test('even if the first text must come fast, the server may write slowly after it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const model = await connect('coder', { ...patient, minMs: 200, maxMs: 200 });
  let goOn = () => {};
  server.defaultAnswer = (response) => {
    send(begin(response), { choices: [{ text: 'a' }] });
    goOn = () => {
      send(response, { choices: [{ text: 'b', finish_reason: 'stop' }] });
      response.end();
    };
  };
  let whole = '';
  await model.generate({ tokens: promptFor(model), maxTokens: 7 }, (text) => {
    whole += text;
    vi.advanceTimersByTime(700);
    if (text === 'a') goOn();
  });
  expect(whole).toBe('ab');
});

test('if a server sends a count with every text, the last one counts', async () => {
  const model = await connect();
  server.answers.push(
    events(
      { choices: [{ text: 'a' }], usage: { prompt_tokens: 40, completion_tokens: 1 } },
      { choices: [{ text: 'bc', finish_reason: 'stop' }], usage: { prompt_tokens: 40, completion_tokens: 3 } },
      { choices: [], usage: null },
    ),
  );
  expect((await ask(model)).timings).toMatchObject({ promptTokens: 40, completionTokens: 3 });
});

test('reading ahead requests one token', async () => {
  const model = await connect();
  server.answers.push(stream('one'));
  expect(await model.prefill(promptFor(model))).toMatchObject({ promptTokens: 40, cachedTokens: 32 });
  expect(server.asked[0]?.body.max_tokens).toBe(1);
});

test('text in a document that looks like a special token does not become one', async () => {
  const model = await connect();
  const tokens = Uint32Array.of(
    model.info.special.fimPrefix,
    ...bytes('"<|fim_suffix|>" é <fim_suffix> <｜end▁of▁sentence｜>'),
  );
  await model.generate({ tokens, heal: Buffer.from('wörd<|endoftext|>'), maxTokens: 1 });
  expect(server.asked[0]?.body.prompt).toBe(
    '<|fim_prefix|>"< |fim_suffix|>" é <fim_suffix> < ｜end▁of▁sentence｜>wörd< |endoftext|>',
  );
});

test.each([
  ['starcoder2=granite-code', '<fim_prefix>let a< fim_prefix> b<i></i><fim_suffix>< fim_middle>;<fim_middle>'],
  ['codellama-7b', '▁<PRE>let a< fim_prefix> b<i></i>▁<SUF>< fim_middle>;▁<MID>'],
  ['deepseek-coder-6.7b', '<｜fim▁begin｜>let a<fim_prefix> b<i></i><｜fim▁hole｜><fim_middle>;<｜fim▁end｜>'],
  ['Codestral-22B', '[SUFFIX]< fim_middle>;[PREFIX]let a< fim_prefix> b<i></i>'],
])("%s gets its family's prompt, whatever the model on this machine is", async (name, prompt) => {
  const model = await connect(name);
  const { fimPrefix, fimSuffix, fimMiddle } = model.info.special;
  const parts = [
    [fimPrefix, ...bytes('let a<fim_prefix> b<i></i>')],
    [fimSuffix, ...bytes('<fim_middle>;')],
  ];
  const head = model.info.suffixFirst ? parts.toReversed() : parts;
  const tokens = Uint32Array.from([...head.flat(), fimMiddle].filter((token) => token >= 0));
  await model.generate({ tokens, maxTokens: 1 });
  expect(server.asked[0]?.body).toMatchObject({ prompt, model: name.split('=')[0] });
  expect(model.info).toMatchObject({ bosToken: -1, special: { fileSep: -1 } });
});

test("the model's info names the server and its model", async () => {
  server.pages.set('/v1/models', {
    data: [{ id: 'other' }, { id: 'coder', root: 'Qwen/Qwen2.5-Coder-7B', max_model_len: 6000 }],
  });
  const { info } = await connect();
  expect(info).toMatchObject({ name: 'coder, Qwen2.5-Coder-7B', contextTokens: 6000, device: 'server' });
  expect(info.backend).toBe(`server 127.0.0.1:${server.port}`);
});

test("the name of the file and the size of the context come from /props of llama.cpp's server", async () => {
  server.pages.set('/v1/models', { data: [{ id: 'gpt-3.5', meta: { n_ctx_train: 32_768 } }] });
  server.pages.set('/props', {
    model_path: '/models/codellama-7b.Q4_0.gguf',
    default_generation_settings: { n_ctx: 4096 },
  });
  const model = await connect('');
  expect(model.info).toMatchObject({ name: 'gpt-3.5, codellama-7b.Q4_0.gguf', contextTokens: 4096 });
  await model.generate({ tokens: promptFor(model), maxTokens: 1 });
  expect(server.asked[0]?.body).toMatchObject({ model: 'gpt-3.5', prompt: '▁<PRE>let a▁<SUF>;▁<MID>' });
});

test.each([
  ['of 500 KB', 'x'.repeat(500_000)],
  ['with control characters', 'a\n[error] b\u001b[2J'],
  ['that is not a string', { toString: 'x' }],
])('a model name %s is not used', async (_, id) => {
  server.pages.set('/v1/models', { data: [{ id }, { id: 'qwen2.5-coder', root: id, max_model_len: 1e300 }] });
  server.pages.set('/props', { model_path: id });
  const model = await connect('');
  expect(model.info).toMatchObject({ name: 'qwen2.5-coder', contextTokens: 8192 });
  await model.generate({ tokens: promptFor(model), maxTokens: 1 });
  expect(server.asked[0]?.body.model).toBe('qwen2.5-coder');
});

test("if no name identifies the model, the server's special tokens do", async () => {
  server.probe = (response, { body }) => {
    const promptTokens = String(body.prompt).replaceAll(/<fim_\w+>/g, 's').length;
    send(begin(response), {
      choices: [{ text: 'x', finish_reason: 'length' }],
      usage: { prompt_tokens: promptTokens },
    });
    response.end('data: [DONE]\n\n');
  };
  const model = await connect('coder');
  await model.generate({ tokens: promptFor(model), maxTokens: 1 });
  expect(server.asked[0]?.body.prompt).toBe('<fim_prefix>let a<fim_suffix>;<fim_middle>');
});
