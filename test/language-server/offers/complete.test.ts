import { expect, test } from 'vitest';
import { type CompletionOptions, generate } from '../../../language-server/offers/complete.ts';
import { GrowingText } from '../../../language-server/offers/growing-text.ts';
import { Anchors } from '../../../language-server/prompt/anchors.ts';
import { placeAt } from '../../../language-server/shape/place.ts';
import type { Suggestion } from '../../../language-server/shape/shape.ts';
import { FakeEngine, type FakeOptions } from '../../fixtures/fake-engine.ts';
import { atCursor } from '../cursor.ts';

async function ask(marked: string, model: FakeOptions, options: Partial<CompletionOptions> = {}) {
  const engine = new FakeEngine(model);
  const early: string[] = [];
  const asked = { maxTokens: 200, multiline: 'auto' as const, ...options };
  const onGrowth = ({ text }: Suggestion) => early.push(text);
  const completion = await generate(engine, new Anchors(engine), atCursor(marked), asked, onGrowth);
  return { ...completion, early, shown: completion.suggestions[0], engine };
}

const writes = (text: string): FakeOptions => ({ respond: () => text });

test('shows a growing text word by word', async () => {
  const { early, shown } = await ask('a = $0\n', writes('total + extra(one);'));
  expect(early).toEqual(['total', 'total + extra', 'total + extra(one)', 'total + extra(one);']);
  expect(shown?.text).toBe('total + extra(one);');
});

test('shows further lines one by one, each once it is complete', async () => {
  const { early } = await ask('if (a) {$0\n', writes('first();\n  second();\n  third();'));
  expect(early).toEqual(['\n  first', '\n  first()', '\n  first();', '\n  first();\n  second();']);
});

test.each([
  ['before a closing bracket', 'print($0)\n', 'first, second)'],
  ['in the middle of a line', 'const total = $0 + tax;\n', 'price * count'],
  ['in an empty body, whose brace has to move', 'function f() {$0}\n', 'first();\n}'],
])('shows nothing early %s', async (_, marked, text) => {
  const { early, shown } = await ask(marked, writes(text));
  expect(early).toEqual([]);
  expect(shown).toBeDefined();
});

test('does not show text early while it may become the line below', async () => {
  const { early, reason } = await ask('$0\nreturn total;\n', writes('return total;'));
  expect(early).toEqual([]);
  expect(reason).toBe('repeats-line');
});

test('keeps text that was shown early, even if the whole text is a repetition', async () => {
  const { early, shown } = await ask('function f() {$0\n', writes('same(a);\n  same(a);\n  same(a);\n  same(a);'));
  expect(early.at(-1)).toBeDefined();
  expect(shown?.text).toBe(early.at(-1));
});

test('ends the generation once the text is too unlikely to be shown', async () => {
  const logProbability = (index: number) => (index === 10 ? Math.log(0.001) : 0);
  const { timings, shown } = await ask('a = $0\n', { ...writes('total(unlikely, '.repeat(9)), logProbability });
  expect(timings.completionTokens).toBe(11);
  expect(shown?.text).toBe('total');
});

test('text that comes after the engine was told to stop changes nothing', async () => {
  const logProbability = (index: number) => (index === 8 ? Math.log(0.5) : 0);
  const model = { ...writes('call(one, two, three)'), otherAnswers: ['f(other, and more of it'], logProbability };
  const gate = { line: 0.7, beginning: 0.45 };
  const shown = async (tokensInFlight: number) =>
    (await ask('a = $0\n', { ...model, tokensInFlight }, { gate, alternatives: 2 })).suggestions;
  const once = await shown(0);
  expect(once[0]?.text).toBe('call');
  for (const late of [1, 5, 8]) expect(await shown(late)).toEqual(once);
});

test('shows an alternative if the main answer adds nothing', async () => {
  const { suggestions } = await ask('print($0)\n', { ...writes(')'), otherAnswers: ['a, b)'] }, { alternatives: 2 });
  expect(suggestions.map(({ text }) => text)).toEqual(['a, b']);
});

const sureBut = (unlikely: string, text: string) => (index: number) =>
  index === text.indexOf(unlikely) ? Math.log(0.4) : 0;

const forkingText = 'sum(price);';
/** A model that is least sure of the word in brackets. */
const forking: FakeOptions = {
  respond: (prompt) => (prompt.endsWith('sum(') ? 'price);' : forkingText),
  otherAnswers: ['total);'],
  logProbability: sureBut('price', forkingText),
};

test('other texts fork from the likeliest one where the model was least sure of a word', async () => {
  const { suggestions, engine } = await ask('a = $0\n', forking, { alternatives: 3, maxTokens: 20 });
  expect(suggestions.map((each) => each.text)).toEqual(['sum(price);', 'total', 'sum(total);']);
  expect(engine.requests.map(({ maxTokens }) => maxTokens)).toEqual([20, 15]);
});

test('the text of a fork is not shown before it is finished', async () => {
  const { early, engine } = await ask('a = $0\n', forking, { alternatives: 2 });
  expect(early.at(-1)).toBe(forkingText);
  expect(new Set(early).size).toBe(early.length);
  expect(engine.requests).toHaveLength(2);
});

test('if other texts cannot be generated, the likeliest one is shown', async () => {
  const fails: FakeOptions['respond'] = (prompt) => {
    if (prompt.endsWith('sum(')) throw new Error('the context is full');
    return forkingText;
  };
  const { suggestions } = await ask('a = $0\n', { ...forking, respond: fails }, { alternatives: 2 });
  expect(suggestions.map(({ text }) => text)).toEqual([forkingText, 'total']);
});

test('no text forks behind an invisible character that is not shown', async () => {
  const text = 'sum(\u202eprice);';
  const respond = (prompt: string) => (prompt.endsWith('\u202e') ? 'price);' : text);
  const model = { respond, otherAnswers: ['total);'], logProbability: sureBut('price', text) };
  const { suggestions } = await ask('a = $0\n', model, { alternatives: 3 });
  expect(suggestions.map((each) => each.text)).toEqual(['sum(price);', 'total']);
});

test('where other texts fork does not depend on how late the engine stops', async () => {
  const text = 'a(x) + bcd(one);';
  const logProbability = (index: number) => Math.log(text[index] === 'x' ? 0.6 : text[index] === 'b' ? 0.02 : 1);
  const model = { ...writes(text), otherAnswers: ['y;'], logProbability };
  const gate = { line: 0.3, beginning: 0.3 };
  const shown = async (tokensInFlight: number) =>
    (await ask('      if (x) {$0\n', { ...model, tokensInFlight }, { gate, alternatives: 2 })).suggestions;
  const once = await shown(0);
  expect(once.length).toBeGreaterThan(0);
  for (const late of [1, 3, 8]) expect(await shown(late)).toEqual(once);
});

test('an alternative is judged without its first token, unless that is nearly impossible', async () => {
  const shownIf = async (probability: number) => {
    const logProbability = (index: number) => (index === 0 ? Math.log(probability) : 0);
    const model = { ...writes('(a);'), otherAnswers: ['b;'], logProbability };
    return (await ask('a = $0\n', model, { alternatives: 2, gate: { line: 0.3, beginning: 0.3 } })).shown;
  };
  expect(await shownIf(0.02)).toMatchObject({ text: 'b;', probability: expect.closeTo(0.02) });
  expect(await shownIf(0.009)).toBeUndefined();
});

test('reports how likely the shown text is', async () => {
  const logProbability = (index: number) => (index === 0 ? Math.log(0.5) : 0);
  const { shown } = await ask('a = $0\n', { ...writes('total;'), logProbability });
  expect(shown?.probability).toBeCloseTo(0.5);
});

test('shows less text the calmer the setting is', async () => {
  const model = { ...writes('total;'), logProbability: (index: number) => (index === 0 ? Math.log(0.15) : 0) };
  const shown = async (confidence: 'eager' | 'balanced' | 'calm') =>
    (await ask('a = $0\n', model, { confidence })).shown?.text;
  expect(await shown('eager')).toBe('total;');
  expect(await shown('balanced')).toBe('total;');
  expect(await shown('calm')).toBeUndefined();
});

test('completes an empty body as if Enter had been pressed', async () => {
  const { engine, shown } = await ask('function f() {$0}\r\nnext();\r\n', writes('first();\n}'));
  const [request] = engine.requests;
  const prompt = engine.detokenize(Uint32Array.from([...(request?.tokens ?? []), ...(request?.heal ?? [])]));
  expect(prompt).toMatch(/function f\(\) \{\n {2}$/);
  expect(shown).toEqual({ text: '\n  first();\n}', replaces: 1, probability: 1 });
});

test('ends a text that is longer than its tokens allow', () => {
  const text = new GrowingText(placeAt(atCursor('a = $0\n'), 'auto'), { line: 0.1, beginning: 0.1 }, 2);
  expect(text.add('total + ', 0)?.text).toBe('total');
  expect(text.add('x'.repeat(100_000), 0)).toBeNull();
  expect(text.isEnough).toBe(true);
});

test('completes the head of a block whose body is below, whatever the text far above', async () => {
  const above = `class A {\n${'  one() {}\n'.repeat(600)}`;
  const { shown } = await ask(`${above}  inte$0\n    return item;\n  }\n}\n`, writes('grate(item) {'));
  expect(shown?.text).toBe('grate(item) {');
});
