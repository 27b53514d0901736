// Settings as people write them in the configuration of an editor, or an administrator for all users.
import { readFileSync } from 'node:fs';
import { contributes } from '../../package.json';
import { sentence } from './log.ts';
import type { Settings } from './messages.ts';
import { settingKeys } from './settings.ts';
import { managedPath } from './system.ts';

export interface Configured {
  settings: Partial<Settings>;
  /** Messages for the user about what is not used. */
  problems: string[];
}

const section = 'hearth';
const known = new Set(Object.keys(contributes.configuration.properties));
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

/** What an administrator has set for all users, in all editors. Nobody else can write there. */
export function managedConfiguration(path = managedPath()): Configured {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isAbsent = code === 'ENOENT' || code === 'ENOTDIR';
    return { settings: {}, problems: isAbsent ? [] : [`${path} cannot be read (${code}).`] };
  }
  try {
    return configured(JSON.parse(text.replace(/^\ufeff/, ''))); // some editors on Windows begin a file with this mark
  } catch {
    return { settings: {}, problems: [`${path} is not valid JSON, so it has no effect.`] };
  }
}

/** The values in nested objects, with their whole names, which may also be written out. What is in "[markdown]" has another. */
function leaves(value: unknown, name: string): [name: string, value: unknown][] {
  if (value === null || value === undefined) return [];
  if (typeof value !== 'object' || Array.isArray(value)) return [[name, value]];
  const isWhole = (key: string) => name === section && (key === section || key.startsWith(`${section}.`));
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, isWhole(key) ? key : `${name}.${key}`));
}
