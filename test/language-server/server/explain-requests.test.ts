import { expect, test, vi } from 'vitest';
import { ExplainRequests } from '../../../language-server/server/explain-requests.ts';
import { FakeEngine, fakeTraits } from '../../fixtures/fake-engine.ts';

test('an explanation ends when its window closes', async () => {
  const engine = new FakeEngine({ respond: () => 'a long story '.repeat(1000), tokenMs: 5 });
  const engines = { explainer: async () => ({ engine, traits: fakeTraits }), answered: () => {} };
  const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const requests = new ExplainRequests({ sendNotification: async () => begin() }, engines, log);
  const params = { id: 1, uri: 'file:///a.c', text: 'a', languageId: 'c', turns: [{ answer: '' }], attempt: 0 };
  const explained = requests.explain(params, new AbortController().signal);
  await begun;
  requests.close();
  expect(await explained).toMatchObject({ finishReason: 'cancelled' });
  expect(engine.cancelled).toBe(1);
});
