// Turns suggestions off, for one language or for all, and later back on as they were. What "off" replaced is remembered.
import { ConfigurationTarget, type Memento, workspace } from 'vscode';
import type { Mode } from '../language-server/protocol/messages.ts';
import { section } from './config.ts';

/** A value of hearth.mode in a settings file: for one language or, without languageId, for all. */
interface Written {
  target: ConfigurationTarget;
  languageId?: string | undefined;
  mode: Mode | undefined;
}

const memoryKey = 'modesBeforeOff';

/** Resolves to whether suggestions are off now. memory: survives a reload of the window. */
export async function toggleMode(memory: Memento, languageId?: string): Promise<boolean> {
  const isOff = modeFor(languageId) === 'off';
  await (isOff ? turnOn(memory, languageId) : turnOff(memory, languageId));
  return !isOff;
}

/** A language with a mode of its own would stay on, so turning off all removes these modes as well. */
async function turnOff(memory: Memento, languageId: string | undefined): Promise<void> {
  const before = languageId === undefined ? allWritten() : writtenFor(languageId);
  const replaced = before.filter(({ mode }) => mode !== undefined && mode !== 'off');
  await remember(memory, languageId, replaced);
  for (const each of replaced) await write({ ...each, mode: undefined });
  await write({ target: ConfigurationTarget.Global, languageId, mode: 'off' });
}

async function turnOn(memory: Memento, languageId: string | undefined): Promise<void> {
  for (const each of writtenFor(languageId)) if (each.mode === 'off') await write({ ...each, mode: undefined });
  for (const each of remembered(memory)[languageId ?? ''] ?? []) await write(each);
  await remember(memory, languageId, []);
  // The language is off because all of them are.
  if (modeFor(languageId) === 'off') await write({ target: ConfigurationTarget.Global, languageId, mode: 'automatic' });
}

function modeFor(languageId: string | undefined): Mode {
  return configFor(languageId).get<Mode>('mode', 'automatic');
}

function allWritten(): Written[] {
  const languageIds = configFor(undefined).inspect('mode')?.languageIds ?? [];
  return [...writtenFor(undefined), ...languageIds.flatMap(writtenFor)];
}

function writtenFor(languageId: string | undefined): Written[] {
  const found = configFor(languageId).inspect<Mode>('mode');
  const isGeneral = languageId === undefined;
  return [
    {
      target: ConfigurationTarget.Global,
      languageId,
      mode: isGeneral ? found?.globalValue : found?.globalLanguageValue,
    },
    {
      target: ConfigurationTarget.Workspace,
      languageId,
      mode: isGeneral ? found?.workspaceValue : found?.workspaceLanguageValue,
    },
  ];
}

async function write({ target, languageId, mode }: Written): Promise<void> {
  await configFor(languageId).update('mode', mode, target, languageId !== undefined);
}

function configFor(languageId: string | undefined) {
  return workspace.getConfiguration(section, languageId === undefined ? undefined : { languageId });
}

function remembered(memory: Memento): Record<string, Written[]> {
  return memory.get(memoryKey, {});
}

async function remember(memory: Memento, languageId: string | undefined, modes: Written[]): Promise<void> {
  await memory.update(memoryKey, { ...remembered(memory), [languageId ?? '']: modes });
}
