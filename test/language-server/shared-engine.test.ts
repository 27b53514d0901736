import { expect, test, vi } from 'vitest';
import { SharedEngine } from '../../language-server/shared-engine.ts';
import { EngineError } from '../../native/index.ts';

const silent = { info: () => {}, warn: () => {}, error: () => {} };

test('a request that waits for the model ends when the engine is closed, and nothing is loaded again', async () => {
  let loads = 0;
  const loadEngine = (_: unknown, __: unknown, signal?: AbortSignal) => {
    loads++;
    return new Promise<never>((_resolve, reject) =>
      signal?.addEventListener('abort', () => reject(new EngineError('cancelled', 'The load was cancelled.'))),
    );
  };
  const parts = { loadEngine, addonInfo: () => ({ variants: [], gpus: '' }), bundledModel: 'bundled' };
  const shared = new SharedEngine(parts, silent);
  const waiting = shared.ready();
  await vi.waitFor(() => expect(loads).toBe(1));
  await shared.close();
  expect(await waiting).toBeNull();
  expect(loads).toBe(1);
});
