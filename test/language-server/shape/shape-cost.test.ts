// Shaping gets text from servers that may be hostile: its work is limited, whatever the text and the document.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { LongText } from '../../../language-server/documents/long-text.ts';
import { GeneratedText } from '../../../language-server/shape/generated-text.ts';
import { placeAt } from '../../../language-server/shape/place.ts';
import { toEarlyText, toGhostText } from '../../../language-server/shape/shape.ts';
import { loadGrammar } from '../../../language-server/syntax/runtime.ts';
import { budget, Parsing } from '../../../language-server/syntax/syntax-tree.ts';
import { forgetTree } from '../../../language-server/syntax/trees.ts';
import { cpuMs } from '../../support/cpu-time.ts';
import { atCursor } from '../cursor.ts';

const size = 65_536;
const languageIds = ['typescript', 'python', 'html', 'ruby'];
// Most texts take a few ms. The slowest need a trial for each possible end, each as long as the parser is allowed to
// take.
const maxCpuMs = 2000;
/** The document itself, the document closed with brackets, and the document with each word that might close a block. */
const maxParses = 6;
const meanParses = 3;
const gate = { line: 0.02, beginning: 0.3 };
const filled = (part: string) => part.repeat(Math.ceil(size / part.length)).slice(0, size);
const counted = (line: (i: number) => string) => Array.from({ length: size / 12 }, (_, i) => line(i)).join('');

const texts: Record<string, string> = {
  'one word': filled('a'),
  'words that differ': counted((i) => `word${i} `),
  'lines that differ': counted((i) => `call(${i});\n`),
  'lines that open a bracket each': counted((i) => `call(${i}, [\n`),
  brackets: filled('('),
  'closing brackets': filled('}'),
  'blocks on one line': filled('}else{'),
  'quotes that nest': filled('`${'),
  comparisons: filled('else 1<else 2<'),
  'parameters in parameters': filled('(a: b)'),
  'closing tags': counted((i) => `</a${i}>`),
  tags: filled('<a '),
};

beforeAll(async () => {
  for (const id of languageIds) await loadGrammar(id);
});
afterAll(() => forgetTree('file:///sample.ts'));

const cases = languageIds.flatMap((id) => Object.entries(texts).map(([name, text]) => [id, name, text] as const));

test.each(cases)('shaping 64 KiB of anything is quick in %s: %s', async (id, _, text) => {
  for (const marked of ['f = $0\n', 'f($0)\n', 'function f() {\n  $0\n}\n']) {
    const place = placeAt(atCursor(marked, id), 'auto');
    const generated = new GeneratedText(true);
    generated.append(text, -0.001);
    expect(await cpuMs(() => toGhostText(generated, place, gate), maxCpuMs)).toBeLessThan(maxCpuMs);
    expect(await cpuMs(() => toEarlyText(generated, place, gate), maxCpuMs)).toBeLessThan(maxCpuMs);
  }
});

test.each(cases)('shaping text in a document of anything is quick in %s: %s', async (id, _, text) => {
  const generated = new GeneratedText(true);
  generated.append('save(total);\n', -0.001);
  const work = () => toGhostText(generated, placeAt(atCursor(`${text}$0\n`, id), 'auto'), gate);
  expect(await cpuMs(work, maxCpuMs)).toBeLessThan(maxCpuMs);
});

/** What is typed between a line above and a line below. */
const typed: Record<string, [above: string, line: string, below: string]> = {
  typescript: ['function f(rows: Row[]) {\n  ', 'for (const row of rows.filter((each) => each.id)) {', '\n}\n'],
  python: ['def f(rows):\n    ', 'for row in sorted(rows, key=lambda each: each["id"]):', '\n    return rows\n'],
  go: ['func f(rows []Row) {\n\t', 'for _, row := range sorted(rows, func(a Row) int {', '\n}\n'],
  ruby: ['def f(rows)\n  ', 'rows.select { |row| row[:id] }.each do |row|', '\nend\n'],
  lua: ['local function f(rows)\n  ', 'for i, row in ipairs(sorted(rows)) do', '\nend\n'],
  shellscript: ['f() {\n  ', 'if [ "$(count "$1")" -gt 0 ]; then', '\n}\n'],
};

test.each(Object.keys(typed))('in %s, a key makes the document be parsed only a few times', async (languageId) => {
  await loadGrammar(languageId);
  const { ms } = budget;
  budget.ms = 10_000;
  const parses = vi.spyOn(Parsing.prototype, 'step');
  const [above, line, below] = typed[languageId] ?? ['', '', ''];
  const counts: number[] = [];
  let text = LongText.of(above + below);
  for (const [i, key] of [...line].entries()) {
    const offset = above.length + i + 1;
    text = text.with(offset - 1, offset - 1, key);
    parses.mockClear();
    placeAt({ uri: 'file:///typed', languageId, text, offset }, 'auto');
    counts.push(parses.mock.calls.length);
  }
  parses.mockRestore();
  budget.ms = ms;
  forgetTree('file:///typed');
  expect(Math.max(...counts)).toBeLessThanOrEqual(maxParses);
  expect(counts.reduce((sum, each) => sum + each) / counts.length).toBeLessThanOrEqual(meanParses);
});
