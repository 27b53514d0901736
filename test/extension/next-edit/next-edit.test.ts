// Tab between one edit and the next.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { commands } from 'vscode';
import type { Client } from '../../../extension/connection/client.ts';
import type { GhostText } from '../../../extension/ghost-text/ghost-text.ts';
import type { EditView } from '../../../extension/next-edit/edit-view.ts';
import { insertedCommand } from '../../../extension/next-edit/insertion.ts';
import { NextEdits } from '../../../extension/next-edit/next-edit.ts';
import { EditOffer } from '../../../extension/next-edit/offered-edit.ts';
import type { DocumentModes } from '../../../extension/settings/document-mode.ts';
import type { NextEdit, NextEditAnswer } from '../../../language-server/protocol/next-edit-messages.ts';

const editor = await vi.hoisted(async () => {
  const { EventEmitter } = await import('../../support/vscode.ts');
  const at = (line: number, character: number) => ({ line, character });
  const uri = { scheme: 'file', toString: () => 'file:///a.ts' };
  const lineAt = () => ({ text: 'log(sum);' });
  const document = { uri, version: 1, languageId: 'typescript', lineAt, validatePosition: (place: unknown) => place };
  const selection = { active: at(2, 3), isEmpty: true };
  const active = { document, selection, selections: [selection], visibleRanges: [{ contains: () => true }] };
  return {
    active,
    at,
    changes: new EventEmitter<object>(),
    modeChanges: new EventEmitter<void>(),
    never: new EventEmitter<never>().event,
    taken: [] as string[],
  };
});

vi.mock('vscode', async (original) => ({
  ...(await original<typeof import('../../support/vscode.ts')>()),
  CancellationTokenSource: class {
    readonly token = { isCancellationRequested: false };
    readonly cancel = () => undefined;
  },
  InlineCompletionItem: class {},
  Position: class {
    constructor(
      readonly line: number,
      readonly character: number,
    ) {}
    readonly isEqual = ({ line, character }: { line: number; character: number }) =>
      line === this.line && character === this.character;
  },
  TextDocumentChangeReason: {},
  ThemeColor: class {},
  languages: {
    match: (selector: { scheme: string }[], { uri }: { uri: { scheme: string } }) =>
      selector.filter(({ scheme }) => scheme === uri.scheme).length,
    onDidChangeDiagnostics: editor.never,
  },
  window: {
    activeTextEditor: editor.active,
    onDidChangeTextEditorSelection: editor.never,
    onDidChangeActiveTextEditor: editor.never,
    onDidChangeVisibleTextEditors: editor.never,
    onDidChangeTextEditorVisibleRanges: editor.never,
  },
  workspace: {
    textDocuments: [editor.active.document],
    getConfiguration: () => ({ get: () => 'balanced' }),
    onDidChangeTextDocument: editor.changes.event,
    onDidSaveTextDocument: editor.never,
    onDidCloseTextDocument: editor.never,
  },
}));
vi.mock('../../../extension/next-edit/apply.ts', () => ({
  applyIn: async () => editor.taken.push('applied') > 0,
  goTo: async () => {
    editor.taken.push('gone to');
    return editor.active;
  },
}));

const { at } = editor;
const edit: NextEdit = {
  ...{ uri: 'file:///a.ts', version: 1, oldText: 'log(sum);', newText: 'log(total);', probability: 0.9 },
  range: { start: at(20, 0), end: at(20, 9) },
  changes: [{ range: { start: at(20, 4), end: at(20, 7) }, text: 'total' }],
};

let mode: string;
let offer: EditOffer;
let nextEdits: NextEdits;
let answer: (found: NextEdit | null) => Promise<void>;
beforeEach(() => {
  vi.useFakeTimers();
  editor.taken.length = 0;
  mode = 'automatic';
  offer = new EditOffer();
  const request = () =>
    new Promise<NextEditAnswer>((resolve) => {
      answer = async (found) => {
        resolve({ edit: found, reason: 'edit-offered', latencyMs: 1 });
        await vi.advanceTimersByTimeAsync(0);
      };
    });
  nextEdits = new NextEdits(
    { status: { health: 'ready' }, request } as unknown as Client,
    { of: () => ({ mode }), onChange: editor.modeChanges.event } as unknown as DocumentModes,
    { isOffering: false, onOffering: editor.never } as unknown as GhostText,
    offer,
    { show: () => undefined, dispose: () => undefined } as unknown as EditView,
    { asked: () => undefined, shown: () => undefined, applied: () => undefined },
  );
});
afterEach(() => {
  nextEdits.dispose();
  vi.useRealTimers();
});

const applied = () => commands.executeCommand(insertedCommand, 5);
const pressTab = () => commands.executeCommand('hearth.takeEdit', { key: 'tab' });

test('Tab waits for the next edit if its answer has not come yet', async () => {
  await applied();
  await pressTab();
  await answer(edit);
  expect(editor.taken).toEqual(['gone to']);
});

test('an edit that arrives after Tab has waited for a second is offered without moving the cursor', async () => {
  await applied();
  await pressTab();
  vi.advanceTimersByTime(1000);
  await answer(edit);
  expect(offer.shown?.edit).toBe(edit);
  expect(editor.taken).toEqual([]);
});

test('log output does not end the wait for the next edit, but a key does', async () => {
  await applied();
  const change = { range: { start: at(0, 0), end: at(0, 0) }, text: 'x' };
  const uri = { scheme: 'output', toString: () => 'output:log' };
  editor.changes.fire({ document: { uri }, contentChanges: [change] });
  expect(offer.isChained).toBe(true);
  editor.changes.fire({ document: editor.active.document, contentChanges: [change] });
  expect(offer.isChained).toBe(false);
});

test('an edit that only inserts text at the cursor becomes ghost text at once', async () => {
  const trigger = vi.fn();
  commands.registerCommand('editor.action.inlineSuggest.trigger', trigger);
  const cursor = editor.active.selection.active;
  const range = { start: cursor, end: cursor };
  await applied();
  await answer({ ...edit, range, oldText: '', newText: 'x', changes: [{ range, text: 'x' }] });
  expect(offer.state.kind).toBe('jumped');
  expect(trigger).toHaveBeenCalledTimes(1);
  // A jump would scroll back to the cursor if the user has scrolled away.
  expect(editor.taken).toEqual([]);
});

test('an edit that is shown as ghost text is hidden when automatic suggestions are turned off', async () => {
  const hide = vi.fn();
  commands.registerCommand('editor.action.inlineSuggest.hide', hide);
  const cursor = editor.active.selection.active;
  const range = { start: cursor, end: cursor };
  offer.set({ ...edit, range, changes: [{ range, text: 'x' }] }, { uri: edit.uri, line: 0 });
  offer.release();
  offer.jumped();
  editor.modeChanges.fire();
  expect(hide).not.toHaveBeenCalled();
  mode = 'manual';
  editor.modeChanges.fire();
  expect(offer.edit).toBe(null);
  expect(hide).toHaveBeenCalledTimes(1);
});
