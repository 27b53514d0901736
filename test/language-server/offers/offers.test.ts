// The life of an offer, from request to request.
import { expect, test } from 'vitest';
import type { Answer } from '../../../language-server/offers/provider.ts';
import { elapse, useFakeClock } from '../../support/fake-clock.ts';
import { invoked, setUp, texts } from '../asking.ts';

useFakeClock();

const respond = (prompt: string) => (prompt.endsWith('answer();') ? '\nnext();' : 'answer();');
/** Generates the text after a shown one without a pause. */
const eager = { respond, restMs: 0 };

/** Checks that an answer comes from memory and costs the engine nothing. */
function checkFromMemory(answer: Answer, text: string): void {
  expect(texts(answer)).toEqual([text]);
  expect(answer.timings.promptTokens).toBe(0);
}

test('answers from memory while the shown text is typed', async () => {
  const { ask, engine } = setUp();
  await ask('a = $0\n');
  const answer = await ask('a = ans$0\n');
  checkFromMemory(answer, 'wer();');
  expect(answer.reason).toBe('typed-along');
  expect(engine.requests).toHaveLength(1);
});

test('generates a text again after the settings have changed', async () => {
  const { ask, engine } = setUp();
  await ask('a = $0\n');
  expect(texts(await ask('a = $0\n', { settings: { 'completion.maxTokens': 7 } }))).toEqual(['answer']);
  expect(engine.requests).toHaveLength(2);
});

test('a key that agrees with a running stream adopts it', async () => {
  const { ask, engine } = setUp({ tokenMs: 10 });
  const controller = new AbortController();
  const first = ask('a = $0\n', { signal: controller.signal });
  await elapse(25);
  controller.abort();
  checkFromMemory(await ask('a = ans$0\n'), 'wer();');
  expect((await first).reason).toBe('superseded');
  expect([engine.requests.length, engine.cancelled]).toEqual([1, 0]);
});

test('a key that disagrees with a running stream ends it', async () => {
  const { ask, engine } = setUp({ tokenMs: 10, respond: (prompt) => (prompt.endsWith('x') ? 'yz' : 'answer();') });
  const first = ask('a = $0\n');
  await elapse(25);
  expect(texts(await ask('a = x$0\n'))).toEqual(['yz']);
  expect((await first).reason).toBe('superseded');
  expect([engine.requests.length, engine.cancelled]).toEqual([2, 1]);
});

test('an adopted stream whose text turns out to differ is replaced by a new one', async () => {
  const { ask, engine } = setUp({ tokenMs: 10, respond: (prompt) => (prompt.endsWith('x') ? 'yz' : 'answer();') });
  void ask('a = $0\n');
  await elapse(2);
  expect(texts(await ask('a = x$0\n'))).toEqual(['yz']);
  expect([engine.requests.length, engine.cancelled]).toEqual([2, 1]);
});

test('if no key adopts a cancelled request, its generation ends', async () => {
  const { ask, engine } = setUp({ tokenMs: 10 });
  const controller = new AbortController();
  const answer = ask('a = $0\n', { signal: controller.signal });
  await elapse(5);
  controller.abort();
  expect((await answer).reason).toBe('superseded');
  expect(engine.cancelled).toBe(0);
  await elapse(30);
  expect(engine.cancelled).toBe(1);
});

test('if the next key is refused, the generation for the key before ends', async () => {
  const { ask, engine } = setUp({ tokenMs: 10 });
  void ask('a = $0\n');
  await elapse(5);
  expect((await ask('a = a$0\n', { mode: 'off' })).reason).toBe('off');
  await elapse(30);
  expect(engine.cancelled).toBe(1);
});

test('a half-generated text is generated again when the cursor returns', async () => {
  const text = [...'abcdefghijkl'].join(' + ');
  const { ask, engine } = setUp({ respond: () => text, tokenMs: 10, graceMs: 80 });
  const controller = new AbortController();
  const answer = ask('a = $0\n', { signal: controller.signal });
  await elapse(2);
  controller.abort();
  await answer;
  await elapse(120);
  expect(engine.cancelled).toBe(1);
  expect(texts(await ask('a = $0\n'))).toEqual([text]);
});

test('generation ends at once when the cursor leaves the place', async () => {
  const respond = () => 'one(two, three, four, five, six);';
  const { ask, engine, provider } = setUp({ respond, tokenMs: 10, earlyAnswerMs: 15 });
  expect((await ask('a = $0\n')).reason).toBe('still-growing');
  provider.leave('file:///a.ts');
  await elapse(10);
  expect(engine.cancelled).toBe(1);
});

test('dismissed text does not come back at the same place unless the document changes', async () => {
  const { ask, engine, provider, grown } = setUp({ tokenMs: 10, earlyAnswerMs: 15, growthMs: 0 });
  await ask('a = $0\n', { version: 7 });
  provider.leave('file:///a.ts', { version: 7, position: { line: 0, character: 4 } });
  await elapse(10);
  expect(engine.cancelled).toBe(1);
  expect(await ask('a = $0\n', { version: 7 })).toMatchObject({ items: [], reason: 'dismissed' });
  expect(grown).toEqual([]);
  expect(engine.requests).toHaveLength(1);
  expect(texts(await ask('a = $0\n', { version: 8 }))).toHaveLength(1);
  provider.leave('file:///a.ts', { version: 8, position: { line: 0, character: 4 } });
  expect(texts(await ask('a = $0\n', { version: 8, context: invoked }))).toHaveLength(1);
});

test('answers with the whole text if it is generated quickly', async () => {
  const { ask, grown } = setUp({ earlyAnswerMs: 2000 });
  expect(await ask('a = $0')).toMatchObject({ reason: 'shown', items: [{ insertText: 'answer();' }] });
  await elapse(40);
  expect(grown).toEqual([]);
});

test('answers with the text so far if generation is slow, and announces the rest', async () => {
  const { ask, grown, engine } = setUp({ tokenMs: 12, earlyAnswerMs: 20 });
  const early = await ask('a = $0');
  expect(early.reason).toBe('still-growing');
  expect('answer();'.startsWith(String(texts(early)[0]))).toBe(true);
  await elapse(100);
  expect(grown).toEqual(['file:///a.ts 1 0:4']);
  checkFromMemory(await ask('a = $0'), 'answer();');
  expect(engine.requests).toHaveLength(1);
});

test('announces growth before a slow text is complete', async () => {
  const respond = () => [...'abcdefghijklmnopqrstuvwxyz'].join(' + '); // takes two seconds
  const { ask, grown } = setUp({ respond, tokenMs: 20, earlyAnswerMs: 20, growthMs: 40 });
  await ask('a = $0');
  await elapse(200);
  expect(grown).toHaveLength(1);
  expect((await ask('a = $0')).reason).toBe('still-growing');
});

test('a key that disagrees with an early answer ends it without a notification', async () => {
  const { ask, grown, engine } = setUp({ tokenMs: 12, earlyAnswerMs: 20 });
  await ask('a = $0');
  await ask('a = x$0', { version: 2 });
  await elapse(100);
  expect(engine.cancelled).toBe(1);
  expect(grown.filter((place) => place.endsWith(' 1 0:4'))).toEqual([]);
});

test('answers from memory after the shown text was accepted', async () => {
  const { ask, asked } = setUp(eager);
  await ask('a = $0\n');
  await elapse(50);
  expect(asked('background')).toBe(1);
  checkFromMemory(await ask('a = answer();$0\n'), '\nnext();');
  expect(asked('foreground')).toBe(1);
});

test('if an early answer turns out to be the whole text, generates the text after it ahead', async () => {
  const respond = (prompt: string) => (prompt.endsWith('answer();') ? '\nnext();' : 'answer();\n');
  const { ask, asked, grown } = setUp({ respond, restMs: 0, tokenMs: 10, earlyAnswerMs: 95 });
  const early = await ask('a = $0\n');
  expect([early.reason, texts(early)]).toEqual(['still-growing', ['answer();']]);
  await elapse(50);
  expect([asked('background'), grown]).toEqual([1, []]);
});

test('answers from memory when the shown text was typed to its end', async () => {
  const { ask, asked } = setUp(eager);
  await ask('a = $0\n');
  await elapse(50);
  for (let typed = 1; typed < 'answer();'.length; typed++)
    checkFromMemory(await ask(`a = ${'answer();'.slice(0, typed)}$0\n`), 'answer();'.slice(typed));
  checkFromMemory(await ask('a = answer();$0\n'), '\nnext();');
  expect(asked('foreground')).toBe(1);
});

test('when a word or a line of a longer text is accepted, the rest is answered from memory', async () => {
  const { ask, asked } = setUp({ respond: () => '  one(1);\n  two(2);\n}' });
  await ask('if (a) {\n$0\nb();\n');
  checkFromMemory(await ask('if (a) {\n  one$0\nb();\n'), '(1);\n  two(2);\n}');
  checkFromMemory(await ask('if (a) {\n  one(1);$0\nb();\n'), '\n  two(2);\n}');
  checkFromMemory(await ask('if (a) {\n  one(1);\n  $0\nb();\n'), 'two(2);\n}');
  expect(asked('foreground')).toBe(1);
});

test('when the user accepts a suggestion, adopts the offer that is generated for the place after it', async () => {
  const { ask, asked, engine } = setUp({ ...eager, tokenMs: 20 });
  await ask('a = $0\n');
  await elapse(10);
  expect(asked('background')).toBe(1);
  checkFromMemory(await ask('a = answer();$0\n'), '\nnext();');
  expect(asked('foreground')).toBe(1);
  expect(engine.cancelled).toBe(0);
});

test('aborts generating ahead when something else is typed', async () => {
  const { ask, asked, engine } = setUp({ ...eager, tokenMs: 20 });
  await ask('a = $0\n');
  await elapse(10);
  expect(asked('background')).toBe(1);
  expect(texts(await ask('ab = $0\n'))).toHaveLength(1);
  expect(asked('foreground')).toBe(2);
  expect(engine.cancelled).toBe(1);
});

test('generates nothing ahead for a closed document', async () => {
  const { ask, asked, engine, provider } = setUp({ ...eager, tokenMs: 20 });
  await ask('a = $0\n');
  await elapse(10);
  expect(asked('background')).toBe(1);
  provider.forget('file:///a.ts');
  await elapse(1000);
  expect(engine.cancelled).toBe(1);
  expect(engine.requests).toHaveLength(2);
});

test('generates nothing ahead when there is nothing to accept', async () => {
  const { ask, engine } = setUp({ restMs: 0, respond: () => '' });
  await ask('a = $0\n');
  await elapse(20);
  expect(engine.requests).toHaveLength(1);
});

test('waits for a pause before it generates ahead', async () => {
  const { ask, asked } = setUp({ respond, restMs: 100 });
  for (const typed of ['x', 'xy', 'xyz']) {
    await ask(`${typed} = $0\n`);
    await elapse(90);
    expect(asked('background')).toBe(0);
  }
  await elapse(10);
  expect(asked('background')).toBe(1);
});

test('does not ask the engine again if nothing follows the accepted text', async () => {
  const { ask, asked } = setUp({
    restMs: 0,
    respond: (prompt) => (prompt.endsWith('answer();') ? '' : 'answer();'),
  });
  await ask('a = $0\n');
  await elapse(10);
  expect(asked('background')).toBe(1);
  const { items, reason, timings } = await ask('a = answer();$0\n');
  expect({ items, reason }).toEqual({ items: [], reason: 'model-wrote-nothing' });
  expect(timings.promptTokens).toBe(0);
  expect(asked('foreground')).toBe(1);
});

test('asks the engine again when generating ahead has failed', async () => {
  const { ask, asked, engine } = setUp(eager);
  const generate = engine.generate.bind(engine);
  engine.generate = (request, onText, signal) =>
    request.priority === 'background' ? Promise.reject(new Error('no memory')) : generate(request, onText, signal);
  await ask('a = $0\n');
  await elapse(20);
  expect(texts(await ask('a = answer();$0\n'))).toEqual(['\nnext();']);
  expect(asked('foreground')).toBe(2);
});

test('reports a failure, and the next request tries again', async () => {
  const { ask, engine } = setUp();
  const generate = engine.generate.bind(engine);
  engine.generate = () => Promise.reject(new Error('no memory'));
  await expect(ask('a = $0\n')).rejects.toThrow('no memory');
  engine.generate = generate;
  expect(texts(await ask('a = $0\n'))).toEqual(['answer();']);
});

test('an aborted generation that fails later does not fail the next request', async () => {
  const { ask, engine } = setUp({ tokenMs: 10 });
  const generate = engine.generate.bind(engine);
  engine.generate = async (...request) => {
    const answer = await generate(...request);
    if (answer.finishReason === 'cancelled') throw new Error('the GPU is lost');
    return answer;
  };
  const controller = new AbortController();
  const first = ask('a = $0\n', { signal: controller.signal });
  await elapse(5);
  controller.abort();
  expect((await first).reason).toBe('superseded');
  await elapse(100);
  expect(engine.cancelled).toBe(1);
  expect(texts(await ask('a = $0\n'))).toEqual(['answer();']);
});

test('answers from memory while any of the alternatives is typed', async () => {
  const { ask, engine } = setUp({ otherAnswers: ['other();'] });
  await ask('a = $0\n', { context: invoked });
  expect(texts(await ask('a = oth$0\n'))).toEqual(['er();']);
  expect(engine.requests).toHaveLength(1);
});

test('when asked for alternatives, offers the shown text first', async () => {
  const { ask } = setUp({
    respond: (prompt) => (prompt.endsWith('= ') ? 'answer();' : 'another();'),
    otherAnswers: ['third();'],
  });
  await ask('a = $0\n');
  expect(texts(await ask('a = ans$0\n', { context: invoked }))).toEqual(['wer();', 'another();', 'third();']);
});

test('alternatives requested while the text is growing include its final form', async () => {
  const { ask } = setUp({ otherAnswers: ['another();'], tokenMs: 15, earlyAnswerMs: 40, growthMs: 60_000 });
  const early = await ask('a = $0\n');
  expect(early.reason).toBe('still-growing');
  expect(texts(await ask('a = $0\n', { context: invoked }))).toEqual(['answer();', 'another();']);
});

/** A text that is likely enough for the usual gate, but not for a stricter one. */
const unsure = { respond, logProbability: (index: number) => (index === 0 ? Math.log(0.1) : 0) };

test('after the user has typed something other than the shown text, suggestions in this line must be likelier', async () => {
  const { ask } = setUp(unsure);
  expect(texts(await ask('a = $0\n'))).toEqual(['answer();']);
  expect(await ask('a = x$0\n')).toMatchObject({ items: [], reason: 'unsure' });
  expect(await ask('a = xy$0\n')).toMatchObject({ items: [], reason: 'unsure' });
  expect(texts(await ask('a = xy\n$0\n'))).toEqual(['answer();']);
});

test('after the user has dismissed a text, suggestions in its line must be likelier', async () => {
  const { ask, provider } = setUp(unsure);
  await ask('a = $0\n', { version: 7 });
  provider.leave('file:///a.ts', { version: 7, position: { line: 0, character: 4 } });
  expect(await ask('a = x$0\n', { version: 8 })).toMatchObject({ items: [], reason: 'unsure' });
});

test('text that is generated ahead for a line with a rejected suggestion must also be likelier', async () => {
  let isSure = true;
  const { ask, asked } = setUp({
    respond: (prompt) => {
      isSure = !prompt.endsWith('b');
      return prompt.endsWith('a = x') ? 'y + b' : ' + c;';
    },
    logProbability: (index) => (index === 0 && !isSure ? Math.log(0.1) : 0),
    restMs: 0,
  });
  await ask('a = $0\n');
  expect(texts(await ask('a = x$0\n'))).toEqual(['y + b']);
  await elapse(50);
  expect(asked('background')).toBe(1);
  expect(await ask('a = xy + b$0\n')).toMatchObject({ items: [], reason: 'unsure' });
});

test('text that was typed, accepted or never shown does not count as rejected', async () => {
  const { ask } = setUp({ ...unsure, restMs: 10_000 });
  await ask('a = $0\n');
  await ask('a = ans$0\n');
  expect(texts(await ask('a = answer();b$0\n'))).toEqual(['answer();']);
});
