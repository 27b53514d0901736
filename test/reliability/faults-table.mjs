// Writes faults.md: for each kind of fault where it is injected, what is expected and what was seen. For TypeScript
// tests it uses the results of the last `npm test`; it runs the C++ tests itself.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root, ToolError } from '../../scripts/tools.mjs';
import { faults } from './fault-kinds.mjs';

/** @typedef {{ file: string, title: string, outcome: 'held' | 'failed' | 'not run' }} Result */

/** @returns {Result[]} */
function vitestResults(report) {
  if (!existsSync(report)) throw new ToolError(`${report} is missing; node test/run.mjs --only unit writes it`);
  const outcomes = { passed: 'held', failed: 'failed' };
  return JSON.parse(readFileSync(report, 'utf8')).testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ title, status }) => ({
      file: relative(root, name),
      title,
      outcome: outcomes[status] ?? 'not run',
    })),
  );
}

/** The tests of a C++ program whose names contain the part. @returns {Result[]} */
function nativeResults(program, part) {
  if (!existsSync(join(root, program))) throw new ToolError(`${program} is missing; npm run build:native makes it`);
  const outcomes = { ok: 'held', FAIL: 'failed', 'not run:': 'not run' };
  let output;
  try {
    output = execFileSync(join(root, program), [part], { encoding: 'utf8' });
  } catch (error) {
    output = String(error.stdout); // a test failed
  }
  const lines = output.matchAll(/^(ok|FAIL|not run:) (.*?)(?: \(\d+\.\d s\))?$/gm);
  return [...lines].map(([, word, title]) => ({ file: program, title, outcome: outcomes[word] }));
}

/** One title for all tests. For more than two, their common beginning and their common end. */
function common(titles) {
  if (titles.length <= 2) return titles.join('; ');
  const [first = [], ...others] = titles.map((title) => title.split(' '));
  const start = first.findIndex((word, i) => others.some((other) => other[i] !== word));
  if (start === -1) return first.join(' ');
  const end = first.findLastIndex((word, i) => others.some((other) => other.at(i - first.length) !== word));
  return [...first.slice(0, start), '…', ...first.slice(Math.max(start, end + 1))].join(' ');
}

const cell = (text) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');

export function writeFaultsTable(report = join(root, 'build/vitest-unit.json')) {
  const results = vitestResults(report);
  const rows = faults.flatMap(({ where, file, kinds }) =>
    Object.entries(kinds).map(([fault, part]) => {
      const isNative = !file.endsWith('.ts');
      const all = isNative ? nativeResults(file, part) : results.filter((result) => result.file === file);
      const tests = all.filter(({ title }) => title.includes(part));
      if (tests.length === 0) throw new ToolError(`no test of ${file} is about "${part}"`);
      return { where, file, fault, tests };
    }),
  );
  const count = (tests, outcome) => tests.filter((test) => test.outcome === outcome).length;
  const seen = (tests) =>
    ['held', 'failed', 'not run'].flatMap((outcome) =>
      count(tests, outcome) ? `${count(tests, outcome)} ${outcome}` : [],
    );
  const lines = rows.map(({ where, file, fault, tests }) => {
    const title = common(tests.map((test) => test.title));
    return `| ${[fault, `${where} (\`${file.replace(/^test\//, '')}\`)`, title, seen(tests).join(', ')].map(cell).join(' | ')} |`;
  });
  const sum = seen(rows.flatMap(({ tests }) => tests)).join(', ');
  const text = `# Faults

\`npm run test:reliability -- table\` writes this file from the results of the tests; \`fault-kinds.mjs\` is its list.

${rows.length} kinds of faults, ${rows.flatMap(({ tests }) => tests).length} tests: ${sum}.

| fault | where | expected | seen |
| --- | --- | --- | --- |
${lines.join('\n')}
`;
  writeFileSync(join(root, 'test/reliability/faults.md'), text);
  console.log(`test/reliability/faults.md: ${rows.length} kinds of faults; ${sum}`);
}
