// Prompts that are evaluated before a key needs them: at the resting cursor, and with the next anchor while typing.
import { expect, test } from 'vitest';
import { OpenDocument } from '../../../language-server/documents/open-document.ts';
import { CompletionProvider } from '../../../language-server/offers/provider.ts';
import { OtherCodeBudget } from '../../../language-server/prompt/read-ahead.ts';
import { type Mode, noTimings } from '../../../language-server/protocol/messages.ts';
import { defaultSettings } from '../../../language-server/protocol/settings.ts';
import { EngineError } from '../../../native/index.ts';
import { FakeEngine, type FakeOptions, loaded } from '../../fixtures/fake-engine.ts';
import { elapse, useFakeClock } from '../../support/fake-clock.ts';
import { cursorIn } from '../cursor.ts';

useFakeClock();

interface Where {
  uri?: string;
  languageId?: string;
  mode?: Mode;
}

/** A provider, and a user who rests or types in a document with the cursor at $0. */
function setUp(options: FakeOptions = {}) {
  const engine = new FakeEngine({ contextTokens: 4096, ...options });
  const provider = new CompletionProvider();
  const place = (marked: string, { uri = 'file:///a.ts', languageId = 'typescript', mode }: Where) => {
    const { text, offset } = cursorIn(marked);
    const document = OpenDocument.create(uri, languageId, 1, text);
    return { document, position: document.positionAt(offset), mode };
  };
  const rest = (marked: string, where: Where = {}) => {
    return provider.rest(place(marked, where), { local: engine }, defaultSettings);
  };
  const type = (marked: string, where: Where = {}) => {
    const request = { ...place(marked, where), context: { triggerKind: 2 } as const };
    return provider.provide(request, loaded(engine), () => defaultSettings);
  };
  return { engine, provider, rest, type };
}

const headOf = (prompt: string) => prompt.slice(0, prompt.indexOf('<|fim_middle|>'));
const lines = (count: number) => Array.from({ length: count }, (_, i) => `line ${i};\n`).join('');

test('evaluates the prompt at a resting cursor at background priority', async () => {
  const { engine, rest, type } = setUp();
  expect(await rest(`${lines(30)}$0\nrest`)).not.toBeNull();
  await type(`${lines(30)}a$0\nrest`);
  const [read] = engine.prefilled;
  expect(read?.priority).toBe('background');
  expect(read?.text).toContain('line 12;');
  expect(engine.detokenize(engine.requests[0]?.tokens ?? new Uint32Array())).toBe(read?.text);
});

test('the first line break keeps the anchor that was evaluated', async () => {
  const { engine, rest, type } = setUp();
  await rest(`${lines(30)}a();$0\nrest`);
  await type(`${lines(30)}a();\n$0\nrest`);
  const prompt = engine.detokenize(engine.requests[0]?.tokens ?? new Uint32Array());
  expect(headOf(prompt)).toBe(headOf(engine.prefilled[0]?.text ?? ''));
});

test('typing, moving the cursor, changing or closing the document aborts the evaluation', async () => {
  const { engine, provider, rest, type } = setUp({ prefillMs: 20 });
  const leave: (() => unknown)[] = [
    () => type('ab$0'),
    () => rest('$0a'),
    () => rest('$0', { uri: 'file:///b.ts' }),
    () => provider.forget('file:///a.ts'),
    () => provider.cancelAll(),
  ];
  for (const [i, left] of leave.entries()) {
    const reading = rest('a$0');
    void left();
    expect(await reading).toBeNull();
    expect(engine.cancelled).toBe(i + 1);
    await elapse(30);
  }
});

test.each<[string, Where]>([
  ['when switched off', { mode: 'off' }],
  ['in manual mode', { mode: 'manual' }],
  ['in a file that holds secrets', { uri: 'file:///p/.env' }],
])('reads nothing ahead %s', async (_, where) => {
  const { engine, rest } = setUp();
  expect(await rest('a$0', where)).toBeNull();
  expect(engine.prefilled).toEqual([]);
});

test('evaluates nothing for a model that cannot fill in the middle', async () => {
  const { engine, rest } = setUp({ special: { fimMiddle: -1 } });
  expect(await rest('a$0')).toBeNull();
  expect(engine.prefilled).toEqual([]);
});

test('moving the cursor to a file that holds secrets aborts the evaluation', async () => {
  const { engine, rest } = setUp({ prefillMs: 20 });
  const reading = rest('a$0');
  await rest('b$0', { uri: 'file:///p/.env' });
  expect(await reading).toBeNull();
  expect(engine.cancelled).toBe(1);
});

/** Types lines below others, key by key. No prompt is evaluated to its end until the test allows it. */
function typist() {
  const parts = setUp();
  const { engine } = parts;
  const readings: { text: string; signal: AbortSignal | undefined; end: () => void }[] = [];
  const prefill = engine.prefill.bind(engine);
  engine.prefill = async (tokens, priority, signal) => {
    await new Promise<void>((end) => void readings.push({ text: engine.detokenize(tokens), signal, end }));
    return prefill(tokens, priority, signal);
  };
  let typed = 0;
  const promptText = () => engine.detokenize(engine.requests.at(-1)?.tokens ?? new Uint32Array());
  /** Presses this number of keys. Returns the prompt for the last key. */
  const keys = async (count: number) => {
    for (const end = typed + count; typed < end; ) {
      await parts.type(`${lines(20)}${lines(100).slice(0, ++typed)}$0\nrest`);
    }
    return promptText();
  };
  const endReading = async () => {
    readings.at(-1)?.end();
    await elapse(10);
  };
  return { ...parts, readings, keys, endReading, promptText };
}

test('the held anchor is used until the next one is evaluated, including the text typed meanwhile', async () => {
  const { readings, keys, endReading } = typist();
  const first = headOf(await keys(1));
  while (readings.length === 0) expect(headOf(await keys(1))).toBe(first);
  expect(headOf(await keys(40))).toBe(first);
  await endReading();
  expect(readings).toHaveLength(2);
  expect(headOf(await keys(3))).toBe(first);
  await endReading();
  const prompt = await keys(1);
  expect(headOf(prompt)).not.toBe(first);
  const read = readings.map(({ text }) => text).filter((text) => prompt.startsWith(text));
  expect(prompt.length - (read.at(-1)?.length ?? 0)).toBeLessThanOrEqual(8);
});

test('typing on does not abort the evaluation of the next anchor', async () => {
  const { readings, keys } = typist();
  while (readings.length === 0) await keys(1);
  await keys(20);
  expect(readings).toHaveLength(1);
  expect(readings[0]?.signal?.aborted).toBe(false);
});

test('a change above the cursor drops the next anchor', async () => {
  const { readings, keys, type, promptText } = typist();
  while (readings.length === 0) await keys(1);
  await type(`changed\n${lines(20)}$0\nrest`);
  expect(readings[0]?.signal?.aborted).toBe(true);
  expect(promptText()).toContain('changed');
});

test('drops a next anchor that is not evaluated in time', async () => {
  const { readings, keys } = typist();
  const first = headOf(await keys(1));
  while (readings.length === 0) await keys(1);
  expect(headOf(await keys(600))).not.toBe(first);
});

test('a key pressed while the engine closes is answered, with no unhandled rejection', async () => {
  const { engine, type } = setUp();
  const unseen: unknown[] = [];
  const note = (error: unknown) => unseen.push(error);
  process.on('unhandledRejection', note);
  await type('a = $0');
  engine.tokenize = () => {
    throw new EngineError('closed', 'The engine is closed.');
  };
  await expect(type('a = b$0')).rejects.toThrow('The engine is closed.');
  await elapse(0);
  process.off('unhandledRejection', note);
  expect(unseen).toEqual([]);
});

/** The budget after requests with these numbers of tokens and durations in ms. */
function budget(contextTokens: number, ...read: [tokens: number, ms: number][]): number {
  const budget = new OtherCodeBudget(contextTokens);
  for (const [tokens, prefillMs] of read) budget.note({ ...noTimings, promptTokens: tokens, prefillMs });
  return budget.tokens;
}

test('the budget is the number of tokens that are read in 400 ms, as measured', () =>
  expect(budget(32_768, [1000, 1000])).toBe(400));

test('the budget is small before the first measurement', () => expect(budget(32_768)).toBe(256));

test('the budget of a fast machine is at most 1,536 tokens', () => expect(budget(32_768, [10_000, 100])).toBe(1536));

test('the budget is at most a sixteenth of the context', () => expect(budget(8192, [10_000, 100])).toBe(512));

test('the budget is zero with a short context', () => expect(budget(1500, [10_000, 100])).toBe(0));

test('on a slow machine, the budget is that of a small function if it is read within a second', () => {
  expect(budget(32_768, [1000, 5000])).toBe(96);
  expect(budget(32_768, [1000, 10_000])).toBe(96);
});

test('the budget of a slower machine is zero', () => expect(budget(32_768, [1000, 11_000])).toBe(0));

test('the budget shrinks if the machine becomes slower', () => {
  expect(budget(32_768, [1000, 1000], [1000, 4000])).toBe(250);
});

test('short requests do not count as measurements', () => expect(budget(32_768, [1000, 1000], [2, 100])).toBe(400));
