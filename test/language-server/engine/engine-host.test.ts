import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { EngineHost } from '../../../language-server/engine/engine-host.ts';
import { loadModel } from '../../../language-server/engine/load-model.ts';
import { adapterFor, explainOptions, loadOptions } from '../../../language-server/engine/load-options.ts';
import type { Settings } from '../../../language-server/protocol/messages.ts';
import { defaultSettings } from '../../../language-server/protocol/settings.ts';
import type { LoadOptions } from '../../../native/index.ts';
import { FakeEngine, fakeTraits } from '../../fixtures/fake-engine.ts';

/** A host whose loads finish when the test says so, and all engines that it has loaded. */
function setUp() {
  const engines = new Map<string, FakeEngine>();
  const finish = new Map<string, () => void>();
  const events: string[] = [];
  const load = async ({ modelPath }: LoadOptions) => {
    events.push(`load ${modelPath}`);
    await new Promise<void>((resolve) => finish.set(modelPath, resolve));
    const engine = new FakeEngine();
    engines.set(modelPath, engine);
    return { engine, traits: fakeTraits };
  };
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const host = new EngineHost(load, log, () => events.push(host.state.kind));
  const finishLoad = async (modelPath: string) => {
    while (!finish.has(modelPath)) await new Promise((resolve) => setImmediate(resolve));
    finish.get(modelPath)?.();
  };
  return { host, engines, events, finishLoad };
}

test('loads a model once for equal options', async () => {
  const { host, events, finishLoad } = setUp();
  const loads = [host.ensure({ modelPath: 'a' }), host.ensure({ modelPath: 'a' })];
  await finishLoad('a');
  await Promise.all(loads);
  await host.ensure({ modelPath: 'a' });
  expect(events).toEqual(['loading', 'load a', 'ready']);
});

test('refuses a model of twice the free memory, and gives both figures', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-host-'));
  const modelPath = join(folder, 'huge.gguf');
  writeFileSync(modelPath, '');
  // A sparse file takes no disk space.
  truncateSync(modelPath, 4 * totalmem());
  const { host, events } = setUp();
  await host.ensure({ modelPath });
  rmSync(folder, { recursive: true });
  expect(events).toEqual(['loading', 'failed']);
  const message = expect.stringMatching(/^huge\.gguf needs [\d.]+ GB of memory, but only [\d.]+ GB is free\./);
  expect(host.state).toMatchObject({ kind: 'failed', message });
});

test('a cancelled load does not reject, even if the engine cannot be closed', async () => {
  const { host, events, finishLoad } = setUp();
  vi.spyOn(FakeEngine.prototype, 'close').mockRejectedValueOnce(new Error('busy'));
  const cancelled = host.ensure({ modelPath: 'a' });
  await expect.poll(() => events).toContain('load a');
  const unloaded = host.unload();
  await finishLoad('a');
  await expect(Promise.all([cancelled, unloaded])).resolves.toBeDefined();
});

test('warns that a draft model is not used', async () => {
  const warnings: string[] = [];
  const log = { info: () => {}, warn: (line: string) => warnings.push(line), error: () => {} };
  const engine = new FakeEngine();
  engine.info.draftProblem = 'small.gguf: no such file';
  await new EngineHost(
    async () => ({ engine, traits: fakeTraits }),
    log,
    () => {},
  ).ensure({ modelPath: 'a' });
  expect(warnings).toEqual(['running without a draft model: small.gguf: no such file']);
});

test('frees the old model before it loads another', async () => {
  const { host, engines, finishLoad } = setUp();
  const first = host.ensure({ modelPath: 'a' });
  await finishLoad('a');
  await first;
  const second = host.ensure({ modelPath: 'b' });
  expect(host.engine).toBeNull();
  await finishLoad('b');
  await second;
  expect(engines.get('a')?.closed).toBe(true);
  expect(host.engine).toBe(engines.get('b'));
});

test('frees a model if another one is requested while it is loading', async () => {
  const { host, engines, finishLoad } = setUp();
  const overtaken = host.ensure({ modelPath: 'a' });
  await finishLoad('a').then(() => {});
  const last = host.ensure({ modelPath: 'b' });
  await overtaken;
  await finishLoad('b');
  await last;
  expect(engines.get('a')?.closed).toBe(true);
  expect(host.engine).toBe(engines.get('b'));
});

test('loads only the last of several models that are requested at once', async () => {
  const { host, events, finishLoad } = setUp();
  const loads = ['a', 'b', 'c'].map((modelPath) => host.ensure({ modelPath }));
  await finishLoad('c');
  await Promise.all(loads);
  expect(events).toEqual(['loading', 'load c', 'ready']);
});

test('has no engine after unloading', async () => {
  const { host, engines, finishLoad } = setUp();
  const loaded = host.ensure({ modelPath: 'a' });
  await finishLoad('a');
  await loaded;
  await host.unload();
  expect(host.state).toEqual({ kind: 'unloaded' });
  expect(engines.get('a')?.closed).toBe(true);
});

const bundled = { bundledModel: '/bundled' };

test('a separate model for explanations gets a quarter of the cache memory', () => {
  expect(explainOptions(defaultSettings)).toBeNull();
  const one = { ...defaultSettings, 'model.path': '/own', 'explain.model': ' /own ' };
  expect(explainOptions(one)).toBeNull();
  expect(loadOptions(one, bundled)).not.toHaveProperty('cacheBytes');
  const two = { ...defaultSettings, 'explain.model': '/instruct', 'cache.memoryMiB': 4, 'engine.threads': 3 };
  expect(explainOptions(two)).toEqual({
    modelPath: '/instruct',
    backend: 'auto',
    threads: 3,
    cacheBytes: 1_048_576,
  });
  expect(loadOptions(two, bundled)).toMatchObject({ modelPath: '/bundled', cacheBytes: 3_145_728 });
});

test('turns settings into load options', () => {
  expect(loadOptions(defaultSettings, bundled)).toEqual({ modelPath: '/bundled', backend: 'auto' });
  const numbers = { 'engine.threads': 3, 'cache.memoryMiB': 2 };
  const settings = { ...defaultSettings, 'model.path': ' /own ', backend: 'cpu', ...numbers } as const;
  const options = { modelPath: '/own', backend: 'cpu', threads: 3, cacheBytes: 2_097_152 };
  expect(loadOptions(settings, bundled)).toEqual(options);
  const drafting = { modelPath: '/bundled', draftModelPath: '/small.gguf' };
  expect(loadOptions(defaultSettings, { ...bundled, draftModel: ' /small.gguf' })).toMatchObject(drafting);
  const adapted = { ...settings, 'model.adapter': ' /mine.gguf ' };
  expect(loadOptions(adapted, bundled)).toEqual({ ...options, adapters: ['/mine.gguf'] });
  const editing = { ...adapted, 'model.editAdapter': '/edits.gguf' };
  expect(loadOptions(editing, bundled).adapters).toEqual(['/mine.gguf', '/edits.gguf']);
  expect(loadOptions({ ...adapted, 'model.editAdapter': '/mine.gguf' }, bundled).adapters).toEqual(['/mine.gguf']);
  const withPages = { ...bundled, pagesFolder: '/pages' };
  const withDisk = { ...defaultSettings, 'cache.diskMiB': 3 };
  expect(loadOptions(withDisk, withPages)).toMatchObject({ diskFolder: '/pages', diskBytes: 3_145_728 });
  expect(loadOptions(withDisk, bundled)).not.toHaveProperty('diskBytes');
  expect(loadOptions(defaultSettings, withPages)).not.toHaveProperty('diskFolder');
  expect(loadOptions({ ...settings, 'model.path': '~/m.gguf' }, bundled).modelPath).toMatch(/^\/.*[^~]\/m\.gguf$/);
});

const tasks = [
  ['completions', 'model.adapter', 'edits'],
  ['edits', 'model.editAdapter', 'completions'],
] as const;
test.each(tasks)(
  "Hearth's own adapter for %s is used unless the settings name another or none",
  (task, setting, other) => {
    const with_ = (adapter: string, backend: Settings['backend'] = 'auto') => {
      const settings = { ...defaultSettings, [setting]: adapter, backend };
      const { own, adapters } = loadOptions(settings, { ...bundled, adapterFolder: '/models' });
      return { tasks: own?.tasks, adapters, used: adapterFor(task, settings, { [task]: '/models/own.gguf' }) };
    };
    const own = { tasks: ['completions', 'edits'], adapters: undefined, used: '/models/own.gguf' };
    const none = { tasks: [other], adapters: undefined, used: null };
    expect(with_('')).toEqual(own);
    expect(with_(' ', 'cpu')).toEqual(own);
    expect(with_('off')).toEqual(none);
    expect(with_(' /team.gguf')).toEqual({ ...none, adapters: ['/team.gguf'], used: '/team.gguf' });
    // It never takes the place of a GPU.
    expect(with_('', 'webgpu')).toEqual({ ...none, tasks: undefined });
    expect(with_('', 'webgpu-if-faster')).toEqual({ ...none, tasks: undefined });
    expect(with_('/team.gguf', 'webgpu').used).toBe('/team.gguf');
    expect(loadOptions(defaultSettings, bundled)).not.toHaveProperty('own');
    expect(adapterFor(task, defaultSettings)).toBeNull();
  },
);

test('the error for a relative path without a file names the absolute path', async () => {
  const message = `There is no model file at ${join(process.cwd(), 'models/gone.gguf')}, where the relative path "models/gone.gguf" leads.`;
  await expect(loadModel({ modelPath: 'models/gone.gguf' })).rejects.toThrow(message);
});

test('the name in a model file is logged as one line of limited length', async () => {
  const engine = new FakeEngine();
  engine.info.name = `coder\n2026-11-24 [error] forged \u202e${'x'.repeat(1000)}`;
  const lines: string[] = [];
  const log = { info: (line: string) => lines.push(line), warn: () => {}, error: () => {} };
  await new EngineHost(
    async () => ({ engine, traits: fakeTraits }),
    log,
    () => {},
  ).ensure({ modelPath: 'a' });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^loaded coder 2026-11-24 \[error\] forged x+ \(/);
  expect(lines[0]?.length).toBeLessThan(500);
});
