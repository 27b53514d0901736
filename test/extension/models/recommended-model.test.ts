// One click switches to the recommended model, in the menu or in a message that is shown once.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ChooseModelHost } from '../../../extension/models/choose-model.ts';
import { offerRecommended, useRecommended } from '../../../extension/models/recommended-model.ts';
import type { ModelFacts, ModelList } from '../../../language-server/protocol/models.ts';
import { FileServer } from '../download/file-server.ts';

/** The buttons that the user clicks, one after the other, and the shown messages. */
const user = vi.hoisted(() => ({ buttons: [] as (string | undefined)[], shown: [] as string[], run: [] as string[] }));

vi.mock('vscode', async (original) => {
  const show = async (message: string) => {
    user.shown.push(message);
    return user.buttons.shift();
  };
  return {
    ...(await original<typeof import('../../support/vscode.ts')>()),
    ProgressLocation: { Notification: 15, Window: 10 },
    commands: { executeCommand: async (id: string) => void user.run.push(id) },
    window: {
      showInformationMessage: show,
      showErrorMessage: show,
      withProgress: (_: unknown, run: (progress: object, token: object) => unknown) =>
        run({ report: () => undefined }, { onCancellationRequested: () => undefined }),
    },
  };
});

const facts: ModelFacts = {
  id: 'remote',
  name: 'Coder 1.5B',
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
const kept = new Map<string, unknown>();
const memory = {
  get: (key: string, otherwise?: unknown) => kept.get(key) ?? otherwise,
  update: async (key: string, value: unknown) => void kept.set(key, value),
  keys: () => [...kept.keys()],
} as Parameters<typeof offerRecommended>[1];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hearth-recommended-'));
  server = await new FileServer(Buffer.concat([Buffer.from('GGUF'), Buffer.alloc(100_000)])).start();
  used = [];
  kept.clear();
  Object.assign(user, { buttons: [], shown: [], run: [] });
});

afterEach(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

function host(recommended: string | undefined, changes: Partial<ChooseModelHost> = {}): ChooseModelHost {
  const list: ModelList = {
    local: [{ ...facts, id: 'local', path: '/local.gguf', owner: 'Ollama' }],
    remote: [{ ...facts, file: server.file() }],
    ...(recommended !== undefined && { recommended }),
  };
  return {
    models: async () => list,
    folder,
    mirror: '',
    log: { info: () => undefined, warn: () => undefined } as unknown as ChooseModelHost['log'],
    current: { path: '', explainPath: '' },
    use: async (path, purpose) => void used.push(`${purpose}: ${path}`),
    ...changes,
  };
}

const downloaded = () => `completion: ${join(folder, 'a.gguf')}`;

test('from the menu, the recommended model is downloaded and used after one question', async () => {
  user.buttons = ['Download'];
  await useRecommended(host('remote'));
  expect(user.shown).toEqual([
    expect.stringMatching(/^Download Coder 1\.5B Q8_0 \(1\.6 GB\) from 127/),
    'Hearth now completes code with Coder 1.5B.',
  ]);
  expect(used).toEqual([downloaded()]);
});

test('dismissing the question changes nothing', async () => {
  await useRecommended(host('remote'));
  expect([used, server.requests]).toEqual([[], []]);
});

test('a recommended model on this machine is used at once, unless it is in use already', async () => {
  await useRecommended(host('local'));
  expect(used).toEqual(['completion: /local.gguf']);
  await useRecommended(host('local', { current: { path: '/local.gguf', explainPath: '' } }));
  expect(used).toHaveLength(1);
  expect(user.shown.at(-1)).toMatch(/is recommended for this machine, and it is in use already/);
});

test('without a recommendation or a server, the list opens', async () => {
  await useRecommended(host(undefined));
  await useRecommended(host('remote', { models: () => Promise.reject(new Error('no server')) }));
  expect(user.run).toEqual(['hearth.selectModel', 'hearth.selectModel']);
});

test('the message names size, host and license, and its button downloads without another question', async () => {
  user.buttons = ['Download'];
  await offerRecommended(host('remote'), memory);
  expect(user.shown[0]).toMatch(
    /Coder 1\.5B suits this machine and suggests better\. Download 1\.6 GB from 127\.0\.0\.1:\d+ \(license: Apache-2\.0\)\?$/,
  );
  expect(user.shown).toHaveLength(2);
  expect(used).toEqual([downloaded()]);
});

test.each([[undefined], ['Choose Model…']])('the message is shown once, whatever the answer: %s', async (answer) => {
  user.buttons = [answer];
  await Promise.all([offerRecommended(host('remote'), memory), offerRecommended(host('remote'), memory)]);
  await offerRecommended(host('remote'), memory);
  expect(user.shown).toHaveLength(1);
  expect(user.run).toEqual(answer === undefined ? [] : ['hearth.selectModel']);
  expect(server.requests).toEqual([]);
});

test('if no model can be recommended now, the message is shown another time', async () => {
  await offerRecommended(host('remote', { models: () => Promise.reject(new Error('no server')) }), memory);
  expect(user.shown).toEqual([]);
  await offerRecommended(host('local'), memory);
  expect(user.shown).toEqual([expect.stringContaining('It is on this machine already (Ollama).')]);
});

test('a file without a known digest is downloaded only after a question that says so', async () => {
  const remote = { ...facts, file: { ...server.file(), sha256: null } };
  user.buttons = ['Download', undefined];
  const models = async (): Promise<ModelList> => ({ local: [], remote: [remote], recommended: 'remote' });
  await offerRecommended(host('remote', { models }), memory);
  expect(user.shown[1]).toMatch(/^Download Coder/);
  expect(used).toEqual([]);
});
