// Which model a server has. That model, and not the one on this machine or the name under which it is served, decides
// about the format and the length of prompts and about the gate.
import { basename } from 'node:path';
import { type FimTokens, fimTokensOf, knownFimTokens } from '../models/model-traits.ts';
import { sentence } from '../protocol/log.ts';
import { CompletionsApi } from './completions-api.ts';
import { fields } from './event-stream.ts';
import { ServerError } from './server-error.ts';
import type { Connection } from './team-connection.ts';

export interface ServerModel {
  /** The name to ask for. */
  id: string;
  /** For people and for the gate: the name, and what the server says of where the model comes from. */
  title: string;
  /** Null if it was not trained to fill in the middle. */
  fim: FimTokens | null;
  contextTokens: number;
}

/** More than any has. */
const maxContextTokens = 2 ** 22;
const maxNameChars = 200;

/** Names go into every request, into the log and into the status. */
const isName = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= maxNameChars && sentence(value) === value;

/** Of a server that does not say how much it can read. All models that fill in the middle can read as much. */
const usualContextTokens = 8192;

/**
 * setting: the model's name on the server; '' for its first model; "NAME=MODEL" if NAME says nothing about the model.
 * Some servers have no list of models. Rejects only if the server cannot be reached, or if it refuses the list without
 * which its model has no name.
 */
export async function describe(connection: Connection, setting: string, signal: AbortSignal): Promise<ServerModel> {
  const [alias = '', is = ''] = setting.split('=').map((part) => part.trim());
  const { data } = fields(await unlessRefused(connection.json('/v1/models', signal), alias === ''));
  const listed = (Array.isArray(data) ? data : []).map(fields).filter(({ id }) => isName(id));
  const entry = (alias === '' ? listed[0] : listed.find(({ id }) => id === alias)) ?? {};
  const id = alias || String(entry.id ?? '');
  if (id === '') throw new ServerError(`${connection.host} does not list its models. Set "hearth.server.model".`);
  const isOnly = listed.length <= 1;
  const props = isOnly ? fields(await unlessRefused(connection.json('/props', signal))) : {};
  const origins = [is, entry.root, isOnly && typeof props.model_path === 'string' ? basename(props.model_path) : ''];
  const names = [id, ...origins.filter((name) => isName(name) && name !== id)];
  const { n_ctx: ofSlot } = fields(props.default_generation_settings);
  const { n_ctx: ofModel, n_ctx_train: ofTraining } = fields(entry.meta);
  const limits = [entry.max_model_len, ofSlot, ofModel, ofTraining];
  const contextTokens = limits.find((limit) => typeof limit === 'number' && limit >= 256 && limit <= maxContextTokens);
  const known = fimTokensOf(is || names.join(' '));
  return {
    id,
    title: connection.quoted(is || [...new Set(names.map((name) => basename(String(name))))].join(', ')),
    fim: known === undefined ? await fimTokensFrom(new CompletionsApi(connection, id), signal) : known,
    contextTokens: typeof contextTokens === 'number' ? Math.floor(contextTokens) : usualContextTokens,
  };
}

/** The statuses of a server that has no such page, or another one. */
const hasNone = [200, 404, 405, 501];

async function unlessRefused(answer: Promise<unknown>, isNeeded = false): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    const { status } = error instanceof ServerError ? error : { status: 0 };
    if (status === 0 || (isNeeded && !hasNone.includes(status))) throw error;
    return {};
  }
}

/** Those that the server knows. Most models whose names say nothing are relatives of Qwen2.5-Coder, the first. */
async function fimTokensFrom(api: CompletionsApi, signal: AbortSignal): Promise<FimTokens | null> {
  const [usual = null] = knownFimTokens;
  for (const fim of knownFimTokens) if ((await knowsTokens(api, fim, signal)) !== false) return fim;
  return usual;
}

const repeats = 8;
const timeoutMs = 5000;

/**
 * Whether the server reads these names as special tokens: then each is one token, and otherwise several. Null if it does
 * not say how many tokens a prompt has.
 */
export async function knowsTokens(api: CompletionsApi, { prefix, suffix }: FimTokens, signal: AbortSignal) {
  const prompt = (prefix + suffix).repeat(repeats);
  for await (const { usage } of api.stream({ prompt, max_tokens: 1, temperature: 0 }, timeoutMs, signal))
    if (usage && usage.promptTokens > 0) return usage.promptTokens <= 2 * repeats + 1;
  return null;
}
