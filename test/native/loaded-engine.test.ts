// The TypeScript side of the engine, with a stub for the addon.
import { expect, test, vi } from 'vitest';
import type { NativeEngine } from '../../native/addon.ts';
import { EngineError, loadEngine } from '../../native/index.ts';
import { LoadedEngine } from '../../native/loaded-engine.ts';

const addon = vi.hoisted(() => ({ load: vi.fn() }));
vi.mock(import('../../native/addon.ts'), async (original) => ({ ...(await original()), addon: () => addon as never }));

/** A native engine on a GPU that has failed. */
const lost = {
  info: () => ({ vocabulary: 10 }),
  texts: () => ({ metadata: {}, specialTokens: {} }),
  submit: () => Promise.reject(Object.assign(new Error('the GPU does not answer'), { code: 'backend-failed' })),
  close: () => Promise.resolve(),
} as unknown as NativeEngine;

test('if loading on the CPU fails after the GPU was lost, the next requests do not try again at once', async () => {
  let loads = 0;
  const loadOnCpu = () => {
    loads++;
    return Promise.reject(new EngineError('out-of-memory', 'There is not enough memory.'));
  };
  const engine = new LoadedEngine(lost, () => ({}), loadOnCpu);
  for (const _ of [1, 2, 3])
    await expect(engine.prefill(Uint32Array.of(1), 'foreground')).rejects.toThrow('There is not enough memory.');
  expect(loads).toBe(1);
  await engine.close();
});

test('if the texts of a loaded model are unreadable, its engine is closed', async () => {
  const close = vi.fn(() => Promise.resolve());
  const texts = () => {
    throw new Error('a text is too long');
  };
  addon.load.mockReturnValue([Promise.resolve({ texts, close }), () => undefined]);
  await expect(loadEngine({ modelPath: 'model.gguf', backend: 'cpu' })).rejects.toThrow('a text is too long');
  expect(close).toHaveBeenCalledOnce();
});
