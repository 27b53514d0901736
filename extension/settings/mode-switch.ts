// Turns suggestions off, for one language or for all, and on again. It remembers the modes that "off" has replaced, and
// restores them.
import { ConfigurationTarget, type Memento, type Uri, workspace } from 'vscode';
import type { Mode } from '../../language-server/protocol/messages.ts';
import { modeFor, section } from './config.ts';

/** One language, or all languages. */
export interface Scope {
  /** '' for all languages. */
  languageId: string;
  /** A document in that language. If its workspace folder has a mode of its own, that mode is switched, too. */
  uri?: Uri | undefined;
}

/** The values of hearth.mode in the user's settings, by language. The key '' is for all languages. */
type Modes = Record<string, Mode>;

const { Global: userTarget, Workspace: workspaceTarget, WorkspaceFolder: folderTarget } = ConfigurationTarget;
const targets = [userTarget, workspaceTarget, folderTarget];
const everywhere: Scope = { languageId: '' };
const memoryKey = 'modesBeforeOff';

/** Turns suggestions off if they are on in the scope, otherwise on. memory: a store that survives a reload. */
export function toggleMode(memory: Memento, scope = everywhere): Promise<void> {
  return isOffIn(scope) ? turnOn(memory, scope) : turnOff(memory, scope.languageId);
}

/**
 * Turns one language off, or all languages if the id is ''. A language with a mode of its own would stay on, so such
 * modes are removed if all languages are turned off.
 */
async function turnOff(memory: Memento, languageId: string): Promise<void> {
  const languageIds = languageId === '' ? ['', ...(inspected(everywhere)?.languageIds ?? [])] : [languageId];
  const replaced: Modes = {};
  for (const id of languageIds) {
    const mode = writtenMode(userTarget, { languageId: id });
    if (mode !== undefined && mode !== 'off') replaced[id] = mode;
  }
  await remember(memory, languageId, replaced);
  for (const id of Object.keys(replaced)) await write(userTarget, { languageId: id }, undefined);
  await write(userTarget, { languageId }, 'off');
}

/** Turns suggestions on in the scope, and restores the modes that turning them off replaced. */
async function turnOn(memory: Memento, scope: Scope): Promise<void> {
  const { languageId, uri } = scope;
  for (const target of targets) if (writtenMode(target, scope) === 'off') await write(target, scope, undefined);
  for (const [id, mode] of Object.entries(remembered(memory)[languageId] ?? {}))
    await write(userTarget, { languageId: id }, mode);
  await remember(memory, languageId, {});
  // If the language is still off, the mode for all languages is 'off'. Only this language is turned on then.
  for (const target of targets)
    if (isOffIn(scope) && writtenMode(target, { languageId: '', uri }) === 'off')
      await write(target, scope, 'automatic');
}

const vsCodeScope = ({ languageId, uri }: Scope) => (languageId === '' ? uri : { languageId, ...(uri && { uri }) });
const isOffIn = (scope: Scope) => modeFor(vsCodeScope(scope)) === 'off';
const configFor = (scope: Scope) => workspace.getConfiguration(section, vsCodeScope(scope));
const inspected = (scope: Scope) => configFor(scope).inspect<Mode>('mode');

/** The mode in one settings file for exactly this scope; undefined if there is none. */
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
