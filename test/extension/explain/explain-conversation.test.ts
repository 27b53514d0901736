import { expect, test } from 'vitest';
import { type Ask, ExplainConversation } from '../../../extension/explain/explain-conversation.ts';
import type { ExplainParams, ExplainResult } from '../../../language-server/protocol/messages.ts';

/** A conversation about a selection from line 11 on, with a server that answers when the test says so. */
class Talk {
  readonly params: Omit<ExplainParams, 'id'>[] = [];
  readonly conversation: ExplainConversation;
  signal = new AbortController().signal;
  write: (text: string) => void = () => {};
  fail: (error: Error) => void = () => {};
  private resolve: (result: ExplainResult) => void = () => {};

  constructor() {
    const ask: Ask = (params, onText, signal) => {
      this.params.push(structuredClone(params));
      this.write = onText;
      this.signal = signal;
      return new Promise((resolve, reject) => {
        this.resolve = resolve;
        this.fail = reject;
      });
    };
    const selection = { uri: 'file:///a.py', text: 'a + b', languageId: 'python', firstLine: 11 };
    this.conversation = new ExplainConversation(selection, ask, () => {});
  }

  finish(text: string, finishReason: ExplainResult['finishReason'] = 'stop', linesRead?: number): void {
    const timings = { prefillMs: 500, decodeMs: 1000, completionTokens: 7 } as ExplainResult['timings'];
    this.resolve({ text, finishReason, timings, ...(linesRead !== undefined && { linesRead }) });
  }

  get state() {
    return this.conversation.state;
  }

  get lastTurns() {
    return this.params.at(-1)?.turns;
  }
}

/** A conversation whose first answer is complete. */
async function answered(...answer: Parameters<Talk['finish']>): Promise<Talk> {
  const talk = new Talk();
  const run = talk.conversation.run();
  talk.finish(...answer);
  await run;
  return talk;
}

test('an answer streams and ends with its figures', async () => {
  const talk = new Talk();
  const run = talk.conversation.run();
  expect(talk.params).toEqual([
    { uri: 'file:///a.py', text: 'a + b', languageId: 'python', turns: [{ answer: '' }], attempt: 0 },
  ]);
  expect(talk.state).toMatchObject({ note: 'Thinking…', actions: ['stop'] });
  talk.write('It ');
  expect(talk.state.turns).toEqual([{ answer: 'It ' }]);
  talk.finish('It adds.');
  await run;
  talk.write('late');
  expect(talk.state).toEqual({
    turns: [{ answer: 'It adds.' }],
    note: '7 tokens in 1.5 s',
    hint: '',
    actions: ['retry', 'copy'],
  });
});

test('an answer that is stopped before its first word says so at once, whatever the server sends later', async () => {
  const talk = new Talk();
  const run = talk.conversation.run();
  talk.conversation.stop();
  expect(talk.signal.aborted).toBe(true);
  expect(talk.state).toMatchObject({ note: 'Stopped.', actions: ['retry'] });
  talk.finish('', 'cancelled');
  await run;
  expect(talk.state.note).toBe('Stopped.');
});

test('an answer that the server cancelled is not reported as an empty answer', async () => {
  expect((await answered('', 'cancelled')).state.note).toBe('Stopped.');
  expect((await answered('', 'stop')).state.note).toBe('The model has nothing to say about this code.');
});

test('text that came before a stop stays, and later text is ignored', () => {
  const talk = new Talk();
  void talk.conversation.run();
  talk.write('It ');
  talk.conversation.stop();
  talk.write('adds.');
  expect(talk.state.turns).toEqual([{ answer: 'It ' }]);
  expect(talk.state.actions).toEqual(['retry', 'copy', 'continue']);
  void talk.conversation.run();
  expect(talk.lastTurns).toEqual([{ answer: 'It ' }]);
});

test('an answer that was cut off is continued from its own text', async () => {
  const talk = await answered('It adds', 'length');
  expect(talk.state).toMatchObject({
    note: '7 tokens in 1.5 s, cut off at the limit',
    actions: ['retry', 'copy', 'continue'],
  });
  const run = talk.conversation.run();
  expect(talk.lastTurns).toEqual([{ answer: 'It adds' }]);
  talk.write(' a');
  talk.finish(' a and b.');
  await run;
  expect(talk.conversation.answer).toBe('It adds a and b.');
  expect(talk.state.actions).toEqual(['retry', 'copy']);
});

test('a retry asks for a different answer, which replaces the last', async () => {
  const talk = await answered('Nonsense.');
  void talk.conversation.retry();
  expect(talk.params.at(-1)).toMatchObject({ turns: [{ answer: '' }], attempt: 1 });
});

test('a follow-up question is sent with the conversation so far', async () => {
  const talk = await answered('It adds.');
  void talk.conversation.retry();
  talk.conversation.stop();
  void talk.conversation.followUp('Why?');
  expect(talk.params.at(-1)).toMatchObject({ turns: [{ question: 'Why?', answer: '' }], attempt: 0 });
  talk.conversation.stop();

  const other = await answered('It adds.');
  void other.conversation.followUp('Why?');
  expect(other.lastTurns).toEqual([{ answer: 'It adds.' }, { question: 'Why?', answer: '' }]);
});

test('while an answer is generated, no other question is sent', async () => {
  const talk = new Talk();
  void talk.conversation.run();
  await Promise.all([talk.conversation.run(), talk.conversation.retry(), talk.conversation.followUp('Why?')]);
  expect(talk.params).toHaveLength(1);
  expect(talk.state.turns).toHaveLength(1);
});

test('if the selection was cut, the number of the last line in the document is shown', async () => {
  const talk = await answered('It adds.', 'stop', 90);
  expect(talk.state.hint).toBe('The selection is too long for this model: it was read only up to line 100.');
  const run = talk.conversation.retry();
  talk.finish('It adds, says a larger model.');
  await run;
  expect(talk.state.hint).toBe('');
});

test('an error is shown, and the question can be retried', async () => {
  const talk = new Talk();
  const run = talk.conversation.run();
  talk.fail(new Error('This code is not explained, because it seems to hold a password or a key.'));
  await run;
  expect(talk.state).toMatchObject({
    note: 'This code is not explained, because it seems to hold a password or a key.',
    actions: ['retry'],
  });
});
