// The settings that the server gets, and when it gets them. Also: requests that the server does not answer.
import { beforeEach, expect, test, vi } from 'vitest';
import type { ExtensionContext } from 'vscode';
import { ErrorCodes, ResponseError } from 'vscode-languageserver-protocol';
import { Client } from '../../../extension/connection/client.ts';
import type { ConnectionHost, Link, Session } from '../../../extension/connection/connection.ts';
import { doctorRequest } from '../../../language-server/protocol/messages.ts';

const files = await vi.hoisted(async () => new (await import('../../support/settings-files.ts')).SettingsFiles());

const editor = vi.hoisted(() => ({
  /** Tells the client that a setting has changed. */
  changed: (_: { affectsConfiguration: () => boolean }) => {},
  parts: undefined as unknown,
  session: null as unknown,
  told: [] as Record<string, unknown>[],
  request: async (): Promise<unknown> => 'an answer',
  token: async () => 'secret',
}));

vi.mock('vscode', async (original) => ({
  ...(await original<typeof import('../../support/vscode.ts')>()),
  window: { createOutputChannel: () => ({ info: () => {}, warn: () => {}, error: () => {} }) },
  workspace: {
    getConfiguration: files.getConfiguration,
    onDidChangeConfiguration: (listener: typeof editor.changed) => {
      editor.changed = listener;
      return { dispose: () => {} };
    },
  },
}));
vi.mock('../../../extension/workspace/related-code.ts', () => ({ RelatedCode: class {} }));
vi.mock('../../../extension/workspace/workspace-files.ts', () => ({
  WorkspaceFiles: class {
    readonly connected = async () => {};
  },
}));
vi.mock('../../../extension/connection/connection.ts', () => ({
  Connection: class {
    constructor(parts: unknown) {
      editor.parts = parts;
    }
    get session() {
      return editor.session;
    }
  },
}));
vi.mock('../../../extension/connection/language-client.ts', () => ({
  ClientSession: class {
    readonly client = {
      isRunning: () => true,
      onNotification: () => {},
      onRequest: () => {},
      sendNotification: async (_: string, settings: Record<string, unknown>) => void editor.told.push(settings),
      sendRequest: () => editor.request(),
    };
    constructor(
      readonly link: unknown,
      { settings }: { settings: Record<string, unknown> },
    ) {
      editor.told.push(settings);
    }
  },
}));

const context = {
  asAbsolutePath: (path: string) => path,
  globalStorageUri: { fsPath: '/storage' },
  extension: { packageJSON: { version: '1' } },
  secrets: { get: () => editor.token() },
} as unknown as ExtensionContext;

let client: Client;
beforeEach(() => {
  files.clear();
  editor.told.length = 0;
  editor.session = null;
  client = new Client(context, true);
});

function change(settings: object): Promise<void> {
  files.user = { ...settings };
  editor.changed({ affectsConfiguration: () => true });
  return new Promise((resolve) => setImmediate(resolve));
}

const choose = (model: string) => change({ 'hearth.model.path': model });
const connecting = () => host().prepare({ avoidsGpu: false, isSafeMode: false } as never);
const host = () => editor.parts as ConnectionHost<Link, Session>;

async function connect(): Promise<void> {
  editor.session = (await connecting())({ pid: 1, isShared: true } as never);
  host().onState('up');
}

test('a setting changed while the server starts is sent, and unchanged ones are not sent again', async () => {
  await choose('/models/first.gguf');
  const session = await connecting();
  await choose('/models/second.gguf');
  editor.session = session({ pid: 1, isShared: true } as never);
  const path = () => editor.told.map((settings) => settings['model.path']);
  expect(path()).toEqual(['/models/first.gguf']);
  host().onState('up');
  await choose('/models/second.gguf');
  expect(path()).toEqual(['/models/first.gguf', '/models/second.gguf']);
  await choose('/models/third.gguf');
  expect(path()).toHaveLength(3);
});

test("a team's server that the user has just removed stays removed, however long the keychain takes", async () => {
  await connect();
  let opens = (_: string) => {};
  const keychain = new Promise<string>((resolve) => {
    opens = resolve;
  });
  editor.token = () => keychain;
  await change({ 'hearth.server.url': 'https://llm.example.com' });
  await change({});
  opens('secret');
  await change({});
  expect(editor.told.map((settings) => settings['server.url'])).toEqual(['']);
});

test('while the server ends and another one starts, the status is not "ready"', async () => {
  await connect();
  client.status = { health: 'ready' };
  host().onState('ending');
  expect(client.status).toEqual({ health: 'starting' });
});

test('code is completed even if the keychain fails', async () => {
  editor.token = () => Promise.reject(new Error('it is locked'));
  files.user = { 'hearth.server.url': 'https://llm.example.com' };
  await connect();
  expect(editor.told).toMatchObject([{ 'server.url': 'https://llm.example.com', serverToken: '' }]);
});

test('if the server ends before it answers, a plain sentence tells the user', async () => {
  await connect();
  const ask = () => client.request(doctorRequest, {});
  expect(await ask()).toBe('an answer');
  editor.request = () =>
    Promise.reject(new ResponseError(ErrorCodes.PendingResponseRejected, 'Pending response rejected'));
  await expect(ask()).rejects.toThrow('The Hearth server has ended. Try again.');
  editor.request = () => Promise.reject(new ResponseError(ErrorCodes.InternalError, 'This code is too long.'));
  await expect(ask()).rejects.toThrow('This code is too long.');
});
