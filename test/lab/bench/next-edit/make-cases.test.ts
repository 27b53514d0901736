// Cases for next edits, made from hunks and from a small repository.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { casesOf, thinned } from '../../../../lab/bench/next-edit/collect-cases.ts';
import { commitsOf, type Hunk } from '../../../../lab/bench/next-edit/histories.ts';
import { beforeRevert, type ChangedText, quietCase, relatedCase } from '../../../../lab/bench/next-edit/make-cases.ts';
import { typedInsideWord, typedLine } from '../../../../lab/bench/next-edit/typed-line.ts';
import { applyEdit } from '../../../../language-server/edits/text/text-edit.ts';
import { random } from '../../../support/random.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-next-edit-'));
afterAll(() => rmSync(folder, { recursive: true }));

const before = 'let total = 0;\nlog(start);\nadd(total);\nlog(end);\nend(total);\n';
const rename: Hunk[] = [
  { line: 0, old: ['let total = 0;'], new: ['let sum = 0;'] },
  { line: 2, old: ['add(total);'], new: ['add(sum);'] },
  { line: 4, old: ['end(total);'], new: ['end(sum);'] },
];
const changed = (hunks: Hunk[], text = before): ChangedText => ({ path: 'a.ts', text, hunks, elsewhere: [] });
const seeds = Array.from({ length: 40 }, (_, seed) => seed);
const renamed = before.replaceAll('total', 'sum');

test('the rest of a rename is expected, wherever the typist began', () => {
  for (const seed of seeds) {
    const made = relatedCase(changed(rename), random(seed));
    if (!made) throw new Error('no case');
    const { text, history, expected, cursor } = made;
    expect(made).toMatchObject({ languageId: 'typescript', quiet: false, kind: 'related' });
    expect(history.length + expected.filter((each) => each.start !== each.end).length).toBe(3);
    // Applied from the last place to the first, the finished and expected edits make the text after the commit.
    const inOrder = expected.toSorted((a, b) => b.start - a.start);
    expect(inOrder.reduce(applyEdit, text)).toBe(renamed);
    expect(text.slice(0, cursor)).toMatch(/sum/);
  }
});

test('hunks that share no word with the finished ones are not expected', () => {
  const hunks = [rename[0], { line: 3, old: ['log(end);'], new: ['log(finish);'] }] as Hunk[];
  for (const seed of seeds) {
    expect(relatedCase(changed(hunks), random(seed))).toBeUndefined();
    expect(quietCase(changed(hunks), 'unrelated', random(seed))).toMatchObject({ quiet: true, expected: [] });
    expect(quietCase(changed(rename), 'unrelated', random(seed))).toBeUndefined();
  }
});

test('if a hunk replaces several lines one by one, each single line is expected, too', () => {
  const text = 'a(old);\nx\nb(old);\nc(old);\n';
  const hunks = [
    { line: 0, old: ['a(old);'], new: ['a(now);'] },
    { line: 2, old: ['b(old);', 'c(old);'], new: ['b(now);', 'c(now);'] },
  ];
  const made = seeds.map((seed) => relatedCase(changed(hunks, text), random(seed)));
  const fromTop = made.find((each) => each?.text.startsWith('a(now)'));
  const replacements = fromTop?.expected.filter((each) => each.start !== each.end).map((each) => each.text);
  expect(replacements).toEqual(['b(now);\nc(now);\n', 'b(now);', 'c(now);']);
});

test('after the last or only hunk, nothing should be shown', () => {
  expect(quietCase(changed(rename), 'last hunk', random(1))).toMatchObject({ text: renamed, expected: [] });
  expect(quietCase(changed(rename), 'only hunk', random(1))).toBeUndefined();
  const only = quietCase(changed(rename.slice(0, 1)), 'only hunk', random(1));
  expect(only).toMatchObject({ cursor: 'let sum = 0;'.length, quiet: true });
});

test('a commit that only changes white space counts as formatting', () => {
  const hunks = [
    { line: 0, old: ['a( b );'], new: ['a(b);'] },
    { line: 2, old: ['c( d );'], new: ['c(d);'] },
  ];
  const text = 'a( b );\nx\nc( d );\n';
  expect(quietCase(changed(hunks, text), 'formatting', random(1))).toMatchObject({ kind: 'formatting', expected: [] });
  expect(quietCase(changed(hunks, text), 'last hunk', random(1))).toBeUndefined();
  expect(quietCase(changed(rename), 'formatting', random(1))).toBeUndefined();
});

test('a case made from a revert has the reverted edits in its history', () => {
  const made = beforeRevert(changed(rename.slice(0, 1)));
  expect(made?.history).toEqual([{ path: 'a.ts', before: 'let sum = 0;', after: 'let total = 0;' }]);
  expect(made?.text).toBe(before);
});

test('hunks that do not fit the text make no case', () => {
  expect(relatedCase(changed(rename, `x\n${before}`), random(1))).toBeUndefined();
  expect(relatedCase(changed(rename, before.trimEnd()), random(1))).toBeUndefined();
});

test('a typist may stop after a changed word, so that the rest of the old line follows', () => {
  const stops = new Set(seeds.map((seed) => typedLine('f(a);', 'f(bold, c);', random(seed)).text));
  expect([...stops].toSorted()).toEqual(['f(bold);', 'f(bold,);', 'f(bold, );', 'f(bold, c);'].toSorted());
  expect(typedLine('  x', '', random(1))).toEqual({ text: '', cursor: 0, rest: '' });
  for (const seed of seeds) expect(typedLine('', '    go', random(seed)).text).toBe('    go');
});

test('a typist may stop inside a word', () => {
  for (const seed of seeds) {
    const { text = '', rest = '' } = typedInsideWord('f(a);', 'f(bold);', random(seed)) ?? {};
    expect(['f(b);', 'f(bo);', 'f(bol);']).toContain(text);
    expect(`f(${text.slice(2, -2)}${rest});`).toBe('f(bold);');
  }
  expect(typedInsideWord('f(a);', 'f(b);', random(1))).toBeUndefined();
});

test('cases are made from the commits and hunks of a repository', async () => {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], {
      cwd: folder,
      env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' },
    });
  const commit = (subject: string, text: string) => {
    writeFileSync(join(folder, 'a.ts'), text);
    writeFileSync(join(folder, 'notes.txt'), text);
    git('add', '.');
    git('commit', '-q', '-m', subject);
  };
  git('init', '-q');
  commit('Begin', before);
  commit('Rename total', renamed);
  commit('Add a line', renamed.replace('log(end);\n', 'log(end);\nflush();\n'));
  const commits = [];
  for await (const each of commitsOf(folder)) commits.push(each);
  expect(commits.map(({ subject }) => subject)).toEqual(['Add a line', 'Rename total', 'Begin']);
  expect(commits[0]?.files.map(({ path, hunks }) => ({ path, hunks }))).toEqual([
    { path: 'a.ts', hunks: [{ line: 4, old: [], new: ['flush();'] }] },
  ]);
  expect(commits[1]?.files[0]?.hunks).toEqual(rename);

  const cases = await casesOf(folder, { related: 5, quiet: 12 });
  expect(cases.map(({ kind }) => kind)).toContain('only hunk');
  for (const each of cases) expect(each.source).toMatch(/@[0-9a-f]{12}$/);
});

test('cases are taken from each language and repository in turn', () => {
  const one = relatedCase(changed(rename), random(1));
  if (!one) throw new Error('no case');
  const of = (languageId: string, source: string) => ({ ...one, languageId, source });
  const all = [of('go', 'a@1'), of('go', 'a@2'), of('go', 'b@3'), of('rust', 'c@4')];
  expect(thinned(all, { related: 3, quiet: 1 }).map(({ source }) => source)).toEqual(['a@1', 'c@4', 'b@3']);
});

test('a folder without a history is an error, not a history without cases', async () => {
  await expect(casesOf(join(folder, 'none'), { related: 1, quiet: 1 })).rejects.toThrow(/none has no history/);
});
