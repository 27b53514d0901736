// The place where the cursor probably rests if the editor does not say so: that of its last request, unless the
// document has changed. Also: the lines of the log about requests.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { OpenDocument } from '../../../language-server/documents/open-document.ts';
import { defaultSettings } from '../../../language-server/protocol/settings.ts';
import { CompletionRequests } from '../../../language-server/server/completion-requests.ts';
import { FakeEngine } from '../../fixtures/fake-engine.ts';
import { automatic } from '../asking.ts';
import { FakeWindow, uriOf } from '../editor-window.ts';

const uri = 'file:///code/a.ts';
const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };

beforeEach(() => {
  vi.clearAllMocks();
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function setUp(hasOwnProvider = false) {
  const engine = new FakeEngine({ respond: () => '' });
  const models = { local: engine };
  const document = OpenDocument.create(uri, 'typescript', 1, 'const a = 1;\nconst b = \n');
  const requests = new CompletionRequests(
    { sendNotification: async () => {} },
    {
      engines: { ready: async () => models, models, host: { engine }, answered: () => {} } as never,
      documents: { get: (wanted) => (wanted === uri ? document : undefined) },
      settings: () => defaultSettings,
      caughtUp: async () => {},
      log,
    },
  );
  requests.initialize(new FakeWindow({ files: {} }), { hasOwnProvider });
  const ask = async (signal = new AbortController().signal) => {
    const position = { line: 1, character: 10 };
    const params = { textDocument: { uri }, position, context: automatic };
    const answer = requests.complete(params, signal);
    await vi.advanceTimersByTimeAsync(100);
    await answer;
  };
  const change = (text: string) => OpenDocument.update(document, [{ text }], document.version + 1);
  return { engine, ask, change, requests };
}

test.each([
  ['is no longer shared', [{ uri: uriOf('src'), text: null }], false],
  [
    'holds a secret now',
    [{ uri: uriOf('src/store.ts'), text: `token = 'ghp_${'aB3dE5gH7jK9mN1pQ2sT'.repeat(2)}'` }],
    false,
  ],
  ['is missing from a new list', [], true],
])('prompts no longer contain code from a file that %s', async (_, files, isAnew) => {
  vi.useRealTimers();
  const engine = new FakeEngine({ contextTokens: 16_384 });
  const window = new FakeWindow({ files: { 'main.ts': "import { UserStore } from './store';\nnew UserStore().\n" } });
  const document = window.document('main.ts');
  const models = { local: engine };
  const requests = new CompletionRequests(
    { sendNotification: async () => {} },
    {
      engines: { ready: async () => models, models, host: { engine }, answered: () => {} } as never,
      documents: { get: () => document },
      settings: () => defaultSettings,
      caughtUp: async () => {},
      log,
    },
  );
  requests.initialize(window, { hasOwnProvider: true });
  const place = { uri: document.uri, position: { line: 1, character: 16 } };
  const prompt = async () => {
    const textDocument = { uri: document.uri };
    await requests.complete({ ...place, textDocument, context: automatic }, new AbortController().signal);
    return engine.detokenize(engine.requests.at(-1)?.tokens ?? new Uint32Array());
  };
  const store = 'export class UserStore {\n  insertUser(user) {}\n}\n';
  requests.index({ isAnew: true, files: [{ uri: uriOf('src/store.ts'), text: store }] });
  await prompt();
  await requests.rest({ ...place, mode: 'automatic' });
  OpenDocument.update(document, [{ range: { start: place.position, end: place.position }, text: 'i' }], 2);
  place.position.character++;
  expect(await prompt()).toContain('insertUser(user)');
  requests.index({ isAnew, files });
  OpenDocument.update(document, [{ range: { start: place.position, end: place.position }, text: 'n' }], 3);
  place.position.character++;
  expect(await prompt()).toMatch(/^<\|file_sep\|>main.ts/);
});

const later = () => vi.advanceTimersByTimeAsync(1000);

test('the prompt for the next key is evaluated where the cursor last asked', async () => {
  const { engine, ask } = setUp();
  await ask();
  expect(engine.prefilled).toHaveLength(0);
  await later();
  expect(engine.prefilled).toHaveLength(1);
});

test('nothing is evaluated where the cursor last asked once the document has changed, since the cursor has moved', async () => {
  const { engine, ask, change } = setUp();
  await ask();
  change('const a = 1;\n');
  await later();
  expect(engine.prefilled).toHaveLength(0);
});

test('if the editor says where the cursor rests, the server does not guess', async () => {
  const { engine, ask } = setUp(true);
  await ask();
  await later();
  expect(engine.prefilled).toHaveLength(0);
});

test('a request cancelled by the next key is not logged', async () => {
  const { ask } = setUp();
  await ask(AbortSignal.abort());
  for (const say of Object.values(log)) expect(say).not.toHaveBeenCalled();
  await ask();
  expect(log.info).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(/^completion at a\.ts:2:11: /));
});
