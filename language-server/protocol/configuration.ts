// Reads settings that people write: in an editor's configuration, or, as administrators, in a file for all users.
import { readFileSync, statSync } from 'node:fs';
import { type ParseError, parse } from 'jsonc-parser';
import { contributes } from '../../package.json';
import { sentence } from './log.ts';
import type { Mode, Settings } from './messages.ts';
import { settingKeys } from './settings.ts';
import { managedPath } from './system.ts';

export interface Configured {
  settings: Partial<Settings>;
  /** Messages for the user about ignored settings. */
  problems: string[];
}

const section = 'hearth';
const known = new Set(Object.keys(contributes.configuration.properties));
const modes = new Set<Mode>(['off', 'manual', 'automatic']);
/** At most this many unknown settings are reported. */
const maxProblems = 10;
const serverKeys = new Set<string>(settingKeys);
/** The settings that a folder may set: they concern neither the machine, nor other programs, nor what is stored. */
const harmless = new Set<string>([
  'mode',
  'completion.maxTokens',
  'completion.multiline',
  'completion.confidence',
] satisfies (keyof Settings)[]);

/**
 * value: the content of the section "hearth", with keys such as "server.url" or with nested objects such as "server".
 */
export function configured(value: unknown): Configured {
  const entries = leaves(value, section);
  const unknown = entries.filter(([name]) => !known.has(name));
  const settings = entries.map(([name, given]) => [name.slice(section.length + 1), given] as const);
  return {
    settings: Object.fromEntries(settings.filter(([key]) => serverKeys.has(key))),
    problems: unknown.slice(0, maxProblems).map(([name]) => `There is no setting "${sentence(name)}".`),
  };
}

/**
 * Like configured(), but takes only harmless settings: some editors read a part of their configuration from the open
 * folder, and anybody may have written that.
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
 * The settings of an administrator for all users and editors, in a file that nobody else can write. If the file exists
 * but cannot be read, it may forbid anything, so suggestions are off.
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

/** Whether there is no such file. This works without a free file handle. */
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

/**
 * The object in a JSON text, which may have comments and trailing commas; undefined if it is invalid or something else.
 */
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

/**
 * The text in UTF-8 or UTF-16. PowerShell writes UTF-16, with or without a byte order mark. JSON begins with an ASCII
 * character.
 */
function decoded(bytes: Buffer): string {
  const [first, second] = bytes;
  const isLittle = (first === 0xff && second === 0xfe) || second === 0;
  const isBig = (first === 0xfe && second === 0xff) || first === 0;
  const encoding = isLittle ? 'utf-16le' : isBig ? 'utf-16be' : 'utf-8';
  return new TextDecoder(encoding, { fatal: true }).decode(bytes); // removes the mark
}

/**
 * All values in nested objects, with their full names. A key at the top may be a full name already, such as
 * "hearth.mode".
 */
function leaves(value: unknown, name: string): [name: string, value: unknown][] {
  if (value === null || value === undefined) return [];
  if (typeof value !== 'object' || Array.isArray(value)) return [[name, value]];
  const isWhole = (key: string) => name === section && (key === section || key.startsWith(`${section}.`));
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, isWhole(key) ? key : `${name}.${key}`));
}
