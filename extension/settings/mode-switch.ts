// Turns suggestions off, for one language or for all, and on again. To restore the modes from before, it remembers the
// modes that "off" has replaced.
import { ConfigurationTarget, type Memento, type Uri, workspace } from 'vscode';
import type { Mode } from '../../language-server/protocol/messages.ts';
import { modeFor, section } from './config.ts';

/** Where the mode is switched: for one language or for all. */
export interface Scope {
  /** '' for all languages. */
  languageId: string;
  /** A document in that language: if its workspace folder has a mode of its own, that is switched, too. */
  uri?: Uri | undefined;
}

/** The values of hearth.mode in the user's settings, by language. The key '' is for all languages. */
type Modes = Record<string, Mode>;

const { Global: userTarget, Workspace: workspaceTarget, WorkspaceFolder: folderTarget } = ConfigurationTarget;
const targets = [userTarget, workspaceTarget, folderTarget];
const everywhere: Scope = { languageId: '' };
const memoryKey = 'modesBeforeOff';

/** Turns suggestions off if they are on in the scope, else on. memory: a store that survives a reload of the window. */
export function toggleMode(memory: Memento, scope = everywhere): Promise<void> {
  return isOffIn(scope) ? turnOn(memory, scope) : turnOff(memory, scope.languageId);
}

/**
 * Turns one language off, or all of them if the id is ''. A language that has its own mode would stay on, so turning
 * all of them off also removes those modes.
 */
async function turnOff(memory: Memento, languageId: string): Promise<void> {
  const languageIds = languageId === '' ? ['', ...(inspected(everywhere)?.languageIds ?? [])] : [languageId];
  const replaced: Modes = {};
  for (const each of languageIds) {
    const mode = writtenMode(userTarget, { languageId: each });
    if (mode !== undefined && mode !== 'off') replaced[each] = mode;
  }
  await remember(memory, languageId, replaced);
  for (const each of Object.keys(replaced)) await write(userTarget, { languageId: each }, undefined);
  await write(userTarget, { languageId }, 'off');
}

/** Turns suggestions on in the scope, and restores the modes that turning them off replaced. */
async function turnOn(memory: Memento, scope: Scope): Promise<void> {
  const { languageId, uri } = scope;
  for (const target of targets) if (writtenMode(target, scope) === 'off') await write(target, scope, undefined);
  for (const [each, mode] of Object.entries(remembered(memory)[languageId] ?? {}))
    await write(userTarget, { languageId: each }, mode);
  await remember(memory, languageId, {});
  // If the language is still off, the mode for all languages is 'off'. Then we turn on only this language.
  for (const target of targets)
    if (isOffIn(scope) && writtenMode(target, { languageId: '', uri }) === 'off')
      await write(target, scope, 'automatic');
}

const vsCodeScope = ({ languageId, uri }: Scope) => (languageId === '' ? uri : { languageId, ...(uri && { uri }) });
const isOffIn = (scope: Scope) => modeFor(vsCodeScope(scope)) === 'off';
const configFor = (scope: Scope) => workspace.getConfiguration(section, vsCodeScope(scope));
const inspected = (scope: Scope) => configFor(scope).inspect<Mode>('mode');

/** The mode that one settings file gives for exactly this scope; undefined if it gives none. */
function writtenMode(target: ConfigurationTarget, scope: Scope): Mode | undefined {
  const found = inspected(scope);
  const [general, forLanguage] =
    target === userTarget
      ? [found?.globalValue, found?.globalLanguageValue]
      : target === workspaceTarget
        ? [found?.workspaceValue, found?.workspaceLanguageValue]
        : [found?.workspaceFolderValue, found?.workspaceFolderLanguageValue];
  return scope.languageId === '' ? general : forLanguage;
}

async function write(target: ConfigurationTarget, scope: Scope, mode: Mode | undefined): Promise<void> {
  await configFor(scope).update('mode', mode, target, scope.languageId !== '');
}

function remembered(memory: Memento): Record<string, Modes> {
  return memory.get(memoryKey, {});
}

async function remember(memory: Memento, languageId: string, modes: Modes): Promise<void> {
  await memory.update(memoryKey, { ...remembered(memory), [languageId]: modes });
}
