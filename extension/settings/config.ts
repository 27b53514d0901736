// Reads and writes the user's settings. They are not validated here: the server does that.
import { type ConfigurationScope, ConfigurationTarget, workspace } from 'vscode';
import { managedConfiguration } from '../../language-server/protocol/configuration.ts';
import type { Mode, NetworkSettings, Settings } from '../../language-server/protocol/messages.ts';
import { contributes } from '../../package.json';

export const section = 'hearth';

// The URI schemes of documents in which people write code. Output channels, diffs against git, Hearth's own documents,
// and settings.json, which may hold secrets, have other schemes. Remote files are "vscode-remote" if Hearth runs on the
// local machine.
const schemes = ['file', 'untitled', 'vscode-remote', 'vscode-vfs', 'vscode-notebook-cell'];
export const documentSelector = schemes.map((scheme) => ({ scheme }));
/** Input boxes for commit and chat messages. Nothing is suggested in them, and *Why No Suggestion?* says why. */
export const messageSelector = ['vscode-scm', 'chatSessionInput'].map((scheme) => ({ scheme }));

/**
 * The mode that an administrator has set. It is read only once: a change of the administrator's file affects new
 * windows.
 */
const managedMode = managedConfiguration().settings.mode;

export function readSettings(): Partial<Settings> {
  const config = workspace.getConfiguration(section);
  const keys = Object.keys(contributes.configuration.properties).map((key) => key.slice(section.length + 1));
  return { ...Object.fromEntries(keys.map((key) => [key, config.get(key)])), mode: modeFor() };
}

/** Whether the user, or an administrator, has set the address of a team's server. */
export function usesServer(): boolean {
  const url = workspace.getConfiguration(section).get('server.url');
  return Boolean(url || managedConfiguration().settings['server.url']);
}

/**
 * The user's settings for VS Code's network. VS Code applies them only to its own processes, so the extension sends
 * them to the server. A workspace's settings are ignored.
 */
export function networkSettings(): NetworkSettings {
  const config = workspace.getConfiguration('http');
  const userValue = <T>(key: string): T | undefined => config.inspect<T>(key)?.globalValue;
  const proxy = userValue<string>('proxy');
  const noProxy = userValue<string>('proxySupport') === 'off' ? ['*'] : userValue<string[]>('noProxy');
  const strictTls = userValue<boolean>('proxyStrictSSL') ?? true;
  return { ...(proxy && { proxy }), ...(noProxy && { noProxy }), strictTls };
}

/** Changes a user setting. If the new value is the default, removes the setting. */
export async function updateSetting<K extends keyof Settings>(key: K, value: Settings[K]): Promise<void> {
  const config = workspace.getConfiguration(section);
  const isDefault = value === config.inspect(key)?.defaultValue;
  await config.update(key, isDefault ? undefined : value, ConfigurationTarget.Global);
}

/**
 * The mode in general or, with a scope, that of a document or a language: the strictest mode of the user, the
 * administrator and the workspace. In VS Code, a workspace's mode would override the user's, but a workspace may come
 * from anybody.
 */
export function modeFor(scope?: ConfigurationScope): Mode {
  const found = workspace.getConfiguration(section, scope).inspect<Mode>('mode');
  const userMode =
    found?.globalLanguageValue ??
    found?.defaultLanguageValue ??
    found?.globalValue ??
    found?.defaultValue ??
    'automatic';
  const workspaceMode =
    found?.workspaceFolderLanguageValue ??
    found?.workspaceLanguageValue ??
    found?.workspaceFolderValue ??
    found?.workspaceValue;
  const all = [userMode, workspaceMode, managedMode];
  return (['off', 'manual'] as const).find((mode) => all.includes(mode)) ?? userMode;
}
