import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { EarlyAnswers, GrowingItem } from '../../language-server/completion/early-answers.ts';
import { CompletionProvider } from '../../language-server/completion/provider.ts';
import { defaultSettings } from '../../language-server/protocol.ts';
import { FakeEngine } from '../fixtures/fake-engine.ts';
import { atCursor } from './cursor.ts';

const automatic = { triggerKind: 2 } as const;
const invoked = { triggerKind: 1 } as const;

/** A model that needs tokenMs for each of the nine bytes of its answer; early answers after a moment of 20 ms. */
function setUp(tokenMs: number) {
  const engine = new FakeEngine({ respond: () => 'answer();', tokenMs });
  const provider = new CompletionProvider(60_000);
  const told: string[] = [];
  const early = new EarlyAnswers((uri, version, { line, character }) => {
    told.push(`${uri} ${version} ${line}:${character}`);
  }, 20);
  let version = 0;
  const ask = async (marked: string, context: { triggerKind: 1 | 2 } = automatic) => {
    const { text, offset } = atCursor(marked);
    const document = TextDocument.create('file:///a.ts', 'typescript', ++version, text);
    const position = document.positionAt(offset);
    const growing = new GrowingItem();
    const rest: (string | null)[] = [];
    const whole = provider.provide(
      document,
      position,
      early.wishOf(document, position, context),
      engine,
      defaultSettings,
      {
        onItem: (item) => growing.grow(item),
      },
    );
    const answer = await early.answer(document, position, growing, whole, ({ reason }) => rest.push(reason));
    return { texts: answer.items.map(({ insertText }) => insertText), reason: answer.reason, rest, whole };
  };
  /** The same request again, as a client makes it that was told. */
  const askAgain = (marked: string, context: { triggerKind: 1 | 2 }) => {
    version--;
    return ask(marked, context);
  };
  return { engine, told, ask, askAgain };
}

test('answers with the whole text when it comes in a moment', async () => {
  const { ask, told } = setUp(0);
  expect(await ask('a = $0')).toMatchObject({ texts: ['answer();'], reason: null });
  await sleep(40);
  expect(told).toEqual([]);
});

test('answers after a moment with the text so far, and tells when the rest has come', async () => {
  const { ask, askAgain, told, engine } = setUp(12);
  const { texts, reason, whole, rest } = await ask('a = $0');
  expect(texts).toHaveLength(1);
  expect('answer();'.startsWith(String(texts[0]))).toBe(true);
  expect(texts[0]).not.toBe('answer();');
  expect(reason).toBe('not-whole-yet');
  await whole;
  await sleep(0);
  expect(rest).toEqual([null]);
  expect(told).toEqual(['file:///a.ts 1 0:4']);
  // Asking again is not a wish for other texts, even though editors say that it is.
  expect(await askAgain('a = $0', invoked)).toMatchObject({ texts: ['answer();'], reason: null });
  expect(engine.requests).toHaveLength(1);
});

test('a first text that comes late is the answer at once', async () => {
  const { ask } = setUp(40);
  expect(await ask('a = $0')).toMatchObject({ texts: ['a'], reason: 'not-whole-yet' });
});

test('the next key gives up the rest, and nobody is told', async () => {
  const { ask, told, engine } = setUp(12);
  const first = await ask('a = $0');
  await ask('a = x$0');
  await first.whole;
  await sleep(0);
  expect(first.rest).toEqual(['cancelled']);
  expect(engine.cancelled).toBe(1);
  expect(told.filter((place) => place.endsWith(' 1 0:4'))).toEqual([]);
});

test('a wish for several texts at another time stays one', async () => {
  const { ask, engine } = setUp(0);
  await ask('a = $0');
  await ask('b = $0', invoked);
  expect(engine.requests.map(({ alternatives }) => alternatives ?? 1)).toEqual([1, 3]);
});
