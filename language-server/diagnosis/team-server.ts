// Checks a team's server in the way that Hearth uses it. The message for each problem says what to do.
import { sentence } from '../protocol/log.ts';
import { CompletionsApi } from '../remote/completions-api.ts';
import type { Usage } from '../remote/event-stream.ts';
import { proxyFor } from '../remote/network.ts';
import { errorOf, ServerError } from '../remote/server-error.ts';
import { describe, knowsTokens, type ServerModel } from '../remote/server-model.ts';
import { Connection, type ServerOptions } from '../remote/team-connection.ts';
import type { Check } from './check.ts';

const wholeMs = 60_000;
const timeoutMs = 30_000;
/** A completion that takes longer comes too late for somebody who types. */
const usefulMs = 1000;
/** About 1,000 tokens that no server has seen before. */
const longPrompt = () =>
  Array.from({ length: 60 }, (_, i) => `const value${i} = ${Math.floor(Math.random() * 10_000)};\n`).join('');

interface Measured {
  text: string;
  firstMs: number;
  wholeMs: number;
  usage: Usage | undefined;
}

/** Runs the checks one after another. limitMs: the time limit for all of them together. */
export async function examineServer(options: ServerOptions, limitMs = wholeMs): Promise<Check[]> {
  const checks: Check[] = [];
  const signal = AbortSignal.timeout(limitMs);
  let host = options.url;
  const check = async <T>(name: string, find: () => Promise<[T, string]>): Promise<T | undefined> => {
    try {
      const [found, detail] = await find();
      checks.push({ name, isOk: true, detail });
      return found;
    } catch (error) {
      checks.push({ name, isOk: false, detail: errorOf(host, error, sentence).message });
      return undefined;
    }
  };
  const connection = await check('server', async () => {
    const opened = new Connection(options);
    host = opened.host;
    return [opened, wayTo(opened, options)];
  });
  const model = connection && (await check('its model', () => modelOf(connection, options, signal)));
  if (!connection || !model) {
    connection?.close();
    return checks;
  }
  const api = new CompletionsApi(connection, model.id);
  const ask = (prompt: string, maxTokens: number) => measure(api, prompt, maxTokens, signal);
  const first = await check('completion', async () => {
    const answer = await ask('def add(a, b):\n    return a', 16);
    return [answer, `first text after ${answer.firstMs.toFixed(0)} ms; ${connection.quoted(answer.text)}`];
  });
  if (first) {
    await check('special tokens', () => specialTokens(api, model, signal));
    await check('log-probabilities', () => probabilities(api));
    await check('prefix cache and speed', () => warmth(ask));
    await check('cancellation', () => cancellation(api, ask, signal));
  }
  connection.close();
  return checks;
}

function wayTo({ url, credential }: Connection, { network = {} }: ServerOptions): string {
  const proxy = proxyFor(url, network);
  const parts = [
    url.href,
    proxy ? `through the proxy ${proxy.host}` : 'without a proxy',
    credential.isEmpty ? 'without a token' : 'with a token',
    ...(network.strictTls === false ? ['certificates are not checked, because "http.proxyStrictSSL" is off'] : []),
  ];
  return parts.join(', ');
}

async function modelOf(
  connection: Connection,
  { model }: ServerOptions,
  signal: AbortSignal,
): Promise<[ServerModel, string]> {
  const found = await describe(connection, model, signal);
  if (found.fim === null)
    throw new ServerError(
      `${found.title} was not trained to fill in the middle. Serve a base model such as Qwen2.5-Coder-7B.`,
    );
  const form = found.fim.suffixFirst ? 'the text after the cursor first' : 'the text before the cursor first';
  return [
    found,
    `${found.title}, context of ${found.contextTokens} tokens; prompts begin with ${found.fim.prefix}, ${form}`,
  ];
}

async function specialTokens(api: CompletionsApi, { fim }: ServerModel, signal: AbortSignal): Promise<[true, string]> {
  const isKnown = fim && (await knowsTokens(api, fim, signal));
  if (isKnown === null) return [true, 'the server does not say how many tokens a prompt has, so this is not known'];
  if (isKnown) return [true, `${fim?.prefix} is one token`];
  throw new ServerError(
    `${fim?.prefix} is several tokens here, so the model does not fill in the middle. If the name hides which model it is, set "hearth.server.model" to "NAME=MODEL", such as "coder=Qwen2.5-Coder-7B".`,
  );
}

async function probabilities({ givesProbabilities }: CompletionsApi): Promise<[true, string]> {
  if (givesProbabilities) return [true, 'sent, so unlikely suggestions can be hidden'];
  throw new ServerError(
    'The server sends none, so unlikely suggestions are shown, too. LiteLLM drops them from streams: let Hearth ask the engine behind it.',
  );
}

async function warmth(ask: (prompt: string, maxTokens: number) => Promise<Measured>): Promise<[true, string]> {
  const prompt = longPrompt();
  const cold = await ask(prompt, 1);
  const warm = await ask(prompt, 32);
  const { usage } = warm;
  const rate = ((usage?.completionTokens ?? 0) * 1000) / Math.max(1, warm.wholeMs - warm.firstMs);
  const figures = `first text of a long prompt after ${cold.firstMs.toFixed(0)} ms, and of the same prompt again after ${warm.firstMs.toFixed(0)} ms${rate > 0 ? `; ${rate.toFixed(0)} tokens per second` : ''}`;
  if (usage?.cachedTokens) return [true, `${usage.cachedTokens} of ${usage.promptTokens} tokens cached; ${figures}`];
  if (usage?.cachedTokens === 0)
    throw new ServerError(
      `none of ${usage.promptTokens} tokens was cached the second time; ${figures}. Turn on the server's prefix caching. If there are several replicas, the balancer must choose by the header X-User-Id.`,
    );
  if (warm.firstMs > usefulMs && warm.firstMs > cold.firstMs / 2)
    throw new ServerError(`${figures}: that is too slow for typing. Turn on the server's prefix caching.`);
  return [
    true,
    `${figures}. The server does not say what it has cached; vLLM does with --enable-prompt-tokens-details`,
  ];
}

async function cancellation(
  api: CompletionsApi,
  ask: (prompt: string, maxTokens: number) => Promise<Measured>,
  signal: AbortSignal,
): Promise<[true, string]> {
  const prompt = '# The numbers from 1 to 10000\n1\n2\n3\n';
  for await (const { text } of api.stream({ prompt, max_tokens: 2000, temperature: 0 }, timeoutMs, signal))
    if (text !== '') break;
  const { firstMs } = await ask('def add(a, b):\n    return a', 1);
  const detail = `the next request is answered ${firstMs.toFixed(0)} ms after a long one is cancelled`;
  if (firstMs > usefulMs)
    throw new ServerError(
      `${detail}: the server, or a proxy before it, goes on with requests whose connection is closed.`,
    );
  return [true, detail];
}

async function measure(
  api: CompletionsApi,
  prompt: string,
  max_tokens: number,
  signal: AbortSignal,
): Promise<Measured> {
  const startedAt = performance.now();
  let firstMs = 0;
  let text = '';
  let usage: Usage | undefined;
  for await (const piece of api.stream({ prompt, max_tokens, temperature: 0 }, timeoutMs, signal)) {
    if (piece.text !== '') firstMs ||= performance.now() - startedAt;
    text += piece.text;
    usage ??= piece.usage;
  }
  const ms = performance.now() - startedAt;
  return { text, firstMs: firstMs || ms, wholeMs: ms, usage };
}
