// The commands that are more than a call of a feature.
import { expect, test, vi } from 'vitest';
import { commands } from 'vscode';
import { type Features, registerCommands } from '../../extension/commands.ts';

const editor = vi.hoisted(() => ({ chosen: undefined as { minutes: number } | undefined }));
vi.mock('vscode', async (original) => ({
  ...(await original<typeof import('../support/vscode.ts')>()),
  ConfigurationTarget: {},
  QuickPickItemKind: {},
  window: { showQuickPick: async () => editor.chosen },
  workspace: {},
}));

test.each<[how: string, given: unknown, chosen: number | undefined, snoozed: number[], hidden: number]>([
  ['a time that the user chooses', undefined, 15, [15], 1],
  ['no choice', undefined, undefined, [], 0],
  ['a time in a key binding', 30, undefined, [30], 1],
  ['the end of the snooze', 0, undefined, [0], 0],
])('a snooze hides what is shown: %s', async (_, given, chosen, snoozed, hidden) => {
  editor.chosen = chosen === undefined ? undefined : { minutes: chosen };
  const hide = vi.fn();
  commands.registerCommand('editor.action.inlineSuggest.hide', hide);
  const snooze = vi.fn();
  const registered = registerCommands({ modes: { snooze } } as unknown as Features);
  await commands.executeCommand('hearth.snooze', given);
  registered.dispose();
  expect(snooze.mock.calls.flat()).toEqual(snoozed);
  expect(hide).toHaveBeenCalledTimes(hidden);
});
