import { existsSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { LoadModel } from '../../../language-server/engine/engine-host.ts';
import type { Precautions } from '../../../language-server/engine/load-options.ts';
import { SharedEngine } from '../../../language-server/engine/shared-engine.ts';
import { noTimings, type Settings } from '../../../language-server/protocol/messages.ts';
import { defaultSettings } from '../../../language-server/protocol/settings.ts';
import { EngineError, type LoadOptions } from '../../../native/index.ts';
import { FakeEngine, fakeTraits } from '../../fixtures/fake-engine.ts';

const silent = { info: () => {}, warn: () => {}, error: () => {} };

test('closing the engine ends requests that wait for the model, and loads nothing', async () => {
  let loads = 0;
  const loadModel = (_: unknown, __: unknown, signal?: AbortSignal) => {
    loads++;
    return new Promise<never>((_resolve, reject) =>
      signal?.addEventListener('abort', () => reject(new EngineError('cancelled', 'The load was cancelled.'))),
    );
  };
  const parts = { loadModel, addonInfo: () => ({ variants: [], gpus: async () => '' }), bundledModel: 'bundled' };
  const shared = new SharedEngine(parts, silent);
  const waiting = shared.ready();
  await expect.poll(() => loads).toBe(1);
  await shared.close();
  expect(await waiting).toBeNull();
  expect(loads).toBe(1);
});

/** The options of all loaded fake engines, and the closed ones among them. */
async function setUp(explainModel: string) {
  const loaded: { path: string; engine: FakeEngine }[] = [];
  const loadModel: LoadModel = async ({ modelPath: path }) => {
    const engine = new FakeEngine();
    loaded.push({ path, engine });
    return { engine, traits: fakeTraits };
  };
  const parts = { loadModel, addonInfo: () => ({ variants: [], gpus: async () => '' }), bundledModel: 'base.gguf' };
  const shared = new SharedEngine(parts, silent);
  const configure = (path: string) =>
    shared.configure({
      settings: { ...defaultSettings, 'explain.model': path },
      bundledModel: 'base.gguf',
      pagesFolder: '',
      connecting: {},
    });
  await configure(explainModel);
  return { shared, loaded, configure };
}

test('what any window wants switched off is off for all, whichever window connected last', async () => {
  const loaded: LoadOptions[] = [];
  const loadModel: LoadModel = async (options) => {
    loaded.push(options);
    return { engine: new FakeEngine(), traits: fakeTraits };
  };
  const paths = { bundledModel: 'base.gguf', draftModel: '/draft.gguf', adapterFolder: '/models' };
  const shared = new SharedEngine(
    { loadModel, addonInfo: () => ({ variants: [], gpus: async () => '' }), ...paths },
    silent,
  );
  const settings = { ...defaultSettings, 'cache.diskMiB': 100 };
  const setup = { settings, bundledModel: 'base.gguf', pagesFolder: '/pages', connecting: {} };
  const connect = async (precautions: Precautions) => {
    shared.precautions.add(precautions);
    await shared.configure(setup);
    return loaded.at(-1);
  };
  const afterCrashes = { isSafeMode: true };
  const withoutGpu = { avoidsGpu: true };
  const whole = {
    backend: 'auto',
    draftModelPath: '/draft.gguf',
    own: { folder: '/models', tasks: ['completions', 'edits'] },
    diskFolder: '/pages',
  };
  const safe = { modelPath: 'base.gguf', backend: 'cpu' };
  expect(await connect({})).toMatchObject(whole);
  expect(await connect(afterCrashes)).toEqual(safe);
  expect(await connect({})).toEqual(safe);
  shared.precautions.delete(afterCrashes);
  expect(await connect(withoutGpu)).toMatchObject({ ...whole, backend: 'cpu' });
  expect(await connect({})).toMatchObject({ ...whole, backend: 'cpu' });
  shared.precautions.delete(withoutGpu);
  expect(await connect({})).toMatchObject(whole);
  await shared.close();
});

const url = 'http://127.0.0.1:9';

/** For windows whose team server never answers, so that the status says why the local model does. */
function setUpTeam() {
  const loadModel = async () => ({ engine: new FakeEngine(), traits: fakeTraits });
  const parts = { loadModel, addonInfo: () => ({ variants: [], gpus: async () => '' }), bundledModel: 'base.gguf' };
  const shared = new SharedEngine(parts, silent);
  const configure = (settings: Partial<Settings>) =>
    shared.configure({
      settings: { ...defaultSettings, ...settings },
      bundledModel: 'base.gguf',
      pagesFolder: '',
      connecting: {},
    });
  return { shared, configure, hasTeam: () => shared.status(false).model?.fallbackReason !== '' };
}

test('a window with suggestions off connects to no team server, and other windows still do', async () => {
  const { shared, configure, hasTeam } = setUpTeam();
  await configure({});
  expect(hasTeam()).toBe(false);
  await configure({ 'server.url': url, mode: 'off' });
  expect(hasTeam()).toBe(false);
  await configure({ 'server.url': url });
  expect(hasTeam()).toBe(true);
  await configure({ 'server.url': url, mode: 'off' });
  expect(hasTeam()).toBe(true);
  await configure({ mode: 'off' });
  expect(hasTeam()).toBe(false);
  await shared.close();
});

test('the status says whether the model is the bundled one', async () => {
  const loadModel: LoadModel = async ({ modelPath }) => {
    const engine = new FakeEngine();
    engine.info.path = modelPath;
    return { engine, traits: fakeTraits };
  };
  const parts = { loadModel, addonInfo: () => ({ variants: [], gpus: async () => '' }), bundledModel: 'base.gguf' };
  const shared = new SharedEngine(parts, silent);
  const isStarter = async (settings: Partial<Settings>) => {
    const all = { ...defaultSettings, ...settings };
    await shared.configure({ settings: all, bundledModel: 'base.gguf', pagesFolder: '', connecting: {} });
    return shared.status(false).isStarter;
  };
  expect(await isStarter({})).toBe(true);
  expect(await isStarter({ 'model.path': '/other.gguf' })).toBeUndefined();
  expect(await isStarter({ 'server.url': url })).toBeUndefined();
  await shared.close();
});

test("the team's server is used if suggestions are on for a single language", async () => {
  const { shared, configure, hasTeam } = setUpTeam();
  await configure({ 'server.url': url, mode: 'off' });
  await shared.ready();
  expect(hasTeam()).toBe(true);
  await shared.close();
});

test('a model that reads slowly here does not write next edits', async () => {
  const { shared } = await setUp('');
  const settings = { ...defaultSettings, 'model.editAdapter': '/edits.gguf' };
  await shared.configure({ settings, bundledModel: 'base.gguf', pagesFolder: '', connecting: {} });
  const name = shared.models?.local.info.name ?? '';
  const reads = (promptTokens: number, model: string) =>
    shared.answered({ ...noTimings, promptTokens, prefillMs: 1000, completionTokens: 1 }, 1, model);
  expect(shared.models?.editAdapter).toBe('/edits.gguf');
  reads(100, `the team's ${name}`);
  expect(shared.models?.editAdapter).toBe('/edits.gguf');
  // With the first prompt, the weights come from the disk.
  reads(100, name);
  expect(shared.models?.editAdapter).toBe('/edits.gguf');
  // Even a GPU needs a whole pass for a single token.
  reads(63, name);
  expect(shared.models?.editAdapter).toBe('/edits.gguf');
  reads(100, name);
  expect(shared.models?.editAdapter).toBeNull();
  reads(1000, name);
  expect(shared.models?.editAdapter).toBe('/edits.gguf');
  // The model only seems slow while other programs compute.
  for (let i = 0; i < 20; i++) reads(100, name);
  expect(shared.models?.editAdapter).toBe('/edits.gguf');
});

test("the model completes and writes next edits with Hearth's own adapters, which the settings turn off", async () => {
  const loadModel: LoadModel = async ({ own }) => ({
    engine: new FakeEngine(),
    traits: fakeTraits,
    ...(own && { ownAdapters: Object.fromEntries(own.tasks.map((task) => [task, join(own.folder, task)])) }),
  });
  const addonInfo = () => ({ variants: [], gpus: async () => '' });
  const shared = new SharedEngine({ loadModel, addonInfo, bundledModel: 'base.gguf', adapterFolder: 'models' }, silent);
  const adaptersWith = async (adapter: string, editAdapter: string) => {
    const settings = { ...defaultSettings, 'model.adapter': adapter, 'model.editAdapter': editAdapter };
    await shared.configure({ settings, bundledModel: 'base.gguf', pagesFolder: '', connecting: {} });
    return [shared.models?.adapter, shared.models?.editAdapter];
  };
  const [completions, edits] = ['completions', 'edits'].map((task) => join('models', task));
  expect(await adaptersWith('', '')).toEqual([completions, edits]);
  expect(await adaptersWith('', 'off')).toEqual([completions, null]);
  expect(await adaptersWith('off', '')).toEqual([undefined, edits]);
  expect(await adaptersWith('/team.gguf', '/edits.gguf')).toEqual(['/team.gguf', '/edits.gguf']);
  await shared.close();
});

test('the model for explanations is loaded on request, beside the one for completion', async () => {
  const { shared, loaded, configure } = await setUp('instruct.gguf');
  expect(loaded.map(({ path }) => path)).toEqual(['base.gguf']);
  const { engine } = await shared.explainer();
  expect(loaded.map(({ path }) => path)).toEqual(['base.gguf', 'instruct.gguf']);
  expect(engine).toBe(loaded[1]?.engine);
  expect((await shared.ready())?.local).toBe(loaded[0]?.engine);
  expect(shared.status(false)).toMatchObject({ health: 'ready', explainModel: { name: 'fake' } });
  await configure('');
  expect(loaded[1]?.engine.closed).toBe(true);
  expect((await shared.explainer()).engine).toBe((await shared.ready())?.local);
  await shared.close();
});

test('the model for explanations is unloaded after five minutes without a request', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { shared, loaded } = await setUp('instruct.gguf');
  await shared.explainer();
  vi.advanceTimersByTime(4 * 60_000);
  const { mustWait } = await shared.explainer();
  vi.advanceTimersByTime(4 * 60_000);
  // The answer has been running until now.
  mustWait?.();
  vi.advanceTimersByTime(4 * 60_000);
  await new Promise((resolve) => setImmediate(resolve)); // after this, an unloaded engine is closed
  expect(loaded[1]?.engine.closed).toBe(false);
  vi.advanceTimersByTime(2 * 60_000);
  vi.useRealTimers();
  await expect.poll(() => loaded[1]?.engine.closed).toBe(true);
  expect(loaded[0]?.engine.closed).toBe(false);
  await shared.close();
});

test('a model for explanations that does not fit beside the first model is refused, and the message has the sizes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-second-'));
  const path = join(folder, 'large.gguf');
  writeFileSync(path, '');
  // A sparse file takes no disk space. Alone, this model would be loaded: it has less than twice the free memory.
  truncateSync(path, Math.floor(1.2 * freemem()));
  const { shared, loaded } = await setUp(path);
  const gigabytes = String.raw`\d+\.\d GB`;
  await expect(shared.explainer()).rejects.toThrow(
    new RegExp(
      `^large\\.gguf needs ${gigabytes} of memory to explain code, but fake, which completes code, takes ${gigabytes}, and ${gigabytes} is free\\.`,
    ),
  );
  expect(loaded.map(({ path }) => path)).toEqual(['base.gguf']);
  expect(shared.status(false).health).toBe('ready');
  await shared.close();
  rmSync(folder, { recursive: true });
});

test('page files are deleted for good if the disk cache and suggestions are turned off together', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-pages-'));
  const pagesFolder = join(folder, 'pages');
  const loadModel: LoadModel = async ({ diskFolder }) => {
    const engine = new FakeEngine();
    engine.close = async () => {
      if (diskFolder === undefined) return;
      mkdirSync(diskFolder, { recursive: true });
      writeFileSync(join(diskFolder, '0123456789abcdef-17f0a1b2c3d4e5f6.pages'), 'text of a document');
    };
    return { engine, traits: fakeTraits };
  };
  const shared = new SharedEngine(
    { loadModel, addonInfo: () => ({ variants: [], gpus: async () => '' }), bundledModel: '' },
    silent,
  );
  const configure = (settings: Partial<Settings>) =>
    shared.configure({
      settings: { ...defaultSettings, ...settings },
      bundledModel: 'base.gguf',
      pagesFolder,
      connecting: {},
    });
  await configure({ 'cache.diskMiB': 64 });
  await configure({ mode: 'off', 'cache.diskMiB': 0 });
  await shared.close();
  expect(existsSync(pagesFolder)).toBe(false);
  rmSync(folder, { recursive: true });
});

test('a GPU is tried when nobody types, and a request interrupts the trial', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  const engine = new FakeEngine();
  const signals: AbortSignal[] = [];
  const tryGpu = (signal: AbortSignal) => {
    signals.push(signal);
    return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  };
  const loadModel: LoadModel = async () => ({ engine: Object.assign(engine, { tryGpu }), traits: fakeTraits });
  const parts = { loadModel, addonInfo: () => ({ variants: [], gpus: async () => '' }), bundledModel: 'base.gguf' };
  const shared = new SharedEngine(parts, silent);
  await shared.ready();
  vi.advanceTimersByTime(20_000);
  expect(signals).toHaveLength(0);
  vi.advanceTimersByTime(20_000);
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  await shared.ready();
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  await shared.close();
  vi.useRealTimers();
});
