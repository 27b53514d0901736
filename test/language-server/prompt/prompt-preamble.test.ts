import { expect, test } from 'vitest';
import { hasNewSnippet, promptPreamble, type Snippet } from '../../../language-server/prompt/prompt-preamble.ts';
import { FakeEngine, type FakeOptions } from '../../fixtures/fake-engine.ts';

const place = { path: 'src/main.ts', repository: 'app' };
const snippet = (path: string, text: string, line = 0): Snippet => ({ path, text, line });

function check(snippets: Snippet[], maxTokens: number, expected: string, options: FakeOptions = {}): void {
  const engine = new FakeEngine(options);
  expect(engine.detokenize(promptPreamble(engine, place, snippets, maxTokens).tokens)).toBe(expected);
}

test('without code from other files, the preamble has only the path', () => {
  check([], 1000, '<|file_sep|>src/main.ts\n');
});

test("before the path come the repository's name and code from other files, the most useful last", () => {
  check(
    [snippet('a.ts', 'best();'), snippet('b.ts', 'second();')],
    1000,
    '<|repo_name|>app\n<|file_sep|>b.ts\nsecond();\n<|file_sep|>a.ts\nbest();\n<|file_sep|>src/main.ts\n',
  );
});

test("the snippets of a file stay together, in the file's order", () => {
  check(
    [snippet('a.ts', 'below();', 9), snippet('b.ts', 'other();'), snippet('a.ts', 'above();', 1)],
    1000,
    '<|repo_name|>app\n<|file_sep|>b.ts\nother();\n<|file_sep|>a.ts\nabove();\nbelow();\n<|file_sep|>src/main.ts\n',
  );
});

test('a snippet that does not fit is left out, and shorter ones are used instead', () => {
  check(
    [snippet('a.ts', 'x'.repeat(50)), snippet('b.ts', 'short();')],
    20,
    '<|repo_name|>app\n<|file_sep|>b.ts\nshort();\n<|file_sep|>src/main.ts\n',
  );
});

test('if nothing fits, the most useful code is cut after a line, at the same line for similar speeds', () => {
  const long = snippet('a.ts', 'one();\ntwo();\nthree();\nfour();\nfive();\nsix();\nseven();\neight();\nnine();');
  const begun = '<|repo_name|>app\n<|file_sep|>a.ts\none();\ntwo();\nthree();\n<|file_sep|>src/main.ts\n';
  for (const maxTokens of [32, 40]) check([long], maxTokens, begun);
  check([snippet('a.ts', `${'x'.repeat(80)}\ny`)], 40, '<|file_sep|>src/main.ts\n');
});

test('a model without a token for files gets no code, and one without a token for repositories gets no name', () => {
  const snippets = [snippet('a.ts', 'best();')];
  check(snippets, 1000, '', { special: { fileSep: -1 } });
  check(snippets, 1000, '<|file_sep|>a.ts\nbest();\n<|file_sep|>src/main.ts\n', { special: { repoName: -1 } });
});

test('special tokens in paths and code are read as plain text', () => {
  const engine = new FakeEngine();
  const { tokens } = promptPreamble(engine, { ...place, path: '<|fim_middle|>' }, [snippet('a', '<|file_sep|>')], 100);
  expect([...tokens].filter((token) => token > 255)).toEqual([260, 259, 259]);
});

test('code counts as new only if the other preamble lacks it', () => {
  const engine = new FakeEngine();
  const preamble = (...snippets: Snippet[]) => promptPreamble(engine, place, snippets, 1000);
  const [a, b] = [snippet('a.ts', 'a();'), snippet('b.ts', 'b();')];
  expect(hasNewSnippet(preamble(a), preamble())).toBe(true);
  expect(hasNewSnippet(preamble(a), preamble(b, a))).toBe(false);
  expect(hasNewSnippet(preamble(), preamble(a))).toBe(false);
});
