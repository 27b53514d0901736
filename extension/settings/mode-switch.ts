// Turns suggestions off, for one language or for all, and later back on as they were. What "off" replaced is remembered.
import { ConfigurationTarget, type Memento, type Uri, workspace } from 'vscode';
import type { Mode } from '../../language-server/protocol/messages.ts';
import { modeFor, section } from './config.ts';

/** What is turned off or on. */
export interface Where {
  /** '' for all languages. */
  languageId: string;
  /** A document of that language, since its workspace folder may have a mode of its own. */
  uri?: Uri | undefined;
}

/** Values of hearth.mode in the user's settings, by language; '' is the mode of all. */
type Modes = Record<string, Mode>;

const { Global: user, Workspace: ofWorkspace, WorkspaceFolder: ofFolder } = ConfigurationTarget;
const targets = [user, ofWorkspace, ofFolder];
const everywhere: Where = { languageId: '' };
const memoryKey = 'modesBeforeOff';

/** memory: survives a reload of the window. */
export function toggleMode(memory: Memento, where = everywhere): Promise<void> {
  return isOffAt(where) ? turnOn(memory, where) : turnOff(memory, where.languageId);
}

/** A language with a mode of its own would stay on, so turning off all removes these modes as well. */
async function turnOff(memory: Memento, languageId: string): Promise<void> {
  const languageIds = languageId === '' ? ['', ...(inspected(everywhere)?.languageIds ?? [])] : [languageId];
  const replaced: Modes = {};
  for (const each of languageIds) {
    const mode = written(user, { languageId: each });
    if (mode !== undefined && mode !== 'off') replaced[each] = mode;
  }
  await remember(memory, languageId, replaced);
  for (const each of Object.keys(replaced)) await write(user, { languageId: each }, undefined);
  await write(user, { languageId }, 'off');
}

async function turnOn(memory: Memento, where: Where): Promise<void> {
  const { languageId, uri } = where;
  for (const target of targets) if (written(target, where) === 'off') await write(target, where, undefined);
  for (const [each, mode] of Object.entries(remembered(memory)[languageId] ?? {}))
    await write(user, { languageId: each }, mode);
  await remember(memory, languageId, {});
  // The language is off because all of them are.
  for (const target of targets)
    if (isOffAt(where) && written(target, { languageId: '', uri }) === 'off') await write(target, where, 'automatic');
}

const scopeOf = ({ languageId, uri }: Where) => (languageId === '' ? uri : { languageId, ...(uri && { uri }) });
const isOffAt = (where: Where) => modeFor(scopeOf(where)) === 'off';
const configAt = (where: Where) => workspace.getConfiguration(section, scopeOf(where));
const inspected = (where: Where) => configAt(where).inspect<Mode>('mode');

function written(target: ConfigurationTarget, where: Where): Mode | undefined {
  const found = inspected(where);
  const [general, ofLanguage] =
    target === user
      ? [found?.globalValue, found?.globalLanguageValue]
      : target === ofWorkspace
        ? [found?.workspaceValue, found?.workspaceLanguageValue]
        : [found?.workspaceFolderValue, found?.workspaceFolderLanguageValue];
  return where.languageId === '' ? general : ofLanguage;
}

async function write(target: ConfigurationTarget, where: Where, mode: Mode | undefined): Promise<void> {
  await configAt(where).update('mode', mode, target, where.languageId !== '');
}

function remembered(memory: Memento): Record<string, Modes> {
  return memory.get(memoryKey, {});
}

async function remember(memory: Memento, languageId: string, modes: Modes): Promise<void> {
  await memory.update(memoryKey, { ...remembered(memory), [languageId]: modes });
}
