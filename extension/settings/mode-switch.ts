// Turns suggestions off, for one language or for all, and later back on as they were. What "off" replaced is remembered.
import { ConfigurationTarget, type Memento, workspace } from 'vscode';
import type { Mode } from '../../language-server/protocol/messages.ts';
import { modeFor, section } from './config.ts';

/** Values of hearth.mode in the user's settings, by language; '' is the mode of all. */
type Modes = Record<string, Mode>;

const { Global: user, Workspace: ofWorkspace } = ConfigurationTarget;
const targets = [user, ofWorkspace];
const memoryKey = 'modesBeforeOff';

/** Resolves to whether suggestions are off now. memory: survives a reload of the window. */
export async function toggleMode(memory: Memento, languageId = ''): Promise<boolean> {
  const isOff = isOffFor(languageId);
  await (isOff ? turnOn(memory, languageId) : turnOff(memory, languageId));
  return !isOff;
}

/** A language with a mode of its own would stay on, so turning off all removes these modes as well. */
async function turnOff(memory: Memento, languageId: string): Promise<void> {
  const languageIds = languageId === '' ? ['', ...(inspected('')?.languageIds ?? [])] : [languageId];
  const replaced: Modes = {};
  for (const each of languageIds) {
    const mode = written(user, each);
    if (mode !== undefined && mode !== 'off') replaced[each] = mode;
  }
  await remember(memory, languageId, replaced);
  for (const each of Object.keys(replaced)) await write(user, each, undefined);
  await write(user, languageId, 'off');
}

async function turnOn(memory: Memento, languageId: string): Promise<void> {
  for (const target of targets) if (written(target, languageId) === 'off') await write(target, languageId, undefined);
  for (const [each, mode] of Object.entries(remembered(memory)[languageId] ?? {})) await write(user, each, mode);
  await remember(memory, languageId, {});
  // The language is off because all of them are.
  for (const target of targets)
    if (isOffFor(languageId) && written(target, '') === 'off') await write(target, languageId, 'automatic');
}

const scopeOf = (languageId: string) => (languageId === '' ? undefined : { languageId });
const isOffFor = (languageId: string) => modeFor(scopeOf(languageId)) === 'off';
const configFor = (languageId: string) => workspace.getConfiguration(section, scopeOf(languageId));
const inspected = (languageId: string) => configFor(languageId).inspect<Mode>('mode');

function written(target: ConfigurationTarget, languageId: string): Mode | undefined {
  const found = inspected(languageId);
  if (languageId === '') return target === user ? found?.globalValue : found?.workspaceValue;
  return target === user ? found?.globalLanguageValue : found?.workspaceLanguageValue;
}

async function write(target: ConfigurationTarget, languageId: string, mode: Mode | undefined): Promise<void> {
  await configFor(languageId).update('mode', mode, target, languageId !== '');
}

function remembered(memory: Memento): Record<string, Modes> {
  return memory.get(memoryKey, {});
}

async function remember(memory: Memento, languageId: string, modes: Modes): Promise<void> {
  await memory.update(memoryKey, { ...remembered(memory), [languageId]: modes });
}
