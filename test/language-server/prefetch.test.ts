import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { type Answer, CompletionProvider } from '../../language-server/completion/provider.ts';
import { defaultSettings } from '../../language-server/protocol.ts';
import { FakeEngine, type FakeOptions } from '../fixtures/fake-engine.ts';
import { atCursor } from './cursor.ts';

const uri = 'file:///a.ts';
const respond = (prompt: string) => (prompt.endsWith('answer();') ? '\nnext();' : 'answer();');

/** A provider that works ahead at once, asked for completions at $0. */
function setUp({ restMs = 0, ...options }: FakeOptions & { restMs?: number } = {}) {
  const engine = new FakeEngine({ respond, ...options });
  const provider = new CompletionProvider(restMs);
  const ask = (marked: string, onFirstText?: (text: string) => void): Promise<Answer> => {
    const { text, offset } = atCursor(marked);
    const document = TextDocument.create(uri, 'typescript', 1, text);
    const listening = onFirstText && {
      onItem: (item: { insertText: unknown }) => onFirstText(`${item.insertText}`),
    };
    const position = document.positionAt(offset);
    return provider.provide(document, position, { triggerKind: 2 }, engine, defaultSettings, listening);
  };
  const asked = (priority: string) => engine.requests.filter((request) => request.priority === priority).length;
  return { engine, provider, ask, asked };
}

/** Answers from memory cost the engine nothing. */
function checkFromMemory({ items, timings }: Answer, text: string): void {
  expect(items.map(({ insertText }) => insertText)).toEqual([text]);
  expect(timings.promptTokens).toBe(0);
}

test('answers from memory after the shown text was accepted', async () => {
  const { ask, asked } = setUp();
  await ask('a = $0\n');
  await vi.waitFor(() => expect(asked('background')).toBe(1));
  await sleep(50);
  checkFromMemory(await ask('a = answer();$0\n'), '\nnext();');
  expect(asked('foreground')).toBe(1);
});

test('makes one completion ahead of the one that is shown', async () => {
  const { ask, asked } = setUp();
  await ask('a = $0\n');
  await sleep(50);
  expect(asked('background')).toBe(1);
  await ask('a = answer();$0\n');
  await vi.waitFor(() => expect(asked('background')).toBe(2));
});

test('goes on from memory when the shown text was typed to its end', async () => {
  const { ask, asked } = setUp();
  await ask('a = $0\n');
  await sleep(50);
  for (let typed = 1; typed < 'answer();'.length; typed++) {
    checkFromMemory(await ask(`a = ${'answer();'.slice(0, typed)}$0\n`), 'answer();'.slice(typed));
  }
  checkFromMemory(await ask('a = answer();$0\n'), '\nnext();');
  expect(asked('foreground')).toBe(1);
});

test('remembers the rest of several lines when a word or a line of them is accepted', async () => {
  const { ask, asked } = setUp({ respond: () => '  one(1);\n  two(2);\n}' });
  await ask('if (a) {\n$0\nb();\n');
  checkFromMemory(await ask('if (a) {\n  one$0\nb();\n'), '(1);\n  two(2);\n}');
  checkFromMemory(await ask('if (a) {\n  one(1);$0\nb();\n'), '\n  two(2);\n}');
  checkFromMemory(await ask('if (a) {\n  one(1);\n  $0\nb();\n'), 'two(2);\n}');
  expect(asked('foreground')).toBe(1);
});

test('writes line breaks as the document does, so that they are known again', async () => {
  const { ask, asked } = setUp({ respond: () => '  one();\n  two();\n}' });
  await ask('if (a) {\r\n$0\r\nb();\r\n');
  checkFromMemory(await ask('if (a) {\r\n  one();\r\n$0\r\nb();\r\n'), '  two();\r\n}');
  expect(asked('foreground')).toBe(1);
});

test('takes over what is still being made', async () => {
  const { ask, asked, engine } = setUp({ tokenMs: 20 });
  await ask('a = $0\n');
  await vi.waitFor(() => expect(asked('background')).toBe(1));
  const firstTexts: string[] = [];
  checkFromMemory(await ask('a = answer();$0\n', (text) => firstTexts.push(text)), '\nnext();');
  expect(firstTexts).toEqual(['\nn']);
  expect(asked('foreground')).toBe(1);
  expect(engine.cancelled).toBe(0);
});

test('a request that is superseded while it takes over leaves the work going', async () => {
  const { ask, asked } = setUp({ tokenMs: 20 });
  await ask('a = $0\n');
  await vi.waitFor(() => expect(asked('background')).toBe(1));
  const first = ask('a = answer();$0\n');
  const second = ask('a = answer();$0\n');
  expect(await first).toMatchObject({ items: [], reason: 'cancelled' });
  checkFromMemory(await second, '\nnext();');
  expect(asked('foreground')).toBe(1);
});

test('gives up what it makes ahead when something else is typed', async () => {
  const { ask, asked, engine } = setUp({ tokenMs: 20 });
  await ask('a = $0\n');
  await vi.waitFor(() => expect(asked('background')).toBe(1));
  const { items } = await ask('ab = $0\n');
  expect(items).toHaveLength(1);
  expect(asked('foreground')).toBe(2);
  expect(engine.cancelled).toBe(1);
});

test('makes nothing ahead for a closed document', async () => {
  const { ask, asked, engine, provider } = setUp({ tokenMs: 20 });
  await ask('a = $0\n');
  await vi.waitFor(() => expect(asked('background')).toBe(1));
  provider.forget(uri);
  await vi.waitFor(() => expect(engine.cancelled).toBe(1));
  await sleep(50);
  expect(engine.requests).toHaveLength(2);
});

test('makes nothing ahead when there is nothing to accept', async () => {
  const { ask, engine } = setUp({ respond: () => '' });
  await ask('a = $0\n');
  await sleep(20);
  expect(engine.requests).toHaveLength(1);
});

test('waits for a rest before it works ahead', async () => {
  const { ask, asked } = setUp({ restMs: 100 });
  for (const typed of ['x', 'xy', 'xyz']) {
    await ask(`${typed} = $0\n`);
    expect(asked('background')).toBe(0);
  }
  await vi.waitFor(() => expect(asked('background')).toBe(1));
});

test('knows that nothing follows the accepted text', async () => {
  const { ask, asked } = setUp({ respond: (prompt) => (prompt.endsWith('answer();') ? '' : 'answer();') });
  await ask('a = $0\n');
  await vi.waitFor(() => expect(asked('background')).toBe(1));
  const { items, reason, timings } = await ask('a = answer();$0\n');
  expect({ items, reason }).toEqual({ items: [], reason: 'model-wrote-nothing' });
  expect(timings.promptTokens).toBe(0);
  expect(asked('foreground')).toBe(1);
});

test('asks the engine when the work ahead failed', async () => {
  const { ask, asked, engine } = setUp();
  const generate = engine.generate.bind(engine);
  engine.generate = (request, onText, signal) =>
    request.priority === 'background' ? Promise.reject(new Error('no memory')) : generate(request, onText, signal);
  await ask('a = $0\n');
  await sleep(20);
  const { items } = await ask('a = answer();$0\n');
  expect(items[0]?.insertText).toBe('\nnext();');
  expect(asked('foreground')).toBe(2);
});
