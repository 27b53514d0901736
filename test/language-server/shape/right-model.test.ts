// Types the files of test/fixtures/sessions beside a model that always knows what comes next, and counts how much of its
// text is shown. A rule that goes must not cost any of it: where whole lines were cut out of code, which is what `eval`
// measures, nothing is half typed.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GeneratedText } from '../../../language-server/shape/generated-text.ts';
import { placeAt } from '../../../language-server/shape/place.ts';
import { toGhostText } from '../../../language-server/shape/shape.ts';
import { loadGrammar } from '../../../language-server/syntax/runtime.ts';
import { budget } from '../../../language-server/syntax/syntax-tree.ts';
import { forgetTree } from '../../../language-server/syntax/trees.ts';
import { atCursor } from '../cursor.ts';

const folder = join(import.meta.dirname, '../../fixtures/sessions');
const languages: Record<string, string> = {
  cpp: 'cpp',
  go: 'go',
  java: 'java',
  php: 'php',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  sh: 'shellscript',
  ts: 'typescript',
  tsx: 'typescriptreact',
};
const gate = { line: 0.35, beginning: 0.45 };
/** How many characters are typed from one place to the next. */
const step = 5;
const partners: Record<string, string> = { '(': ')', '[': ']', '{': '}', '"': '"', "'": "'", '`': '`' };
const usualMs = budget.ms;

beforeAll(async () => {
  for (const id of Object.values(languages)) await loadGrammar(id);
  budget.ms = 60_000;
});
afterAll(() => {
  budget.ms = usualMs;
  forgetTree('file:///sample.ts');
});

/** The closers that an editor has inserted after the cursor, for what the line leaves open. */
function autoClosed(line: string): string {
  let open = '';
  for (const sign of line) {
    if (open.startsWith(sign)) open = open.slice(1);
    else open = (partners[sign] ?? '') + open;
  }
  return open;
}

/** The number of shown characters that the user then types, and of those that the user does not. */
function played(name: string, closesBrackets: boolean): { right: number; wrong: number } {
  const text = readFileSync(join(folder, name), 'utf8').replaceAll('$0', '$1');
  const languageId = languages[name.split('.').at(-2) ?? ''] ?? '';
  let [right, wrong] = [0, 0];
  for (let at = 200; at < text.length - step; at += step) {
    const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
    if (line.trim() === '') continue;
    const below = at % 2 === 0 ? '\n' : text.slice(text.indexOf('\n', at));
    const marked = `${text.slice(0, at)}$0${closesBrackets ? autoClosed(line) : ''}${below}`;
    const generated = new GeneratedText(true);
    for (const piece of text.slice(at, at + 80).match(/\w+|\W/g) ?? []) generated.append(piece, -0.001);
    const shown = toGhostText(generated, placeAt(atCursor(marked, languageId), 'auto'), gate).suggestion?.text ?? '';
    const differs = [...shown].findIndex((sign, i) => sign !== text[at + i]);
    right += differs === -1 ? shown.length : differs;
    wrong += differs === -1 ? 0 : shown.length - differs;
  }
  return { right, wrong };
}

test.each([
  ['that leaves brackets open', false, 38_300, 286],
  ['that closes brackets', true, 31_510, 93],
] as const)('in an editor %s, most of a perfect text is shown', (_, closesBrackets, minRight, maxWrong) => {
  const all = readdirSync(folder).map((name) => played(name, closesBrackets));
  const sum = (count: 'right' | 'wrong') => all.reduce((total, each) => total + each[count], 0);
  expect(sum('right')).toBeGreaterThanOrEqual(minRight);
  expect(sum('wrong')).toBeLessThanOrEqual(maxWrong);
});
