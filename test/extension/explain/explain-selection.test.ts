// The command explains every selection on the same page, even while another explanation is written there.
import { expect, test, vi } from 'vitest';
import type { Client } from '../../../extension/connection/client.ts';
import type { PageState } from '../../../extension/explain/explain-page.ts';
import { ExplainSelection } from '../../../extension/explain/explain-selection.ts';
import type { ExplainParams } from '../../../language-server/protocol/messages.ts';

const editor = vi.hoisted(() => ({ shown: [] as PageState[], selected: '', pages: 0 }));

vi.mock('vscode', async (original) => {
  const nothing = { dispose: () => undefined };
  const panel = {
    reveal: () => undefined,
    onDidDispose: () => nothing,
    webview: {
      html: '',
      onDidReceiveMessage: () => nothing,
      postMessage: (state: PageState) => void editor.shown.push(state),
    },
  };
  return {
    ...(await original<typeof import('../../support/vscode.ts')>()),
    CancellationTokenSource: class {
      readonly cancel = () => undefined;
      readonly dispose = () => undefined;
    },
    ViewColumn: {},
    window: {
      get activeTextEditor() {
        const uri = { fsPath: '/a.py', with: () => uri };
        const place = { line: 0, character: 0 };
        const text = editor.selected;
        return { document: { uri, getText: () => text }, selection: { start: place, end: place, isEmpty: false } };
      },
      createWebviewPanel: () => {
        editor.pages++;
        return panel;
      },
    },
    workspace: { notebookDocuments: [], asRelativePath: () => 'a.py' },
  };
});

test('a second selection is explained on the same page, without a pause between the answers', async () => {
  const asked: string[] = [];
  const client = {
    status: {},
    onExplainChunk: () => ({ dispose: () => undefined }),
    request: (_: unknown, { text }: ExplainParams) => {
      asked.push(text);
      return new Promise(() => undefined);
    },
  } as unknown as Client;
  const explain = new ExplainSelection(client);
  for (const selected of ['a + b', 'c + d']) {
    editor.selected = selected;
    void explain.run();
    editor.selected = 'selected later';
    await expect.poll(() => asked.at(-1)).toBe(selected);
  }
  expect(asked).toEqual(['a + b', 'c + d']);
  expect(editor.pages).toBe(1);
  expect(editor.shown.length).toBeGreaterThan(1);
  expect(editor.shown.filter(({ actions }) => actions.join() !== 'stop')).toEqual([]);
});

test.each([
  ['a small model', { fileBytes: 1e9, device: 'cpu' }, true],
  ['a large model', { fileBytes: 5e9, device: 'cpu' }, false],
  ["a team's server, whose model does not explain", { fileBytes: 0, device: 'server' }, false],
])('the page says whether %s makes many mistakes', async (_, model, isSaid) => {
  const client = { status: { model }, onExplainChunk: () => undefined, request: () => new Promise(() => undefined) };
  editor.shown.length = 0;
  void new ExplainSelection(client as unknown as Client).run();
  await expect.poll(() => editor.shown.length).toBeGreaterThan(0);
  expect(editor.shown.at(-1)?.hint.includes('makes mistakes')).toBe(isSaid);
});
