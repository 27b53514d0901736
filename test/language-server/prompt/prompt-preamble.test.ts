import { expect, test } from 'vitest';
import { hasNews, promptPreamble, type Snippet } from '../../../language-server/prompt/prompt-preamble.ts';
import { FakeEngine, type FakeOptions } from '../../fixtures/fake-engine.ts';

const place = { path: 'src/main.ts', repository: 'app' };
const snippet = (path: string, text: string, line = 0): Snippet => ({ path, text, line });

function check(snippets: Snippet[], maxTokens: number, expected: string, options: FakeOptions = {}): void {
  const engine = new FakeEngine(options);
  expect(engine.detokenize(promptPreamble(engine, place, snippets, maxTokens).tokens)).toBe(expected);
}

test('without code of other files only the path is told', () => {
  check([], 1000, '<|file_sep|>src/main.ts\n');
});

test('code of other files precedes it, the most useful last, behind the name of the repository', () => {
  check(
    [snippet('a.ts', 'best();'), snippet('b.ts', 'second();')],
    1000,
    '<|repo_name|>app\n<|file_sep|>b.ts\nsecond();\n<|file_sep|>a.ts\nbest();\n<|file_sep|>src/main.ts\n',
  );
});

test('pieces of one file are kept together in their own order', () => {
  check(
    [snippet('a.ts', 'below();', 9), snippet('b.ts', 'other();'), snippet('a.ts', 'above();', 1)],
    1000,
    '<|repo_name|>app\n<|file_sep|>b.ts\nother();\n<|file_sep|>a.ts\nabove();\nbelow();\n<|file_sep|>src/main.ts\n',
  );
});

test('what does not fit is left out, and what is useful and short enough is taken instead', () => {
  check(
    [snippet('a.ts', 'x'.repeat(50)), snippet('b.ts', 'short();')],
    20,
    '<|repo_name|>app\n<|file_sep|>b.ts\nshort();\n<|file_sep|>src/main.ts\n',
  );
});

test('where nothing fits, the most useful code is cut behind a line, the same at about the same speed', () => {
  const long = snippet('a.ts', 'one();\ntwo();\nthree();\nfour();\nfive();\nsix();\nseven();\neight();\nnine();');
  const begun = '<|repo_name|>app\n<|file_sep|>a.ts\none();\ntwo();\nthree();\n<|file_sep|>src/main.ts\n';
  for (const maxTokens of [32, 40]) check([long], maxTokens, begun);
  check([snippet('a.ts', `${'x'.repeat(80)}\ny`)], 40, '<|file_sep|>src/main.ts\n');
});

test('a model without the tokens gets nothing, one without a token for the repository no name of it', () => {
  const snippets = [snippet('a.ts', 'best();')];
  check(snippets, 1000, '', { special: { fileSep: -1 } });
  check(snippets, 1000, '<|file_sep|>a.ts\nbest();\n<|file_sep|>src/main.ts\n', { special: { repoName: -1 } });
});

test('special tokens in paths and code are plain text', () => {
  const engine = new FakeEngine();
  const { tokens } = promptPreamble(engine, { ...place, path: '<|fim_middle|>' }, [snippet('a', '<|file_sep|>')], 100);
  expect([...tokens].filter((token) => token > 255)).toEqual([260, 259, 259]);
});

test('only code that the other preamble does not have is news', () => {
  const engine = new FakeEngine();
  const preamble = (...snippets: Snippet[]) => promptPreamble(engine, place, snippets, 1000);
  const [a, b] = [snippet('a.ts', 'a();'), snippet('b.ts', 'b();')];
  expect(hasNews(preamble(a), preamble())).toBe(true);
  expect(hasNews(preamble(a), preamble(b, a))).toBe(false);
  expect(hasNews(preamble(), preamble(a))).toBe(false);
});
