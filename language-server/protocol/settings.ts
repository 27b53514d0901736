// Validates the settings that an editor sends: not every editor knows their schema in package.json. Their type is in
// messages.ts. The default replaces an invalid value, and the user is told.
import { contributes } from '../../package.json';
import { sentence } from './log.ts';
import type { Settings } from './messages.ts';

/** The part of JSON Schema that our settings use. */
interface Schema {
  type: string;
  default: unknown;
  enum?: string[];
  minimum?: number;
  maximum?: number;
}

const section = 'hearth.';
const schemas: Record<string, Schema> = contributes.configuration.properties;

/** The settings that the server uses. Other settings, such as `hearth.exclude`, concern only the extension. */
export const settingKeys = [
  'mode',
  'model.path',
  'model.adapter',
  'model.editAdapter',
  'explain.model',
  'backend',
  'gpu',
  'server.url',
  'server.model',
  'engine.threads',
  'engine.unloadAfterMinutes',
  'cache.memoryMiB',
  'cache.diskMiB',
  'completion.maxTokens',
  'completion.multiline',
  'completion.confidence',
  'nextEdit',
] as const satisfies (keyof Settings)[];

export const defaultSettings: Settings = checkedSettings({}).settings;

/** The settings, with defaults for missing and invalid values, and a message for the user about each invalid value. */
export function checkedSettings(given: Partial<Settings> = {}): { settings: Settings; problems: string[] } {
  const problems: string[] = [];
  const entries = settingKeys.map((key) => {
    const schema = schemas[section + key] as Schema;
    const value = given[key] ?? schema.default;
    if (isValid(value, schema)) return [key, value];
    const fallback = JSON.stringify(schema.default);
    problems.push(
      `${section}${key} must be ${requirement(schema)}, not ${sentence(JSON.stringify(value))}. The default ${fallback} is used.`,
    );
    return [key, schema.default];
  });
  return { settings: Object.fromEntries(entries), problems };
}

function isValid(value: unknown, { type, enum: names, minimum, maximum }: Schema): boolean {
  if (type === 'integer') {
    const { MAX_SAFE_INTEGER } = Number;
    const number = Number.isInteger(value) ? Number(value) : Number.NaN;
    return number >= (minimum ?? 0) && number <= (maximum ?? MAX_SAFE_INTEGER);
  }
  return typeof value === type && (names === undefined || names.includes(String(value)));
}

function requirement({ type, enum: names, minimum, maximum }: Schema): string {
  if (names) return `one of ${names.map((name) => JSON.stringify(name)).join(', ')}`;
  if (type === 'integer') {
    const range = maximum === undefined ? `of at least ${minimum ?? 0}` : `from ${minimum ?? 0} to ${maximum}`;
    return `a whole number ${range}`;
  }
  return type === 'string' ? 'a string' : 'true or false';
}
