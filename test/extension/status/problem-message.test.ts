// The message about a problem: it is shown once per problem, has a button that fixes the problem, and has no links.
import { beforeEach, expect, test, vi } from 'vitest';
import type { Client } from '../../../extension/connection/client.ts';
import { showProblems } from '../../../extension/status/problem-message.ts';
import type { ServerStatus } from '../../../language-server/protocol/messages.ts';

const editor = vi.hoisted(() => ({ messages: [] as string[], run: [] as string[] }));

vi.mock('vscode', async (original) => ({
  ...(await original<typeof import('../../support/vscode.ts')>()),
  commands: { executeCommand: async (id: string) => void editor.run.push(id) },
  window: {
    /** The user clicks the first action. */
    showErrorMessage: async (message: string, ...actions: unknown[]) => {
      editor.messages.push(message);
      return actions[0];
    },
  },
}));

beforeEach(() => Object.assign(editor, { messages: [], run: [] }));

async function after(...statuses: ServerStatus[]): Promise<void> {
  let tell: (status: ServerStatus) => unknown = () => undefined;
  const onStatus = (listener: typeof tell) => {
    tell = listener;
    return { dispose: () => undefined };
  };
  showProblems({ onStatus } as unknown as Client);
  for (const status of statuses) await tell(status);
}

const missing: ServerStatus = { health: 'error', problem: 'model', message: 'No such file.' };

test('a problem is reported once until it is over, with a button that fixes it', async () => {
  await after(missing, { health: 'starting' }, missing);
  expect(editor).toEqual({ messages: ['Hearth: No such file.'], run: ['hearth.selectModel'] });
  await after(missing, { health: 'ready' }, missing);
  expect(editor.messages).toHaveLength(3);
});

/** Text that VS Code would turn into a link in a message. */
const link = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/i;

test.each(['[here](command:workbench.action.terminal.new)', '[[a](https://evil.example)](file:///x)'])(
  'a model cannot put a link into the message: %s',
  async (words) => {
    await after({ ...missing, message: `it is a model of architecture "${words}"` });
    expect(editor.messages).toHaveLength(1);
    expect(editor.messages[0]).not.toMatch(link);
  },
);
