// Reads and writes the user's settings. They are not validated here: the server does that.
import { type ConfigurationScope, ConfigurationTarget, workspace } from 'vscode';
import { managedConfiguration } from '../../language-server/protocol/configuration.ts';
import type { Mode, NetworkSettings, Settings } from '../../language-server/protocol/messages.ts';
import { contributes } from '../../package.json';

export const section = 'hearth';

// The URI schemes of documents in which people write code. Not output channels, diffs against git, our own documents or
// settings.json, which may hold secrets. Remote files are "vscode-remote" when Hearth runs on the local machine.
const schemes = ['file', 'untitled', 'vscode-remote', 'vscode-vfs', 'vscode-notebook-cell'];
export const documentSelector = schemes.map((scheme) => ({ scheme }));
/** Nothing is suggested there, but *Why No Suggestion?* says why. */
export const messageSelector = ['vscode-scm', 'chatSessionInput'].map((scheme) => ({ scheme }));

/** Read once: a change of the administrator's file takes effect in the next window. */
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

/** VS Code's settings for the network, which it does not apply to other processes. Never those of a workspace. */
export function networkSettings(): NetworkSettings {
  const config = workspace.getConfiguration('http');
  const ofUser = <T>(key: string): T | undefined => config.inspect<T>(key)?.globalValue;
  const proxy = ofUser<string>('proxy');
  const noProxy = ofUser<string>('proxySupport') === 'off' ? ['*'] : ofUser<string[]>('noProxy');
  return { ...(proxy && { proxy }), ...(noProxy && { noProxy }), strictTls: ofUser<boolean>('proxyStrictSSL') ?? true };
}

/** Changes a setting of the user. A default is not written: what was there is removed instead. */
export async function updateSetting<K extends keyof Settings>(key: K, value: Settings[K]): Promise<void> {
  const config = workspace.getConfiguration(section);
  const isDefault = value === config.inspect(key)?.defaultValue;
  await config.update(key, isDefault ? undefined : value, ConfigurationTarget.Global);
}

/**
 * The mode in general or, with a scope, for a document or a language. The strictest of three holds: the user's, an
 * administrator's, and that of the workspace, which may come from anybody, although VS Code would let it override the user's.
 */
export function modeFor(scope?: ConfigurationScope): Mode {
  const found = workspace.getConfiguration(section, scope).inspect<Mode>('mode');
  const user =
    found?.globalLanguageValue ??
    found?.defaultLanguageValue ??
    found?.globalValue ??
    found?.defaultValue ??
    'automatic';
  const ofWorkspace =
    found?.workspaceFolderLanguageValue ??
    found?.workspaceLanguageValue ??
    found?.workspaceFolderValue ??
    found?.workspaceValue;
  const all = [user, ofWorkspace, managedMode];
  return (['off', 'manual'] as const).find((mode) => all.includes(mode)) ?? user;
}
