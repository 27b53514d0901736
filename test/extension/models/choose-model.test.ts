// "Choose Model", from the list to the setting, with stubs for the editor's dialogs, and a real server for downloads.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type ChooseModelHost, chooseModel, type Purpose } from '../../../extension/models/choose-model.ts';
import type { ModelFacts, ModelList } from '../../../language-server/protocol/models.ts';
import { breakAfter, FileServer, serve, status } from '../download/file-server.ts';

interface Row {
  label: string;
  choice?: { kind: string };
  purpose?: string;
}

/** The user's answers, one after the other: the kind of a row, then buttons of messages. */
const user = vi.hoisted(() => ({
  row: '' as string | undefined,
  purpose: undefined as string | undefined,
  buttons: [] as (string | undefined)[],
  asked: [] as string[],
  cancelsAt: Number.POSITIVE_INFINITY,
}));

vi.mock('vscode', async (original) => {
  const ask = (message: string) => {
    user.asked.push(message);
    return Promise.resolve(user.buttons.shift());
  };
  return {
    ...(await original<typeof import('../../support/vscode.ts')>()),
    QuickPickItemKind: { Separator: -1 },
    Uri: { file: (fsPath: string) => ({ fsPath }) },
    ProgressLocation: { Notification: 15 },
    window: {
      showQuickPick: async (rows: Promise<Row[]>) =>
        (await rows).find(({ choice, purpose }) =>
          purpose === undefined ? choice?.kind === user.row : purpose === user.purpose,
        ),
      showOpenDialog: ({ defaultUri }: { defaultUri: { fsPath: string } }) => {
        user.asked.push(defaultUri.fsPath);
        return Promise.resolve([{ fsPath: '/chosen.gguf' }]);
      },
      showInformationMessage: ask,
      showErrorMessage: ask,
      withProgress: (_: unknown, run: (progress: object, token: object) => Promise<string>) => {
        let cancel = (): unknown => undefined;
        let reports = 0;
        const report = () => ++reports >= user.cancelsAt && cancel();
        const onCancellationRequested = (listener: () => void) => {
          cancel = listener;
        };
        return run({ report }, { onCancellationRequested });
      },
    },
  };
});

const content = Buffer.concat([Buffer.from('GGUF'), Buffer.alloc(40_000_000, 'abc')]);
const facts: ModelFacts = {
  id: 'remote',
  name: 'Coder',
  kind: 'base',
  completes: true,
  explains: false,
  writesEdits: false,
  quantization: 'Q8_0',
  licence: 'Apache-2.0',
  isForResearchOnly: false,
  fileBytes: 1.6e9,
  estimate: { tokensPerSecond: 45, firstTextMs: 80, memoryBytes: 1e9 },
};

let folder: string;
let server: FileServer;
let used: string[];
let purposes: Purpose[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hearth-choose-'));
  server = await new FileServer(content).start();
  used = [];
  purposes = [];
  Object.assign(user, {
    row: 'remote',
    purpose: undefined,
    buttons: [],
    asked: [],
    cancelsAt: Number.POSITIVE_INFINITY,
  });
});

afterEach(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

async function choose(changes: Partial<ChooseModelHost> = {}, special: Partial<ModelFacts> = {}): Promise<void> {
  const local = { ...facts, ...special, id: 'local', path: '/local.gguf', owner: 'Ollama' };
  const list: ModelList = { local: [local], remote: [{ ...facts, file: server.file() }] };
  const log = { info: () => undefined, warn: () => undefined } as unknown as ChooseModelHost['log'];
  const use = async (path: string, purpose: Purpose) => {
    used.push(path);
    purposes.push(purpose);
  };
  await chooseModel({
    models: async () => list,
    folder,
    mirror: '',
    log,
    current: { path: '', explainPath: '' },
    use,
    ...changes,
  });
}

test.each([
  ['local', '/local.gguf'],
  ['file', '/chosen.gguf'],
  ['starter', ''],
])('a choice of kind "%s" sets the model without a question', async (row, path) => {
  user.row = row;
  await choose();
  expect(used).toEqual([path]);
  expect(server.requests).toEqual([]);
});

test.each(['explanations', 'both'] as const)('an instruct model is used as the user says: %s', async (purpose) => {
  Object.assign(user, { row: 'local', purpose });
  await choose({}, { kind: 'instruct' });
  expect([used, purposes]).toEqual([['/local.gguf'], [purpose]]);
});

test('without a question, a model that cannot complete is used for explanations, and a base model for completion', async () => {
  user.row = 'local';
  await choose({}, { kind: 'instruct', completes: false });
  await choose();
  expect(purposes).toEqual(['explanations', 'completion']);
});

test("dismissing the question about an instruct model's use changes nothing", async () => {
  user.row = 'local';
  await choose({}, { kind: 'instruct' });
  expect(used).toEqual([]);
});

test('choosing the current model again changes nothing, even if its file was not found', async () => {
  user.row = 'current';
  await choose({ current: { path: '/elsewhere/coder.gguf', explainPath: '' } });
  expect(used).toEqual([]);
});

test('on a busy machine the list can be requested again', async () => {
  const lists: ModelList[] = [
    { local: [], remote: [], isBusy: true },
    { local: [], remote: [{ ...facts, file: server.file() }] },
  ];
  user.row = 'again';
  const models = async () => {
    if (lists.length === 1) user.row = 'starter';
    return lists.shift() as ModelList;
  };
  await choose({ models });
  expect([lists, used]).toEqual([[], ['']]);
});

test('closing the list changes nothing', async () => {
  user.row = undefined;
  await choose();
  expect(used).toEqual([]);
});

test("without a server a file can be chosen, beginning in the current model's folder", async () => {
  user.row = 'file';
  const current = { path: '/models/coder.gguf', explainPath: '' };
  await choose({ models: () => Promise.reject(new Error('The language server is not running.')), current });
  expect(used).toEqual(['/chosen.gguf']);
  expect(user.asked).toEqual(['/models']);
});

test('no network request is made before the user has confirmed', async () => {
  await choose({ mirror: 'https://models.example.com/hub' });
  expect(user.asked).toEqual(['Download Coder Q8_0 (1.6 GB) from models.example.com?']);
  expect(server.requests).toEqual([]);
  expect(used).toEqual([]);
});

test('an invalid mirror address is refused before the question', async () => {
  await expect(choose({ mirror: 'models' })).rejects.toThrow('must be an address');
  expect(user.asked).toEqual([]);
});

test('a downloaded model is set', async () => {
  user.buttons = ['Download'];
  await choose();
  expect(used).toEqual([join(folder, 'a.gguf')]);
  expect(readFileSync(used[0] as string).equals(content)).toBe(true);
});

test('a paused download keeps its bytes and continues', async () => {
  user.buttons = ['Download', 'Continue'];
  user.cancelsAt = 1;
  const second = () => {
    user.cancelsAt = Number.POSITIVE_INFINITY;
  };
  server.answers.push(breakAfter(30_000_000), (request, response, at) => {
    second();
    serve(request, response, at);
  });
  await choose();
  expect(user.asked[1]).toMatch(/^Coder is paused at \d+ of 40 MB/);
  expect(server.requests.at(-1)?.range).toMatch(/^bytes=[1-9]/);
  expect(used).toEqual([join(folder, 'a.gguf')]);
});

test('a discarded download leaves nothing', async () => {
  user.buttons = ['Download', 'Discard'];
  user.cancelsAt = 1;
  await choose();
  expect(used).toEqual([]);
  expect(existsSync(join(folder, 'a.gguf.part'))).toBe(false);
});

test('a failure says what happened and can be tried again', async () => {
  user.buttons = ['Download', 'Try Again'];
  server.answers.push(status(404));
  await choose();
  expect(user.asked[1]).toContain('does not have this file (404)');
  expect(used).toEqual([join(folder, 'a.gguf')]);
});
