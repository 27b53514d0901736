// The user's settings as the server's Settings. package.json holds the same keys and defaults: a test compares them.
import { ConfigurationTarget, type Disposable, workspace } from 'vscode';
import { defaultSettings, type Settings, settingsNotification } from '../language-server/protocol.ts';
import type { Client } from './client.ts';

const section = 'hearth';

export function readSettings(): Settings {
  return {
    enabled: read('enabled'),
    disabledLanguages: read('disabledLanguages'),
    'model.path': read('model.path'),
    'draftModel.path': read('draftModel.path'),
    backend: read('backend'),
    'engine.threads': read('engine.threads'),
    'cache.memoryMiB': read('cache.memoryMiB'),
    'cache.type': read('cache.type'),
    'cache.diskMiB': read('cache.diskMiB'),
    'completion.maxTokens': read('completion.maxTokens'),
    'completion.multiline': read('completion.multiline'),
  };
}

/** Writes where the value is already set, so that a workspace's own choice does not hide the new one. */
export async function updateSetting<K extends keyof Settings>(key: K, value: Settings[K]): Promise<void> {
  const config = workspace.getConfiguration(section);
  const isOfWorkspace = config.inspect(key)?.workspaceValue !== undefined;
  await config.update(key, value, isOfWorkspace ? ConfigurationTarget.Workspace : ConfigurationTarget.Global);
}

export function sendSettingsOnChange(client: Client): Disposable {
  return workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration(section)) void client.notify(settingsNotification, readSettings());
  });
}

// settings.json is written by hand: a value of the wrong type counts as not set.
function read<K extends keyof Settings>(key: K): Settings[K] {
  const fallback = defaultSettings[key];
  const value = workspace.getConfiguration(section).get<Settings[K]>(key, fallback);
  const isSameType = typeof value === typeof fallback && Array.isArray(value) === Array.isArray(fallback);
  return isSameType ? value : fallback;
}
