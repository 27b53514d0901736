// Settings as an editor sends them: written by hand, and not every editor knows which values there are. One that is none
// counts as not set, and the log says so.
import { defaultSettings, type Settings } from './protocol.ts';

interface Kind {
  has(value: unknown): boolean;
  /** For people: "must be ...". */
  name: string;
}

const flag: Kind = { has: (value) => typeof value === 'boolean', name: 'true or false' };
const text: Kind = { has: (value) => typeof value === 'string', name: 'a text' };
const texts: Kind = {
  has: (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
  name: 'a list of texts',
};
const oneOf = (...names: string[]): Kind => ({
  has: (value) => typeof value === 'string' && names.includes(value),
  name: `one of ${names.join(', ')}`,
});
const count = (least: number, most = Number.MAX_SAFE_INTEGER): Kind => ({
  has: (value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
  name: most < Number.MAX_SAFE_INTEGER ? `a whole number from ${least} to ${most}` : `a whole number from ${least} on`,
});

/** As package.json has them: a test compares. */
export const settingKinds: Record<keyof Settings, Kind> = {
  enabled: flag,
  disabledLanguages: texts,
  'model.path': text,
  'draftModel.path': text,
  backend: oneOf('auto', 'cpu', 'hip'),
  'engine.threads': count(0, 256),
  'cache.memoryMiB': count(0),
  'cache.type': oneOf('f16', 'int8'),
  'cache.diskMiB': count(0),
  'completion.maxTokens': count(1, 1024),
  'completion.multiline': oneOf('auto', 'always', 'never'),
};

/** The default stands for what is missing and, with a warning, for what is no value. */
export function usableSettings(given: Partial<Settings> | undefined, warn: (message: string) => void): Settings {
  const settings: Settings = { ...defaultSettings };
  for (const key of Object.keys(settingKinds) as (keyof Settings)[]) {
    const value = given?.[key];
    if (value === undefined) continue;
    const { has, name } = settingKinds[key];
    if (has(value)) Object.assign(settings, { [key]: value });
    else
      warn(
        `hearth.${key} must be ${name}, not ${JSON.stringify(value)}: ${JSON.stringify(defaultSettings[key])} is used`,
      );
  }
  return settings;
}
