// The user's settings, as they are written: the server checks them.
import { ConfigurationTarget, workspace } from 'vscode';
import type { Settings } from '../language-server/protocol.ts';
import { contributes } from '../package.json';

export const section = 'hearth';

// Where code is written. Left out: output channels, diffs against git, our own documents, and settings.json, which
// may hold secrets. "vscode-remote" is what a remote file is called when Hearth runs on the near side.
const schemes = ['file', 'untitled', 'vscode-remote', 'vscode-vfs', 'vscode-notebook-cell'];
export const documentSelector = schemes.map((scheme) => ({ scheme }));

export function readSettings(): Partial<Settings> {
  const config = workspace.getConfiguration(section);
  const keys = Object.keys(contributes.configuration.properties).map((key) => key.slice(section.length + 1));
  return Object.fromEntries(keys.map((key) => [key, config.get(key)]));
}

/**
 * Writes where the value is already set, so that a workspace's own choice does not hide the new one; for one language
 * alone if it is named.
 */
export async function updateSetting<K extends keyof Settings>(
  key: K,
  value: Settings[K],
  languageId?: string,
): Promise<void> {
  const config = workspace.getConfiguration(section, languageId === undefined ? undefined : { languageId });
  const found = config.inspect(key);
  const isOfWorkspace =
    (languageId === undefined ? found?.workspaceValue : found?.workspaceLanguageValue) !== undefined;
  const target = isOfWorkspace ? ConfigurationTarget.Workspace : ConfigurationTarget.Global;
  await config.update(key, value, target, languageId !== undefined);
}
