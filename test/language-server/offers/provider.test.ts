import { expect, test } from 'vitest';
import { OpenDocument } from '../../../language-server/documents/open-document.ts';
import { type Answer, CompletionProvider } from '../../../language-server/offers/provider.ts';
import { defaultSettings } from '../../../language-server/protocol/settings.ts';
import { FakeEngine, loaded } from '../../fixtures/fake-engine.ts';
import { type Ask, automatic, invoked, setUp, texts } from '../asking.ts';

async function checkRefused(asked: Ask, reason: Answer['reason']): Promise<void> {
  const { engine, ask } = setUp();
  expect(await ask('a = $0', asked)).toMatchObject({ items: [], reason });
  expect(engine.requests).toEqual([]);
}

test('offers the text at the cursor', async () => {
  const { items, reason } = await setUp().ask('a = $0\n');
  const position = { line: 0, character: 4 };
  expect(items).toEqual([{ insertText: 'answer();', range: { start: position, end: position } }]);
  expect(reason).toBe('shown');
});

test('offers nothing when switched off', () => checkRefused({ settings: { mode: 'off' } }, 'off'));

test('offers nothing automatically in manual mode', () => checkRefused({ mode: 'manual' }, 'manual'));

test('offers text in manual mode on request', async () => {
  const { items } = await setUp().ask('a = $0', { mode: 'manual', context: invoked });
  expect(items).toHaveLength(1);
});

test('the mode of a document overrides the general setting', async () => {
  const { items } = await setUp().ask('a = $0', { mode: 'automatic', settings: { mode: 'off' } });
  expect(items).toHaveLength(1);
});

test.each([
  'file:///p/.env',
  'file:///p/.env.local',
  'file:///k/server.pem',
  'untitled:id_rsa',
  'file:///secrets.yaml',
])('offers nothing in %s, which might hold secrets', (uri) => checkRefused({ uri }, 'secrets-file'));

test('offers nothing in a commit message', () =>
  checkRefused({ uri: 'file:///.git/COMMIT_EDITMSG', languageId: 'git-commit' }, 'message'));

test("sends no text that contains a secret to a team's server", async () => {
  const { ask, engine } = setUp();
  const text = `const key = 'AKIA${'J7Q2XMPR5TKC3VWN'}';\na = $0`;
  expect((await ask(text)).items).toHaveLength(1);
  const settings = { 'server.url': 'https://coder.example' };
  expect(await ask(text, { settings, version: 2 })).toMatchObject({ items: [], reason: 'secrets-file' });
  expect(engine.requests).toHaveLength(1);
});

test('completes files whose names only resemble those of secrets', async () => {
  const { items } = await setUp().ask('a = $0', { uri: 'file:///src/environment.ts' });
  expect(items).toHaveLength(1);
});

test('continues the entry selected in the suggest widget', async () => {
  const { ask, engine } = setUp({ respond: (prompt) => (prompt.endsWith('console.log') ? '(1);' : 'wrong') });
  const range = { start: { line: 0, character: 8 }, end: { line: 0, character: 10 } };
  const context = { ...automatic, selectedCompletionInfo: { range, text: 'log' } };
  const { items } = await ask('console.lo$0\n', { context });
  expect(items).toEqual([{ insertText: 'log(1);', range }]);
  expect(engine.requests).toHaveLength(1);
});

test('a keystroke adds one token to a cached prompt', async () => {
  const { ask } = setUp({ respond: () => '' });
  await ask('const total = abcd$0\nend');
  const { timings } = await ask('const total = abcde$0\nend');
  expect(timings.promptTokens - timings.cachedTokens).toBe(1);
});

test('requests in different documents do not disturb each other', async () => {
  const { ask } = setUp({ tokenMs: 2 });
  const answers = await Promise.all([
    ask('a = $0', { uri: 'file:///one.ts' }),
    ask('a = $0', { uri: 'file:///two.ts' }),
  ]);
  expect(answers.map(({ items }) => items.length)).toEqual([1, 1]);
});

test('ends the generation as soon as a stop rule has cut the text', async () => {
  const { ask } = setUp({ respond: () => `one();\n${'two();\n'.repeat(50)}` });
  const { items, timings } = await ask('a = $0\n', { settings: { 'completion.maxTokens': 300 } });
  expect(items[0]?.insertText).toBe('one();');
  expect(timings.completionTokens).toBeLessThan(20);
});

test('ends the generation at the bracket that the editor has closed', async () => {
  const { ask } = setUp({ respond: () => 'a, b) and so on, to the end of the line' });
  const { items, timings } = await ask('print($0)\n');
  expect(items[0]?.insertText).toBe('a, b');
  // One token more: a semicolon after the bracket might be shown.
  expect(timings.completionTokens).toBe('a, b) '.length);
});

test('asks for at most as many tokens as fit into the context', async () => {
  const { ask, engine } = setUp({ contextTokens: 100 });
  await ask('a = $0', { settings: { 'completion.maxTokens': 5000 } });
  const [request] = engine.requests;
  expect((request?.tokens.length ?? 0) + (request?.maxTokens ?? 0)).toBe(100);
});

test('says why there is no completion when the model cannot fill in the middle', async () => {
  const { ask } = setUp({ special: { fimMiddle: -1 } });
  expect(await ask('a = $0')).toMatchObject({ items: [], reason: 'model-cannot-fill-in' });
});

test('answers have plain line feeds, whatever the line ends of the document: some editors convert them', async () => {
  const { ask } = setUp({ respond: () => '\n  first();\n}' });
  const { items } = await ask('function f() {$0\r\n', { version: 1 });
  expect(items[0]?.insertText).toContain('\n');
  expect(items[0]?.insertText).not.toContain('\r');
});

test('asks only once if the model writes nothing but a comma that JSON does not allow', async () => {
  const { ask, engine } = setUp({ respond: () => ',' });
  const answer = await ask('{"a": 1$0}\n', { languageId: 'json' });
  expect(answer).toMatchObject({ items: [], reason: 'does-not-fit-rest' });
  expect(engine.requests).toHaveLength(1);
});

test('lone surrogates do no harm', async () => {
  const { items } = await setUp({ respond: () => 'answer' }).ask('a = "\ud83d"; b = \udc00$0 + "\ud800"');
  expect(items).toHaveLength(1);
});

test('forgets a closed document', async () => {
  const { ask, provider, engine } = setUp();
  await ask('a = $0\n');
  provider.forget('file:///a.ts');
  await ask('a = ans$0\n');
  expect(engine.requests).toHaveLength(2);
});

test('evaluates the next anchor before the given text is too long for the held one', async () => {
  const { ask, engine } = setUp({ respond: () => '' });
  const above = 'above();\n'.repeat(20);
  const states = Array.from({ length: 30 }, (_, lines) => `${above}${'typed();\n'.repeat(lines)}$0\nend`);
  const evaluated: number[] = [];
  for (const state of states) {
    const { timings } = await ask(state);
    evaluated.push(timings.promptTokens - timings.cachedTokens);
    await new Promise((resolve) => setImmediate(resolve));
  }
  // The first request finds an empty cache. Each further line costs nine tokens (bytes), even when the anchor moves.
  expect(engine.prefilled.length).toBeGreaterThan(0);
  expect(Math.max(...evaluated.slice(1))).toBeLessThan(12);
});

test('prepares no next anchor while the given text is short', async () => {
  const { ask, engine } = setUp({ respond: () => '' });
  await ask('a = $0\nend');
  expect(engine.prefilled).toEqual([]);
});

test('an explicit request gets up to three answers, the automatic one first', async () => {
  const { ask, engine } = setUp({ otherAnswers: ['other();', 'third();', 'fourth();'] });
  expect(texts(await ask('a = $0\n', { context: invoked }))).toEqual(['answer();', 'other();', 'third();']);
  expect(engine.requests[0]?.alternatives).toBe(3);
  expect(texts(await ask('ab = $0\n'))).toEqual(['answer();']);
  expect(engine.requests[1]?.alternatives).toBe(1);
});

test('trims every alternative, and drops those that differ in white space only or add nothing', async () => {
  const { ask } = setUp({ respond: () => 'a, b)', otherAnswers: ['a,b) {', ')'] });
  expect(texts(await ask('print($0)\n', { context: invoked }))).toEqual(['a, b']);
});

test('the end of an answer depends only on its own text, with or without alternatives', async () => {
  const { ask } = setUp({ respond: () => `one();\n${'two();\n'.repeat(50)}` });
  const { items, timings } = await ask('a = $0\n', {
    context: invoked,
    settings: { 'completion.maxTokens': 300 },
  });
  expect(items[0]?.insertText).toBe('one();');
  expect(timings.completionTokens).toBe('one();\n'.length);
});

test('when the user leaves a document, the engine learns it once per version', async () => {
  const { engine, provider } = setUp();
  const documents = [1, 2].map((i) => OpenDocument.create(`file:///${i}.ts`, 'typescript', 1, `text ${i}\n`));
  const [first, second] = documents as [OpenDocument, OpenDocument];
  const visit = (document: OpenDocument) =>
    provider.provide(
      { document, position: { line: 1, character: 0 }, context: automatic },
      loaded(engine),
      () => defaultSettings,
    );
  for (const document of [first, first, second, first, second]) await visit(document);
  expect(engine.learned).toEqual(['text 1\n', 'text 2\n']);
  const change = { range: { start: { line: 0, character: 0 }, end: { line: 0, character: 4 } }, text: 'new' };
  OpenDocument.update(first, [change], 2);
  for (const document of [first, second]) await visit(document);
  expect(engine.learned).toEqual(['text 1\n', 'text 2\n', 'new 1\n']);
});

test('a closed document is not learned', async () => {
  const { engine, provider } = setUp();
  const [first, second] = [1, 2].map((i) => OpenDocument.create(`file:///${i}.ts`, 'typescript', 1, `text ${i}\n`));
  const visit = (document: OpenDocument) =>
    provider.provide(
      { document, position: { line: 1, character: 0 }, context: automatic },
      loaded(engine),
      () => defaultSettings,
    );
  await visit(first as OpenDocument);
  provider.forget('file:///1.ts');
  await visit(second as OpenDocument);
  expect(engine.learned).toEqual([]);
});

test('a document with a secret is not learned, however far down it is', async () => {
  const { engine, provider } = setUp();
  const secret = `const password = "hV7x9Qz2${'kLmP4rT8'}";\n`;
  const texts = [`${'const a = 1;\n'.repeat(5000)}${secret}`, 'plain\n', 'last\n'];
  for (const [i, text] of texts.entries()) {
    const document = OpenDocument.create(`file:///${i}.ts`, 'typescript', 1, text);
    const request = { document, position: { line: 1, character: 0 }, context: automatic };
    await provider.provide(request, loaded(engine), () => defaultSettings);
  }
  expect(engine.learned).toEqual(['plain\n']);
});

test('a request cancelled before its turn counts as superseded, unless the model is still loading', async () => {
  const { provider } = setUp();
  const document = OpenDocument.create('file:///a.ts', 'typescript', 1, 'a = \n');
  const reasonOf = async (isLoading: boolean) => {
    const source = { ready: () => new Promise<never>(() => {}), isLoading: () => isLoading };
    const request = { document, position: { line: 0, character: 4 }, context: automatic };
    return (await provider.provide(request, source, () => defaultSettings, AbortSignal.abort())).reason;
  };
  expect(await reasonOf(false)).toBe('superseded');
  expect(await reasonOf(true)).toBe('still-loading');
});

test('two windows pin their documents independently, and closing a window removes its pins', async () => {
  const engine = new FakeEngine({ respond: () => 'answer();' });
  const [first, second] = [new CompletionProvider(), new CompletionProvider()];
  const type = async (provider: CompletionProvider, uri: string) => {
    // The second request finds the head of its prompt in the cache and pins it.
    for (const text of ['const other = ', 'const other = q']) {
      const document = OpenDocument.create(uri, 'typescript', text.length, text);
      const request = { document, position: document.positionAt(text.length), context: automatic };
      await provider.provide(request, loaded(engine), () => defaultSettings);
    }
  };
  await type(first, 'file:///first.ts');
  await type(second, 'file:///second.ts');
  expect([...engine.pins.values()].sort()).toEqual([
    expect.stringContaining('first.ts'),
    expect.stringContaining('second.ts'),
  ]);
  second.close();
  expect([...engine.pins.values()]).toEqual([expect.stringContaining('first.ts')]);
});
