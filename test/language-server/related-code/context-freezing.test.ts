// Code from other files is used only in prompts whose head was evaluated in the background, so no key waits for it.
import { expect, test } from 'vitest';
import { defaultPace } from '../../../language-server/offers/document-offers.ts';
import { CompletionProvider } from '../../../language-server/offers/provider.ts';
import type { DefinedIn } from '../../../language-server/protocol/messages.ts';
import { defaultSettings } from '../../../language-server/protocol/settings.ts';
import { RelatedCode } from '../../../language-server/related-code/related-code.ts';
import type { Timings } from '../../../native/index.ts';
import { FakeEngine, type FakeOptions, loaded } from '../../fixtures/fake-engine.ts';
import { FakeWindow, uriOf } from '../editor-window.ts';

const store = (method: string) => `export class UserStore {\n  ${method}(user) {}\n}\n`;
const head = "import { UserStore } from './user-store';\n\nconst store = new UserStore();\n";

/** Types at the end of main.ts while user-store.ts is open, too. */
function setUp(options: FakeOptions = {}, ignored: string[] = [], defined: DefinedIn[] = []) {
  const engine = new FakeEngine({ contextTokens: 16_384, ...options });
  const window = new FakeWindow({ files: { 'main.ts': head, 'user-store.ts': store('insertUser') }, ignored, defined });
  const provider = new CompletionProvider({ related: new RelatedCode(window) }, { ...defaultPace, restMs: 60_000 });
  let text = head;
  const cursor = () => {
    const document = window.document('main.ts');
    return { document, position: document.positionAt(text.length) };
  };
  const rest = () => provider.rest(cursor(), { local: engine }, defaultSettings);
  const ask = async () => {
    const context = { triggerKind: 2 as const };
    const request = { ...cursor(), context };
    const { timings } = await provider.provide(request, loaded(engine), () => defaultSettings);
    const prompt = engine.detokenize(engine.requests.at(-1)?.tokens ?? new Uint32Array());
    return { prompt, evaluated: evaluatedOf(timings) };
  };
  /** The prompt for the last key, and the number of tokens evaluated for each key. */
  const type = async (typed: string) => {
    const evaluated: number[] = [];
    let prompt = '';
    for (const character of typed) {
      text += character;
      window.edit('main.ts', text);
      const key = await ask();
      evaluated.push(key.evaluated);
      prompt = key.prompt;
    }
    return { prompt, evaluated };
  };
  return { engine, window, provider, rest, ask, type };
}

/** The number of tokens evaluated for each key in the same document when no other document is open. */
async function costAlone(typed: string): Promise<number[]> {
  const { window, rest, type } = setUp();
  window.openDocuments = () => [window.document('main.ts')];
  await rest();
  return (await type(typed)).evaluated;
}

const evaluatedOf = ({ promptTokens, cachedTokens }: Timings) => promptTokens - cachedTokens;
const line = 'store.insertUser({ name: "a" });\n';

test('the first request in a new document is made without code from other files', async () => {
  const { ask } = setUp();
  const { prompt } = await ask();
  expect(prompt).toMatch(/^<\|file_sep\|>main.ts\n<\|fim_prefix\|>/);
});

test('once the cursor has rested, the prompt contains the code, and a key costs no more than before', async () => {
  const { rest, type } = setUp();
  await rest();
  const { prompt, evaluated } = await type(line.repeat(3));
  expect(prompt).toMatch(/^<\|repo_name\|>work\n<\|file_sep\|>user-store.ts\nexport class UserStore/);
  expect(prompt).toContain('<|file_sep|>main.ts\n<|fim_prefix|>');
  expect(evaluated).toEqual(await costAlone(line.repeat(3)));
  const total = evaluated.reduce((sum, tokens) => sum + tokens, 0);
  expect(total / evaluated.length).toBeLessThanOrEqual(1.5);
});

test('changed code is replaced in the background, and no key waits for it', async () => {
  const { window, rest, type, engine } = setUp();
  await rest();
  await type(line);
  window.edit('user-store.ts', store('removeUser'));
  const before = await type(line);
  expect(before.prompt).toContain('insertUser(user)');
  await rest();
  const after = await type(line.repeat(2));
  expect(after.prompt).toContain('removeUser(user)');
  expect([...before.evaluated, ...after.evaluated]).toEqual((await costAlone(line.repeat(4))).slice(line.length));
  expect(engine.prefilled.every(({ priority }) => priority === 'background')).toBe(true);
});

test('keys pressed during the evaluation use the held prompt', async () => {
  const { window, rest, type } = setUp({ prefillMs: 30 });
  await rest();
  window.edit('user-store.ts', store('removeUser'));
  const reading = rest();
  const { prompt, evaluated } = await type('store');
  expect(prompt).toContain('insertUser(user)');
  expect(evaluated).toEqual(await costAlone('store'));
  await reading;
});

test('code from a file that is no longer shared leaves the prompts when the cursor rests next', async () => {
  const ignored: string[] = [];
  const { engine, rest, type } = setUp({}, ignored);
  await rest();
  expect((await type(line)).prompt).toContain('insertUser(user)');
  ignored.push('user-store.ts');
  await rest();
  expect((await type('s')).prompt).toMatch(/^<\|file_sep\|>main.ts/);
  expect([...engine.pins.values()].join('')).not.toContain('insertUser(user)');
});

test('code from an excluded file does not come back with an earlier answer of the editor', async () => {
  const ignored: string[] = [];
  const defined = [{ uri: uriOf('user.ts'), text: 'export class User {}\n', lines: [{ start: 0, end: 0 }] }];
  const { provider, rest, type } = setUp({}, ignored, defined);
  await rest();
  expect((await type('s')).prompt).toContain('insertUser(user)');
  ignored.push('user-store.ts');
  provider.withdraw('all');
  await rest();
  expect((await type('t')).prompt).not.toContain('insertUser(user)');
});

test('code from a file that gets a secret leaves the prompts, too', async () => {
  const { window, rest, type } = setUp();
  await rest();
  expect((await type(line)).prompt).toContain('insertUser(user)');
  window.edit(
    'user-store.ts',
    `${store('insertUser')}const token = 'ghp_${'aB3dE5gH7jK9mN1pQ2sT4vW6yZ8bC0dFeG2h'}';\n`,
  );
  await rest();
  expect((await type('s')).prompt).toMatch(/^<\|file_sep\|>main.ts/);
});

test('the same code is not evaluated again', async () => {
  const { engine, rest, type } = setUp();
  await rest();
  await type('sto');
  const read = engine.prefilled.length;
  await rest();
  expect(engine.prefilled.length).toBe(read + 1);
});

test('an edit elsewhere in the document keeps the evaluated code', async () => {
  const { window, rest, ask, type } = setUp();
  await rest();
  await type('sto');
  window.edit('main.ts', `// new\n${window.document('main.ts').text.toString()}`);
  expect((await ask()).prompt).toContain('insertUser(user)');
});

test('a slow machine gets no code from other files', async () => {
  const { engine, rest, type } = setUp();
  const prefill = engine.prefill.bind(engine);
  engine.prefill = async (...request) => ({ ...(await prefill(...request)), prefillMs: 10_000 });
  await rest();
  expect((await type('s')).prompt).toMatch(/^<\|file_sep\|>main.ts/);
});

test('no secret from another file ever reaches the engine', async () => {
  const { engine, window, rest, ask, type } = setUp();
  const planted = [`pw-${'Hunter2!'}`, `ghp_${'aB3dE5gH7jK9mN1pQ2sT4vW6yZ8bC0dFeG2h'}`, 'plain-in-dotenv'];
  const [password, token, inDotenv] = planted;
  const files = {
    'a.ts': `export class UserStore { password = "${password}" }\n`,
    'b.ts': `${'// far above\n'.repeat(300)}export class UserStore {}\n// ${token}\n`,
    '.env': `STORE=${inDotenv} # UserStore store\n`,
  };
  const others = new FakeWindow({ files });
  const { openDocuments } = window;
  window.openDocuments = () => [...openDocuments.call(window), ...others.openDocuments()];
  await ask();
  await rest();
  await type(line);
  await rest();
  await type(line);
  const prompts = [...engine.requests.map(({ tokens }) => engine.detokenize(tokens)), ...engine.pins.values()];
  const seen = [...prompts, ...engine.prefilled.map(({ text }) => text), ...engine.learned].join('\n');
  expect(seen).toContain('insertUser(user)');
  for (const secret of planted) expect(seen).not.toContain(secret);
});

test('a model without tokens for other files gets no code from them', async () => {
  const { rest, type } = setUp({ special: { fileSep: -1 } });
  await rest();
  expect((await type('s')).prompt).toMatch(/^<\|fim_prefix\|>/);
});

test('on a machine that turns out to be slow, the code from other files leaves the prompts', async () => {
  const { engine, rest, type } = setUp();
  await rest();
  expect((await type('s')).prompt).toContain('insertUser(user)');
  const prefill = engine.prefill.bind(engine);
  engine.prefill = async (...request) => ({ ...(await prefill(...request)), promptTokens: 1000, prefillMs: 100_000 });
  for (const key of 'tore.insert') {
    await rest();
    await type(key);
  }
  expect((await type('U')).prompt).toMatch(/^<\|file_sep\|>main.ts/);
});
