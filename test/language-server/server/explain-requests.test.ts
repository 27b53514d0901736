import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { OpenDocument } from '../../../language-server/documents/open-document.ts';
import type { Explainer } from '../../../language-server/engine/shared-engine.ts';
import { budget } from '../../../language-server/explain/chat-template.ts';
import { ExplainRequests } from '../../../language-server/server/explain-requests.ts';
import { FakeEngine, fakeTraits } from '../../fixtures/fake-engine.ts';

const { ms } = budget;
beforeAll(() => {
  budget.ms = 120_000; // however busy this machine is
});
afterAll(() => {
  budget.ms = ms;
});

const log = { info: () => {}, warn: () => {}, error: () => {} };
const params = { id: 1, uri: 'file:///a.c', text: 'a', languageId: 'c', turns: [{ answer: '' }], attempt: 0 };
const never = new AbortController().signal;

const documents = { get: () => undefined };

test('an explanation ends when its window closes', async () => {
  const engine = new FakeEngine({ respond: () => 'a long story '.repeat(1000), tokenMs: 5 });
  const engines = { explainer: async () => ({ engine, traits: fakeTraits }), answered: () => {} };
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const requests = new ExplainRequests({ sendNotification: async () => begin() }, engines, documents, log);
  const explained = requests.explain(params, never);
  await begun;
  requests.close();
  expect(await explained).toMatchObject({ finishReason: 'cancelled' });
  expect(engine.cancelled).toBe(1);
});

test.each<[string, Partial<Explainer>, number]>([
  ['the model that completes', {}, 1],
  ['a model of its own', { mustWait: () => false }, 0],
])('the speed of an explanation counts for completions only if the model is the same: %s', async (_, more, times) => {
  const engine = new FakeEngine({ respond: () => 'It adds.' });
  const engines = { explainer: async () => ({ engine, traits: fakeTraits, ...more }), answered: vi.fn() };
  await new ExplainRequests({ sendNotification: async () => {} }, engines, documents, log).explain(params, never);
  expect(engines.answered).toHaveBeenCalledTimes(times);
});

test('the prompt contains the function around the selection', async () => {
  const engine = new FakeEngine({ respond: () => 'It adds.' });
  const engines = { explainer: async () => ({ engine, traits: fakeTraits }), answered: () => {} };
  const document = OpenDocument.create(params.uri, 'python', 1, `def f(a, b):\n    return ${params.text}\n`);
  const requests = new ExplainRequests({ sendNotification: async () => {} }, engines, { get: () => document }, log);
  const start = { line: 1, character: 11 };
  const end = { line: 1, character: 11 + params.text.length };
  await requests.explain({ ...params, range: { start, end } }, never);
  expect(engine.detokenize(engine.requests[0]?.tokens ?? new Uint32Array())).toContain('part of this function');
});
