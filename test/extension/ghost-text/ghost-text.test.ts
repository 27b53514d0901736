// Whether a suggestion is shown at the cursor. Esc and next edits depend on it.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  type CancellationToken,
  commands,
  type InlineCompletionContext,
  type Position,
  type TextDocument,
} from 'vscode';
import type { Client } from '../../../extension/connection/client.ts';
import { GhostText } from '../../../extension/ghost-text/ghost-text.ts';
import type { DocumentModes } from '../../../extension/settings/document-mode.ts';
import type { LeaveParams } from '../../../language-server/protocol/messages.ts';

const never = vi.hoisted(() => () => ({ dispose: () => undefined }));
vi.mock('vscode', async (original) => ({
  ...(await original<typeof import('../../support/vscode.ts')>()),
  InlineCompletionTriggerKind: { Invoke: 0, Automatic: 1 },
  languages: { registerInlineCompletionItemProvider: never },
  window: { onDidChangeActiveTextEditor: never, onDidChangeTextEditorSelection: never },
  workspace: {},
}));

const document = { uri: { toString: () => 'file:///a.ts' }, version: 7, languageId: 'typescript' };
const position = { line: 2, character: 3 } as Position;

const now = { mode: '', isChained: false, items: [] as object[], whileAsked: () => {} };
let modesChanged = async () => {};
let ghostText: GhostText;
const left: LeaveParams[] = [];
beforeEach(() => {
  Object.assign(document, { version: 7 });
  Object.assign(now, {
    mode: 'automatic',
    isChained: false,
    items: [{ insertText: 'return 1;' }],
    whileAsked: () => {},
  });
  left.length = 0;
  const server = {
    code2ProtocolConverter: { asInlineCompletionParams: () => ({}) },
    protocol2CodeConverter: { asInlineCompletionItem: (item: object) => ({ ...item }) },
    sendRequest: async () => {
      now.whileAsked();
      return { items: now.items };
    },
  };
  const client = {
    status: { health: 'ready' },
    running: async () => server,
    notify: (_: unknown, params: LeaveParams) => left.push(params),
    onGrown: never,
    onStatus: never,
  };
  ghostText = new GhostText(
    client as unknown as Client,
    {
      of: () => ({ mode: now.mode, reason: 'shown' }),
      onChange: (tell: typeof modesChanged) => {
        modesChanged = tell;
        return never();
      },
    } as unknown as DocumentModes,
    { insertionAt: () => null, isChained: () => now.isChained },
    () => undefined,
  );
});
afterEach(() => ghostText.dispose());

function request(token: Partial<CancellationToken> = {}) {
  return ghostText.provideInlineCompletionItems(
    document as unknown as TextDocument,
    position,
    { triggerKind: 1 } as InlineCompletionContext,
    {
      isCancellationRequested: false,
      onCancellationRequested: () => undefined,
      ...token,
    } as unknown as CancellationToken,
  );
}

test.each([
  ['the model has none', { items: [] }],
  ['suggestions are turned off', { mode: 'off' }],
  ['suggestions come only on request', { mode: 'manual' }],
  ['the user goes from edit to edit', { isChained: true }],
])('a suggestion is hidden if %s at the next key', async (_, change) => {
  await request();
  expect(ghostText.isOffering).toBe(true);
  Object.assign(now, change);
  expect(await request()).toEqual([]);
  expect(ghostText.isOffering).toBe(false);
});

test('a suggestion is hidden when suggestions are turned off, and stays when another setting changes', async () => {
  const hide = vi.fn();
  const hiding = commands.registerCommand('editor.action.inlineSuggest.hide', hide);
  await request();
  await modesChanged();
  expect([ghostText.isOffering, hide.mock.calls.length]).toEqual([true, 0]);
  now.mode = 'off';
  await modesChanged();
  expect([ghostText.isOffering, hide.mock.calls.length]).toEqual([false, 1]);
  expect(left).toEqual([{ uri: 'file:///a.ts' }]);
  hiding.dispose();
});

test('a superseded request leaves the suggestion as it is', async () => {
  await request();
  const cancelled = { isCancellationRequested: true, onCancellationRequested: (tell: () => void) => tell() };
  await request(cancelled as unknown as CancellationToken);
  expect(ghostText.isOffering).toBe(true);
});

test('Esc dismisses a suggestion with the document version that it was requested for', async () => {
  now.whileAsked = () => void Object.assign(document, { version: 8 });
  await request();
  await commands.executeCommand('hearth.dismiss');
  expect(left).toEqual([{ uri: 'file:///a.ts', dismissed: { version: 7, position: { line: 2, character: 3 } } }]);
});
