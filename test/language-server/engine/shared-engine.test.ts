import { existsSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { LoadModel } from '../../../language-server/engine/engine-host.ts';
import type { Caution } from '../../../language-server/engine/load-options.ts';
import { SharedEngine } from '../../../language-server/engine/shared-engine.ts';
import type { Settings } from '../../../language-server/protocol/messages.ts';
import { defaultSettings } from '../../../language-server/protocol/settings.ts';
import { EngineError, type LoadOptions } from '../../../native/index.ts';
import { FakeEngine, fakeTraits } from '../../fixtures/fake-engine.ts';

const silent = { info: () => {}, warn: () => {}, error: () => {} };

test('a request that waits for the model ends when the engine is closed, and nothing is loaded again', async () => {
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
  await vi.waitFor(() => expect(loads).toBe(1));
  await shared.close();
  expect(await waiting).toBeNull();
  expect(loads).toBe(1);
});

/** What the fake engines of a set-up were loaded with, and which of them are closed. */
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

test('the engine is as careful as any of the windows wants, whichever was the last to connect', async () => {
  const loaded: LoadOptions[] = [];
  const loadModel: LoadModel = async (options) => {
    loaded.push(options);
    return { engine: new FakeEngine(), traits: fakeTraits };
  };
  const paths = { bundledModel: 'base.gguf', draftModel: '/draft.gguf' };
  const shared = new SharedEngine(
    { loadModel, addonInfo: () => ({ variants: [], gpus: async () => '' }), ...paths },
    silent,
  );
  const settings = { ...defaultSettings, 'cache.diskMiB': 100 };
  const setup = { settings, bundledModel: 'base.gguf', pagesFolder: '/pages', connecting: {} };
  const connect = async (caution: Caution) => {
    shared.cautions.add(caution);
    await shared.configure(setup);
    return loaded.at(-1);
  };
  const afterCrashes = { isSafeMode: true };
  const withoutGpu = { avoidsGpu: true };
  const whole = { backend: 'auto', draftModelPath: '/draft.gguf', diskFolder: '/pages' };
  const safe = { modelPath: 'base.gguf', backend: 'cpu' };
  expect(await connect({})).toMatchObject(whole);
  expect(await connect(afterCrashes)).toEqual(safe);
  expect(await connect({})).toEqual(safe);
  shared.cautions.delete(afterCrashes);
  expect(await connect(withoutGpu)).toMatchObject({ ...whole, backend: 'cpu' });
  expect(await connect({})).toMatchObject({ ...whole, backend: 'cpu' });
  shared.cautions.delete(withoutGpu);
  expect(await connect({})).toMatchObject(whole);
  await shared.close();
});

const url = 'http://127.0.0.1:9';

/** For windows with a server that never answers, so that the status says why the model on this machine does. */
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

test("a window whose suggestions are off leaves the team's server to the others, and connects to none", async () => {
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

test('the status says whether the model is the one that comes with Hearth', async () => {
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

test("a language whose suggestions are on, while all others are off, gets the team's server", async () => {
  const { shared, configure, hasTeam } = setUpTeam();
  await configure({ 'server.url': url, mode: 'off' });
  await shared.ready();
  expect(hasTeam()).toBe(true);
  await shared.close();
});

test('the model for explanations is loaded when it is asked for, beside the one for completion', async () => {
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

test('the model for explanations is unloaded when nobody has asked for five minutes', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { shared, loaded } = await setUp('instruct.gguf');
  await shared.explainer();
  vi.advanceTimersByTime(4 * 60_000);
  const { mustWait } = await shared.explainer();
  vi.advanceTimersByTime(4 * 60_000);
  // An answer has waited all the time.
  mustWait?.();
  vi.advanceTimersByTime(4 * 60_000);
  await new Promise((resolve) => setImmediate(resolve)); // an engine that is unloaded is closed by then
  expect(loaded[1]?.engine.closed).toBe(false);
  vi.advanceTimersByTime(2 * 60_000);
  vi.useRealTimers();
  await vi.waitFor(() => expect(loaded[1]?.engine.closed).toBe(true));
  expect(loaded[0]?.engine.closed).toBe(false);
  await shared.close();
});

test('a second model that does not fit beside the first is refused with the figures', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-second-'));
  const path = join(folder, 'large.gguf');
  writeFileSync(path, '');
  // A sparse file takes no disk. As the only model it would be loaded: it is not twice as large as the free memory.
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

test('pages on the disk are deleted for good if the disk cache and suggestions are turned off at once', async () => {
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

test('a GPU is tried once nobody types, and a request breaks that off', async () => {
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
