// A stub for VS Code's API for settings, with a user's, a workspace's and a folder's settings file. The folder's
// settings apply only to a scope with a URI. A file has a language's settings in an object under the language's id in
// brackets.
import { contributes } from '../../package.json';

type Values = Record<string, unknown>;
type Scope = { languageId?: string; uri?: unknown; scheme?: string } | undefined;

const defaults = Object.fromEntries(
  Object.entries(contributes.configuration.properties).map(([key, property]) => [key, property.default]),
);

export class SettingsFiles {
  user: Values = {};
  workspace: Values = {};
  folder: Values = {};

  readonly getConfiguration = (section?: string, scope?: Scope) => {
    const nameOf = (key: string) => (section === undefined ? key : `${section}.${key}`);
    const language = scope?.languageId === undefined ? undefined : `[${scope.languageId}]`;
    const folder = (scope?.uri ?? scope?.scheme) === undefined ? {} : this.folder; // a URI itself is a scope, too
    const inLanguage = (file: Values) => (language === undefined ? {} : ((file[language] ?? {}) as Values));
    return {
      get: (key: string, fallback?: unknown) => this.effective(nameOf(key), inLanguage, folder) ?? fallback,
      inspect: (key: string) => ({
        defaultValue: defaults[nameOf(key)],
        globalValue: this.user[nameOf(key)],
        workspaceValue: this.workspace[nameOf(key)],
        globalLanguageValue: inLanguage(this.user)[nameOf(key)],
        workspaceLanguageValue: inLanguage(this.workspace)[nameOf(key)],
        workspaceFolderValue: folder[nameOf(key)],
        workspaceFolderLanguageValue: inLanguage(folder)[nameOf(key)],
        languageIds: [this.user, this.workspace, folder].flatMap(languagesIn),
      }),
      update: async (key: string, value: unknown, target: number, isForLanguage = false) => {
        const file = [this.user, this.workspace, folder][target - 1] as Values;
        const values = isForLanguage ? { ...inLanguage(file) } : file;
        if (value === undefined) delete values[nameOf(key)];
        else values[nameOf(key)] = value;
        if (isForLanguage && language !== undefined) setOrDelete(file, language, values);
      },
    };
  };

  clear(): void {
    this.user = {};
    this.workspace = {};
    this.folder = {};
  }

  /** The value that holds. As in VS Code, the workspace overrides the user, and objects are merged. */
  private effective(name: string, inLanguage: (file: Values) => Values, folder: Values): unknown {
    const files = [this.user, this.workspace, folder];
    const layers = [defaults, ...files, ...files.map(inLanguage)];
    const values = layers.map((layer) => layer[name]).filter((value) => value !== undefined);
    const last = values.at(-1);
    return isObject(last) ? Object.assign({}, ...values) : last;
  }
}

function languagesIn(file: Values): string[] {
  return Object.keys(file).flatMap((key) => /^\[(.+)\]$/.exec(key)?.[1] ?? []);
}

function setOrDelete(file: Values, key: string, values: Values): void {
  if (Object.keys(values).length === 0) delete file[key];
  else file[key] = values;
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
