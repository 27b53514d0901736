// The user learns about recent requests, above all if the machine is too slow.
import { beforeEach, expect, test, vi } from 'vitest';
import type { Uri } from 'vscode';
import type { AnsweredRequest } from '../../../extension/ghost-text/ghost-text.ts';
import { VirtualDocuments } from '../../../extension/pages/virtual-documents.ts';
import { reasonText } from '../../../extension/status/reason-report.ts';
import { RecentRequests } from '../../../extension/status/recent-requests.ts';
import type { ServerStatus } from '../../../language-server/protocol/messages.ts';
import type { Reason } from '../../../language-server/protocol/reasons.ts';

const editor = vi.hoisted(() => ({
  item: { text: '', detail: '' },
  /** The active document. */
  document: {},
  messages: [] as string[],
  run: [] as string[],
}));

vi.mock('vscode', async (original) => ({
  ...(await original<typeof import('../../support/vscode.ts')>()),
  commands: { executeCommand: async (id: string) => void editor.run.push(id) },
  LanguageStatusSeverity: { Information: 'information', Error: 'error' },
  languages: { createLanguageStatusItem: () => editor.item },
  Uri: { from: ({ path }: { path: string }) => path },
  window: {
    activeTextEditor: { document: editor.document },
    showTextDocument: async () => undefined,
    showInformationMessage: async (message: string, ...actions: string[]) => {
      editor.messages.push(message);
      return actions[0];
    },
  },
  workspace: {
    registerTextDocumentContentProvider: () => ({ dispose: () => undefined }),
    asRelativePath: () => 'src/a.ts',
  },
}));

const model = { path: '/models/7b.gguf', device: 'cpu' };
const slow = { health: 'ready', model, decodeTokensPerSecond: 3 } as ServerStatus;

beforeEach(() => Object.assign(editor, { messages: [], run: [] }));

/** The state after this number of requests with these reasons, over and over. */
async function after(reasons: Reason[], status = slow, times = 20, document = editor.document) {
  const documents = new VirtualDocuments();
  const client = { status };
  const requests = new RecentRequests(client, documents);
  for (let i = 0; i < times; i++)
    requests.add({
      position: { line: i, character: 4 },
      document,
      time: new Date(),
      reason: reasons[i % reasons.length],
      latencyMs: 90,
    } as AnsweredRequest);
  await requests.show();
  const report = documents.provideTextDocumentContent('/Why No Suggestion.txt' as unknown as Uri);
  return { isTooSlow: requests.isTooSlow, report, requests, client };
}

test('a message says once that the model is too slow, with a button to choose a smaller one', async () => {
  const { isTooSlow, report } = await after(['superseded', 'cancelled'], slow, 60);
  expect(isTooSlow).toBe(true);
  expect(report).toMatch(/^This model is too slow for this computer/);
  expect(editor.messages).toEqual([expect.stringContaining('Choose a smaller model.')]);
  expect(editor.run).toEqual(['hearth.selectModel']);
});

test.each<[string, Reason[], ServerStatus, number]>([
  ['a fast typist on a fast machine', ['superseded'], { ...slow, decodeTokensPerSecond: 40 }, 20],
  ['a slow machine whose suggestions are waited for', ['superseded', 'shown'], slow, 20],
  ['a slow machine with few requests', ['superseded'], slow, 10],
  ["a team's server", ['superseded'], { ...slow, model: { ...model, device: 'server' } } as ServerStatus, 20],
  ['no model', ['superseded'], { health: 'loading' }, 20],
])('%s is not called too slow', async (_, reasons, status, times) => {
  const { isTooSlow, report } = await after(reasons, status, times);
  expect(isTooSlow).toBe(false);
  expect(report).not.toContain('too slow');
  expect(editor.messages).toEqual([]);
});

test('the language status names Hearth and says why there was a suggestion or none', async () => {
  await after(['unsure'], slow, 1, {});
  expect(editor.item).toMatchObject({
    name: 'Hearth',
    text: 'Hearth',
    detail: 'No suggestion has been asked for yet.',
  });
  await after(['unsure'], slow, 1);
  expect(editor.item).toMatchObject({
    detail: expect.stringMatching(/^The model was not sure enough\. Alt\+\\ asks anyway\./),
  });
  await after(['no-model'], slow, 1);
  expect(editor.item).toMatchObject({
    detail: expect.stringMatching(/^No model could be loaded\. /),
    severity: 'error',
  });
});

test('a new model is judged by its own requests', async () => {
  const { requests, client } = await after(['superseded'], slow, 20);
  expect(requests.isTooSlow).toBe(true);
  client.status = { health: 'ready', model: { ...model, path: '/smaller.gguf' } } as ServerStatus;
  expect(requests.isTooSlow).toBe(false);
});

test('the report has a line for each of the last twenty requests without a suggestion', async () => {
  const { report } = await after(['unsure'], slow, 25);
  const lines = report
    .split('\n')
    .filter((line) => /src\/a\.ts:\d+:5 +The model was not sure enough\. {2}\(90 ms\)$/.test(line));
  expect(lines).toHaveLength(20);
  const columns = new Set(lines.map((line) => line.indexOf('The model')));
  expect(columns.size).toBe(1); // lines 6 to 25
});

test('the report begins with the last reason and what to do; shown and superseded requests are only counted', async () => {
  const reasons: Reason[] = ['fragment', 'unsure', 'shown', 'typed-along', 'superseded', 'still-growing'];
  const { report } = await after(reasons, { ...slow, decodeTokensPerSecond: 90 }, 30);
  expect(report).toMatch(
    /^The last time: The model was not sure enough\. Alt\+\\ asks anyway\. To see more, .*\n\nRequests without a suggestion, newest first:\n\n/,
  );
  expect(report.match(/src\/a\.ts/g)).toHaveLength(10);
  expect(report).toMatch(
    /Requests that got a suggestion: 15\.\nRequests that ended because you typed or moved on: 5\.\n$/,
  );
});

test('the report says so if every request got a suggestion', async () => {
  const { report } = await after(['shown'], slow, 3);
  expect(report).toBe('No request was left without a suggestion.\n\nRequests that got a suggestion: 3.\n');
  expect((await after(['shown'], slow, 0)).report).toBe('No suggestion has been asked for yet.\n');
});

test.each<[Reason, RegExp]>([
  ['fragment', /Alt\+\\ asks anyway\.$/],
  ['manual', /Alt\+\\ asks for one\.$/],
  ['off', /The menu of the status bar turns them on again\.$/],
  ['failed', /another model, a restart, the log\.$/],
  ['excluded', /^This file matches a pattern of "hearth\.exclude"\.$/],
  ['shown', /^A suggestion was shown\.$/],
])('the report says what to do about "%s"', (reason, text) => {
  expect(reasonText(reason)).toMatch(text);
});

test('next edits have their own list, without those that the next key ended', async () => {
  const { requests } = await after(['unsure'], slow, 1);
  const request = { position: { line: 0, character: 4 }, document: {}, time: new Date(), latencyMs: 5 };
  for (const reason of ['superseded', 'edit-unsure'] as const)
    requests.addEdit({ ...request, reason } as AnsweredRequest);
  const documents = new VirtualDocuments();
  Object.assign(requests, { documents });
  await requests.show();
  const report = documents.provideTextDocumentContent('/Why No Suggestion.txt' as unknown as Uri);
  expect(report).toMatch(
    /^The last time: The model was not sure enough.*Next edits, newest first:.* but that is not likely/s,
  );
  expect(report).not.toContain('You typed or moved on');
});
