// Clicks on the status bar item, in each of its states.
import { beforeEach, expect, test, vi } from 'vitest';
import { commands } from 'vscode';
import type { Client } from '../../../extension/connection/client.ts';
import { languageName } from '../../../extension/pages/language-name.ts';
import type { DocumentMode, DocumentModes } from '../../../extension/settings/document-mode.ts';
import { showMenu } from '../../../extension/status/menu.ts';
import type { RecentRequests } from '../../../extension/status/recent-requests.ts';
import { StatusBar } from '../../../extension/status/status-bar.ts';
import type { ServerStatus } from '../../../language-server/protocol/messages.ts';
import { contributes } from '../../../package.json';

interface Entry {
  label: string;
  command?: string;
  kind?: number;
}

const editor = vi.hoisted(() => ({
  item: { text: '', command: '', accessibilityInformation: { label: '' } },
  title: '',
  entries: [] as Entry[],
  opened: () => {},
}));

vi.mock('vscode', async (original) => {
  const item = Object.assign(editor.item, { show: () => undefined, dispose: () => undefined });
  return {
    ...(await original<typeof import('../../support/vscode.ts')>()),
    MarkdownString: class {},
    QuickPickItemKind: { Separator: -1 },
    StatusBarAlignment: { Right: 2 },
    ThemeColor: class {},
    workspace: {
      onDidOpenTextDocument: (listener: () => void) => {
        editor.opened = listener;
        return { dispose: () => undefined };
      },
    },
    window: {
      activeTextEditor: { document: { languageId: 'rust' } },
      createStatusBarItem: () => item,
      onDidChangeActiveTextEditor: () => ({ dispose: () => undefined }),
      /** The user chooses the first entry. */
      showQuickPick: async (entries: Entry[], { title }: { title: string }) => {
        Object.assign(editor, { entries, title });
        return entries[0];
      },
    },
  };
});

const snoozeEnd = new Date(2026, 2, 1, 14, 35);
const slow: ServerStatus = { health: 'ready', decodeTokensPerSecond: 3 };
const run: string[] = [];
const known = ['workbench.action.openSettings', ...contributes.commands.map(({ command }) => command)];

beforeEach(() => {
  run.length = 0;
  for (const id of known) commands.registerCommand(id, (...values) => run.push([id, ...values].join(' ')));
});

/**
 * Shows the state, clicks, and chooses the first entry of the menu. Returns the state's text and the entry's command.
 */
async function click(status: ServerStatus, reason: DocumentMode['reason'] = 'shown') {
  const client = { status, onStatus: () => ({ dispose: () => undefined }) } as unknown as Client;
  const modes = {
    of: () => ({ reason }),
    general: status.health === 'off' && reason === 'off' ? 'off' : 'automatic',
    snoozeEnd,
    onChange: () => ({ dispose: () => undefined }),
  } as unknown as DocumentModes;
  const requests = { isTooSlow: status === slow } as RecentRequests;
  const bar = new StatusBar(client, modes, requests);
  commands.registerCommand('hearth.showMenu', () => showMenu(client, modes, requests));
  await commands.executeCommand(editor.item.command);
  bar.dispose();
  expect(editor.title).toBe(editor.item.accessibilityInformation.label);
  return { says: editor.title.replace('Hearth, local completion: ', ''), run: run.join() };
}

test.each<[string, ServerStatus, string, DocumentMode['reason']?]>([
  ['starting', { health: 'starting' }, 'hearth.toggle'],
  ['loading the model, 42%', { health: 'loading', progress: 0.42 }, 'hearth.toggle'],
  ['ready', { health: 'ready' }, 'hearth.toggle'],
  ['the model is unloaded until you type again', { health: 'unloaded' }, 'hearth.toggle'],
  [
    `snoozed until ${snoozeEnd.toLocaleTimeString('en', { timeStyle: 'short' })}`,
    { health: 'ready' },
    'hearth.toggle',
    'snoozed',
  ],
  ['ready; suggestions only on request', { health: 'ready' }, 'hearth.toggle', 'manual'],
  ['this model is too slow for this computer', slow, 'hearth.selectModel'],
  ['turned off', { health: 'off' }, 'hearth.toggle', 'off'],
  ['turned off for Rust', { health: 'ready' }, 'hearth.toggle rust', 'off'],
  ['ready', { health: 'off' }, 'hearth.toggle', 'shown'],
  ['turned off for this file', { health: 'ready' }, 'workbench.action.openSettings hearth.exclude', 'excluded'],
  ['turned off for this file, which may hold secrets', { health: 'ready' }, 'hearth.toggle', 'secrets-file'],
  ['turned off for commit messages', { health: 'ready' }, 'hearth.toggle', 'message'],
  ['no such file', { health: 'error', problem: 'model', message: 'no such file' }, 'hearth.selectModel'],
  ['it hangs', { health: 'error', problem: 'engine', message: 'it hangs' }, 'hearth.restartServer'],
  ['it crashed', { health: 'error', problem: 'server', message: 'it crashed' }, 'hearth.restartServer'],
])('a click on "%s" opens a menu that begins with what helps', async (says, status, command, reason) => {
  expect(await click(status, reason)).toEqual({ says, run: command });
});

test.each<[string, ServerStatus, DocumentMode['reason'], string[]]>([
  ['on', { health: 'ready' }, 'shown', ['$(check) Suggestions', '$(check) Suggestions in Rust']],
  ['off', { health: 'off' }, 'off', ['$(blank) Suggestions', '$(blank) Suggestions in Rust']],
  ['off for Rust', { health: 'ready' }, 'off', ['$(blank) Suggestions in Rust', '$(check) Suggestions']],
])('when suggestions are %s, the menu has one row for each scope, with its state', async (_, status, reason, rows) => {
  await click(status, reason);
  const toggles = editor.entries.filter(({ command }) => command === 'hearth.toggle');
  expect(toggles.map(({ label }) => label)).toEqual(rows);
});

test('a language without a name is shown by its id', () => {
  expect(['rust', 'plaintext', 'kvasir'].map(languageName)).toEqual(['Rust', 'Plain Text', 'kvasir']);
});

test('every entry of the menu runs a command that exists', async () => {
  await click({ health: 'loading', progress: 0.1 });
  const ids = editor.entries.flatMap(({ command, kind }) => (kind === undefined ? [command] : []));
  expect(ids.length).toBeGreaterThan(8);
  expect(known).toEqual(expect.arrayContaining(ids));
});

test('with the starter model, the way to a better one is at the top of the menu', async () => {
  const { run: command } = await click({ health: 'ready', isStarter: true });
  expect(command).toBe('hearth.useRecommendedModel');
});

test('the status bar item changes with the language of the document', () => {
  const client = { status: { health: 'ready' }, onStatus: () => ({ dispose: () => undefined }) } as unknown as Client;
  let reason: DocumentMode['reason'] = 'shown';
  const modes = { of: () => ({ reason }), onChange: () => ({ dispose: () => undefined }) } as unknown as DocumentModes;
  const bar = new StatusBar(client, modes, { isTooSlow: false } as RecentRequests);
  expect(editor.item.text).toBe('$(flame) Hearth');
  reason = 'off';
  editor.opened();
  expect(editor.item.text).toBe('$(circle-slash) Hearth');
  bar.dispose();
});
