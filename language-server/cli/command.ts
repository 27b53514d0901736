// The interface of a `hearth` command, and what commands share: options, reading input, and loading the engine.
import { readFileSync, statSync } from 'node:fs';
import type { ParseArgsConfig } from 'node:util';
import type { Engine, LoadOptions } from '../../native/index.ts';
import { bundledModelPath, loadModel } from '../engine/load-model.ts';
import type { ModelOptions } from '../engine/load-options.ts';
import type { Model, Traits } from '../models/model-traits.ts';
import type { ServerOptions } from '../remote/team-connection.ts';

type ParseOption = NonNullable<ParseArgsConfig['options']>[string];
/** alias: another name of the option. */
export type Options = Record<string, ParseOption & { help: string; value?: string; alias?: string }>;
export type Values = Record<string, string | boolean | (string | boolean)[] | undefined>;

export interface Command {
  summary: string;
  /** The arguments after the options, such as "FILE:LINE:COLUMN". */
  operands: string;
  options: Options;
  /** The last line of the help. */
  hint?: string;
  run(values: Values, operands: string[]): Promise<void>;
}

/** Thrown for wrong arguments: exit code 2 and a hint at --help. */
export class UsageError extends Error {}

export const engineOptions = {
  model: { type: 'string', alias: 'gguf', value: 'FILE', help: 'GGUF file; default: the starter model' },
  backend: {
    type: 'string',
    value: 'NAME',
    help: 'auto, cpu, hip (AMD), cuda (NVIDIA), webgpu or webgpu-if-faster; auto: a GPU if hip or cuda has one',
  },
  gpu: { type: 'string', value: 'NAME', help: 'part of the name of the GPU to use; default: the best' },
  threads: { type: 'string', short: 't', value: 'N', help: 'threads; default: one per core, at most 8' },
  variant: {
    type: 'string',
    value: 'NAME',
    help: 'CPU variant: scalar, avx2, avxvnni, avx512vnni, amx, neon, i8mm; default: the best',
  },
  'kv-type': {
    type: 'string',
    value: 'TYPE',
    help: 'type of the KV cache: f16, or int8 with half the memory per token; default: f16',
  },
  context: {
    type: 'string',
    value: 'N',
    help: 'maximum tokens of a sequence; default: the most that the model allows',
  },
} satisfies Options;

export const serverOptionsHelp = {
  server: {
    type: 'string',
    value: 'URL',
    help: "a team's server; its token is taken from the environment variable HEARTH_SERVER_TOKEN",
  },
  'server-model': { type: 'string', value: 'NAME', help: "the model's name there; default: the server's first one" },
} satisfies Options;

/** The team's server; null if none was given. */
export function serverFrom(values: Values): ServerOptions | null {
  const url = text(values, 'server');
  const credential = process.env.HEARTH_SERVER_TOKEN ?? '';
  return url === undefined ? null : { url, model: text(values, 'server-model') ?? '', credential };
}

/** The value of an option that takes one of these names. */
function choice<Name extends string>(values: Values, option: string, names: readonly Name[]): Name | undefined {
  const value = text(values, option);
  const chosen = names.find((each) => each === value);
  if (chosen !== undefined || value === undefined) return chosen;
  throw new UsageError(`--${option} must be one of ${names.join(', ')}, not "${value}"`);
}

export const backendOf = (values: Values) =>
  choice(values, 'backend', ['auto', 'cpu', 'hip', 'cuda', 'webgpu', 'webgpu-if-faster']);

export function text(values: Values, name: string): string | undefined {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
}

export function count(values: Values, name: string): number | undefined {
  const value = text(values, name);
  return value === undefined ? undefined : toCount(value, `--${name}`, 1);
}

/** The values of an option that may be given several times; 0 is allowed. */
export function counts(values: Values, name: string, fallback: number[]): number[] {
  const value = values[name];
  return Array.isArray(value) ? value.map((item) => toCount(String(item), `--${name}`, 0)) : fallback;
}

function toCount(value: string, name: string, least: number): number {
  const number = Number(value);
  if (value !== '' && Number.isInteger(number) && number >= least) return number;
  throw new UsageError(`${name} must be a whole number of at least ${least}, not "${value}"`);
}

export function onlyOperand(operands: string[], name: string): string {
  const [operand, ...rest] = operands;
  if (operand === undefined || rest.length > 0) throw new UsageError(`expected one ${name}, not ${operands.length}`);
  return operand;
}

/** Nobody writes a longer text by hand. The limit also keeps readText() from filling the memory. */
const maxTextBytes = 64 * 2 ** 20;

export function readText(path: string): string {
  try {
    const stats = statSync(path);
    if (!stats.isFile()) throw new Error('it is not a file');
    if (stats.size > maxTextBytes) throw new Error(`it has more than ${maxTextBytes / 2 ** 20} MiB`);
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

export function modelPath(values: Values): string {
  return text(values, 'model') ?? bundledModelPath();
}

/** Which CPU kernels to use, and on how many threads. */
export function cpuOptions(values: Values): Pick<LoadOptions, 'threads' | 'variant'> {
  const threads = count(values, 'threads');
  const variant = text(values, 'variant');
  return { ...(threads !== undefined && { threads }), ...(variant !== undefined && { variant }) };
}

/** The adapters to load with a model. */
type Adapters = Pick<ModelOptions, 'adapters' | 'own'>;

/** The adapter that the options name. */
function namedAdapter(values: Values): Adapters {
  const adapter = text(values, 'adapter');
  return adapter === undefined ? {} : { adapters: [adapter] };
}

/** Loads the model that the options name. Also rejects if a GPU was asked for, but the model would run on the CPU. */
export async function loadFrom(values: Values, adapters: Adapters = namedAdapter(values)): Promise<Model> {
  const options: ModelOptions = { modelPath: modelPath(values), ...cpuOptions(values), ...adapters };
  const backend = backendOf(values);
  const gpu = text(values, 'gpu');
  const kvType = choice(values, 'kv-type', ['f16', 'int8']);
  const contextTokens = count(values, 'context');
  if (backend !== undefined) options.backend = backend;
  if (gpu !== undefined) options.gpu = gpu;
  if (kvType !== undefined) options.kvType = kvType;
  if (contextTokens !== undefined) options.contextTokens = contextTokens;
  const model = await loadModel(options);
  const asked = [
    gpu !== undefined && `--gpu ${gpu}`,
    /^(hip|cuda|webgpu)$/.test(backend ?? '') && `--backend ${backend}`,
  ];
  const { device, fallbackReason } = model.engine.info;
  const unmet = asked.find((each) => each !== false);
  if (unmet === undefined || device === 'gpu') return model;
  await model.engine.close();
  throw new Error(`${unmet} cannot be used: ${fallbackReason || 'the CPU was asked for, too'}`);
}

export async function withEngine(
  values: Values,
  use: (engine: Engine, traits: Traits) => Promise<void>,
): Promise<void> {
  const { engine, traits } = await loadFrom(values);
  try {
    await use(engine, traits);
  } finally {
    await engine.close();
  }
}

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
