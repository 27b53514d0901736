// Every request for an adapted model must name the adapter. Otherwise its pages would belong to another model.
import { expect, test } from 'vitest';
import { adaptedModel } from '../../../language-server/offers/adapted-model.ts';
import type { Engine } from '../../../native/index.ts';

test('every request to an adapted model names the adapter; without an adapter, the engine itself is used', async () => {
  const asked: unknown[][] = [];
  const note =
    (name: string) =>
    (...args: unknown[]) => {
      asked.push([name, ...args]);
    };
  const names = ['generate', 'prefill', 'pin', 'learn', 'tokenize', 'tokenBytes'];
  const engine = Object.fromEntries(names.map((name) => [name, note(name)])) as unknown as Engine;
  expect(adaptedModel(engine)).toBe(engine);
  const model = adaptedModel(engine, '/mine.gguf');
  const tokens = Uint32Array.of(1, 2);
  const { signal } = new AbortController();
  const onText = () => undefined;
  await model.generate({ tokens, maxTokens: 3 }, onText, signal);
  await model.prefill(tokens, 'background', signal);
  await model.pin?.(4, tokens);
  await model.learn?.(tokens);
  model.tokenize('text');
  expect(asked).toEqual([
    ['generate', { tokens, maxTokens: 3, adapter: '/mine.gguf' }, onText, signal],
    ['prefill', tokens, 'background', signal, '/mine.gguf'],
    ['pin', 4, tokens, '/mine.gguf'],
    ['learn', tokens],
    ['tokenize', 'text'],
  ]);
});
