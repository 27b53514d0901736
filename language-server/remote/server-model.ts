// Finds out which model a server has. This model decides the format and the length of prompts, and the gate. The model
// on this machine does not, and neither does the name that the server gives to its model.
import { basename } from 'node:path';
import { type FimTokens, fimTokensOf, knownFimTokens } from '../models/model-traits.ts';
import { sentence } from '../protocol/log.ts';
import { CompletionsApi } from './completions-api.ts';
import { fields } from './event-stream.ts';
import { ServerError } from './server-error.ts';
import type { Connection } from './team-connection.ts';

export interface ServerModel {
  /** The name that the server gives to it. */
  id: string;
  /** The name for people and for the gate, with the model's origin if the server says it. */
  title: string;
  /** Null if it was not trained to fill in the middle. */
  fim: FimTokens | null;
  contextTokens: number;
}

/** No model has a longer context. */
const maxContextTokens = 2 ** 22;
const maxNameChars = 200;

/** Whether a value can be used as a name. Names go into every request, into the log and into the status. */
const isName = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= maxNameChars && sentence(value) === value;

/** For a server that does not say the length of its context. All models that fill in the middle have at least this. */
const usualContextTokens = 8192;

/**
 * setting: the model's name on the server; '' for its first model; "NAME=MODEL" if NAME says nothing about the model.
 * Some servers have no list of models. Rejects only if the server cannot be reached, or if the setting is '' and the
 * server does not give the list.
 */
export async function describe(connection: Connection, setting: string, signal: AbortSignal): Promise<ServerModel> {
  const [alias = '', model = ''] = setting.split('=').map((part) => part.trim());
  const { data } = fields(await unlessRefused(connection.json('/v1/models', signal), alias === ''));
  const listed = (Array.isArray(data) ? data : []).map(fields).filter(({ id }) => isName(id));
  const entry = (alias === '' ? listed[0] : listed.find(({ id }) => id === alias)) ?? {};
  const id = alias || String(entry.id ?? '');
  if (id === '') throw new ServerError(`${connection.host} does not list its models. Set "hearth.server.model".`);
  const isOnly = listed.length <= 1;
  const props = isOnly ? fields(await unlessRefused(connection.json('/props', signal))) : {};
  const origins = [model, entry.root, isOnly && typeof props.model_path === 'string' ? basename(props.model_path) : ''];
  const names = [id, ...origins.filter((name) => isName(name) && name !== id)];
  const { n_ctx: slotTokens } = fields(props.default_generation_settings);
  const { n_ctx: modelTokens, n_ctx_train: trainedTokens } = fields(entry.meta);
  const limits = [entry.max_model_len, slotTokens, modelTokens, trainedTokens];
  const contextTokens = limits.find((limit) => typeof limit === 'number' && limit >= 256 && limit <= maxContextTokens);
  const known = fimTokensOf(model || names.join(' '));
  return {
    id,
    title: connection.quoted(model || [...new Set(names.map((name) => basename(String(name))))].join(', ')),
    fim: known === undefined ? await fimTokensFrom(new CompletionsApi(connection, id), signal) : known,
    contextTokens: typeof contextTokens === 'number' ? Math.floor(contextTokens) : usualContextTokens,
  };
}

/** The statuses of a server that does not have the page, or sends another one in its place. */
const pageMissing = [200, 404, 405, 501];

/**
 * The answer, or {} if the server refuses it. isNeeded: whether the answer is {} only if the server has no such page.
 */
async function unlessRefused(answer: Promise<unknown>, isNeeded = false): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    const { status } = error instanceof ServerError ? error : { status: 0 };
    if (status === 0 || (isNeeded && !pageMissing.includes(status))) throw error;
    return {};
  }
}

/**
 * The tokens that the server knows. Those of Qwen2.5-Coder are tried first: most models with unknown names derive from
 * it.
 */
async function fimTokensFrom(api: CompletionsApi, signal: AbortSignal): Promise<FimTokens | null> {
  const [usual = null] = knownFimTokens;
  for (const fim of knownFimTokens) if ((await knowsTokens(api, fim, signal)) !== false) return fim;
  return usual;
}

const repeats = 8;
const timeoutMs = 5000;

/**
 * Whether the server reads these names as special tokens. If it does, each name is one token; otherwise it is several.
 * Null if the server does not say how many tokens a prompt has.
 */
export async function knowsTokens(api: CompletionsApi, { prefix, suffix }: FimTokens, signal: AbortSignal) {
  const prompt = (prefix + suffix).repeat(repeats);
  for await (const { usage } of api.stream({ prompt, max_tokens: 1, temperature: 0 }, timeoutMs, signal))
    if (usage && usage.promptTokens > 0) return usage.promptTokens <= 2 * repeats + 1;
  return null;
}
