// Settings as people write them in the configuration of an editor, or an administrator for all users.
import { readFileSync, statSync } from 'node:fs';
import { type ParseError, parse } from 'jsonc-parser';
import { contributes } from '../../package.json';
import { sentence } from './log.ts';
import type { Mode, Settings } from './messages.ts';
import { settingKeys } from './settings.ts';
import { managedPath } from './system.ts';

export interface Configured {
  settings: Partial<Settings>;
  /** Messages for the user about what is not used. */
  problems: string[];
}

const section = 'hearth';
const known = new Set(Object.keys(contributes.configuration.properties));
const modes = new Set<Mode>(['off', 'manual', 'automatic']);
/** Enough to see what is wrong. */
const maxProblems = 10;
const used = new Set<string>(settingKeys);
/** What says nothing of the machine, of other programs or of what is kept. */
const harmless = new Set<string>([
  'mode',
  'completion.maxTokens',
  'completion.multiline',
  'completion.confidence',
] satisfies (keyof Settings)[]);

/** value: the section "hearth", with names such as "server.url", or with an object for "server". */
export function configured(value: unknown): Configured {
  const entries = leaves(value, section);
  const unknown = entries.filter(([name]) => !known.has(name));
  const settings = entries.map(([name, given]) => [name.slice(section.length + 1), given] as const);
  return {
    settings: Object.fromEntries(settings.filter(([key]) => used.has(key))),
    problems: unknown.slice(0, maxProblems).map(([name]) => `There is no setting "${sentence(name)}".`),
  };
}

/**
 * The same with what says how code is completed and nothing else: some editors read a part of their configuration from
 * the folder that is open, which may be anybody's.
 */
export function configuredForFolder(value: unknown): Configured {
  const { settings, problems } = configured(value);
  const refused = Object.keys(settings).filter((key) => !harmless.has(key));
  return {
    settings: Object.fromEntries(Object.entries(settings).filter(([key]) => harmless.has(key))),
    problems: [
      ...problems,
      ...refused.map(
        (key) => `${section}.${key} is only taken from "initializationOptions", where no folder can set it.`,
      ),
    ],
  };
}

/**
 * What an administrator has set for all users, in all editors. Nobody else can write there. Where the file cannot be read,
 * nobody knows what it forbids, so suggestions are off.
 */
export function managedConfiguration(path = managedPath()): Configured {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    if (isAbsent(path)) return { settings: {}, problems: [] };
    return allOff(`${path} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  const value = jsonIn(bytes);
  if (value === undefined) return allOff(`${path} is not valid JSON`);
  const { settings, problems } = configured(value);
  const { mode } = settings;
  if (mode === undefined || modes.has(mode)) return { settings, problems };
  const off = allOff(`${path} sets "hearth.mode" to ${sentence(JSON.stringify(mode), [], 40)}, which is no mode`);
  return { settings: { ...settings, ...off.settings }, problems: [...problems, ...off.problems] };
}

/** Can be told without a free file handle. */
function isAbsent(path: string): boolean {
  try {
    statSync(path);
    return false;
  } catch (error) {
    return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
  }
}

function allOff(why: string): Configured {
  return { settings: { mode: 'off' }, problems: [`${why}, so suggestions are off. Its administrator can mend it.`] };
}

/** An object in JSON with comments and trailing commas; undefined if there is none. */
function jsonIn(bytes: Buffer): object | undefined {
  try {
    const errors: ParseError[] = [];
    const value: unknown = parse(decoded(bytes), errors, { allowTrailingComma: true });
    return errors.length === 0 && isObject(value) ? value : undefined;
  } catch {
    return undefined; // its characters are damaged
  }
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** PowerShell writes UTF-16, with a mark at the beginning or without. A JSON text begins with ASCII. */
function decoded(bytes: Buffer): string {
  const [first, second] = bytes;
  const isLittle = (first === 0xff && second === 0xfe) || second === 0;
  const isBig = (first === 0xfe && second === 0xff) || first === 0;
  const encoding = isLittle ? 'utf-16le' : isBig ? 'utf-16be' : 'utf-8';
  return new TextDecoder(encoding, { fatal: true }).decode(bytes); // without the mark
}

/** The values in nested objects, with their whole names, which may also be written out. What is in "[markdown]" has another. */
function leaves(value: unknown, name: string): [name: string, value: unknown][] {
  if (value === null || value === undefined) return [];
  if (typeof value !== 'object' || Array.isArray(value)) return [[name, value]];
  const isWhole = (key: string) => name === section && (key === section || key.startsWith(`${section}.`));
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, isWhole(key) ? key : `${name}.${key}`));
}
