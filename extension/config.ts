// Reads and writes the user's settings. They are not validated here: the server does that.
import { ConfigurationTarget, workspace } from 'vscode';
import type { Settings } from '../language-server/protocol/messages.ts';
import { contributes } from '../package.json';

export const section = 'hearth';

// The URI schemes of documents in which people write code. Not output channels, diffs against git, our own documents or
// settings.json, which may hold secrets. Remote files are "vscode-remote" when Hearth runs on the local machine.
const schemes = ['file', 'untitled', 'vscode-remote', 'vscode-vfs', 'vscode-notebook-cell'];
export const documentSelector = schemes.map((scheme) => ({ scheme }));

export function readSettings(): Partial<Settings> {
  const config = workspace.getConfiguration(section);
  const keys = Object.keys(contributes.configuration.properties).map((key) => key.slice(section.length + 1));
  return Object.fromEntries(keys.map((key) => [key, config.get(key)]));
}

/** Changes the workspace setting if there is one, since it would override the user setting, and the user setting otherwise. */
export async function updateSetting<K extends keyof Settings>(key: K, value: Settings[K]): Promise<void> {
  const config = workspace.getConfiguration(section);
  const isOfWorkspace = config.inspect(key)?.workspaceValue !== undefined;
  await config.update(key, value, isOfWorkspace ? ConfigurationTarget.Workspace : ConfigurationTarget.Global);
}
