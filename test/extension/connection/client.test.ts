// Which settings the server is told, and when.
import { expect, test, vi } from 'vitest';
import type { ExtensionContext } from 'vscode';
import { Client } from '../../../extension/connection/client.ts';
import type { ConnectionHost, Link, Session } from '../../../extension/connection/connection.ts';

const files = await vi.hoisted(async () => new (await import('../../support/settings-files.ts')).SettingsFiles());

const editor = vi.hoisted(() => ({
  /** Call when a setting has changed. */
  changed: (_: { affectsConfiguration: () => boolean }) => {},
  parts: undefined as unknown,
  session: null as unknown,
  told: [] as unknown[],
}));

vi.mock('vscode', () => ({
  EventEmitter: class {
    readonly event = () => ({ dispose: () => {} });
    readonly fire = () => {};
  },
  l10n: { t: (text: string) => text },
  window: { createOutputChannel: () => ({ info: () => {}, warn: () => {} }) },
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
      sendNotification: async (_: string, settings: unknown) => void editor.told.push(settings),
    };
    constructor(
      readonly link: unknown,
      { settings }: { settings: unknown },
    ) {
      editor.told.push(settings);
    }
  },
}));

const context = {
  asAbsolutePath: (path: string) => path,
  globalStorageUri: { fsPath: '/storage' },
  extension: { packageJSON: { version: '1' } },
} as unknown as ExtensionContext;

function choose(model: string): Promise<void> {
  files.user = { 'hearth.model.path': model };
  editor.changed({ affectsConfiguration: () => true });
  return new Promise((resolve) => setImmediate(resolve));
}

test('a setting that the user changes while the server starts reaches it, and one that is equal is not sent again', async () => {
  new Client(context, true);
  const { prepare, onState } = editor.parts as ConnectionHost<Link, Session>;
  await choose('/models/first.gguf');
  const connect = await prepare({ avoidsGpu: false, isSafeMode: false } as never);
  await choose('/models/second.gguf');
  editor.session = connect({ pid: 1, isShared: true } as never);
  const path = () => editor.told.map((settings) => (settings as Record<string, unknown>)['model.path']);
  expect(path()).toEqual(['/models/first.gguf']);
  onState('up');
  await choose('/models/second.gguf');
  expect(path()).toEqual(['/models/first.gguf', '/models/second.gguf']);
  await choose('/models/third.gguf');
  expect(path()).toHaveLength(3);
});
