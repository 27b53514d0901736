// `npm run test:everywhere`: Hearth for every system, built, packed, and tried as far as this machine can.
//   run.mjs [--system NAME]... [--suite NAME]...
// Ends with a table, also in build/everywhere/table.md.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { main, NotRun, root, run, ToolError } from '../../scripts/tools.mjs';
import { add, nothing } from '../support/results.mjs';
import { suites } from './suites.mjs';
import { systems } from './systems.mjs';

async function runSuite(systemName, suiteName) {
  const system = systems[systemName];
  const suite = suites[suiteName];
  const why = suite.isStatic ? undefined : (system.whyNot ?? system.without?.[suiteName]);
  if (why) return { ...nothing, notRun: 1, why };
  console.log(`\n--- ${systemName}: ${suiteName} ---`);
  const start = performance.now();
  const result = await suite.run(systemName, system).catch((error) => {
    console.log(error instanceof ToolError ? `${error.output ?? ''}\n${error.message}` : error);
    return error instanceof NotRun ? { ...nothing, notRun: 1, why: error.message } : { ...nothing, failed: 1 };
  });
  console.log(`${cell(result)} in ${((performance.now() - start) / 1000).toFixed(0)} s`);
  return result;
}

const cell = ({ passed, failed, why, left = [] }) =>
  [
    passed > 0 && `${passed} passed`,
    failed > 0 && `**${failed} failed**`,
    left.length > 0 && `${left.length} not run`,
    why && `not run: ${why}`,
  ]
    .filter(Boolean)
    .join(', ') || 'nothing';

/** The fingerprints of a system's variants, each once. */
const sumsOf = (results) => [...new Set(results.flatMap(({ sums = {} }) => Object.values(sums)))].join(', ') || '-';

function table(rows) {
  const heads = ['system', ...rows[0].results.keys(), 'sha256'];
  const lines = rows.map(({ name, results }) => [
    name,
    ...[...results.values()].map(cell),
    sumsOf([...results.values()]),
  ]);
  const notes = rows.flatMap(({ name, results }) =>
    [...results].flatMap(([suite, { left = [] }]) => left.map((each) => `\n- ${name}, ${suite}: not run: ${each}`)),
  );
  return [...[heads, heads.map(() => '---'), ...lines].map((line) => `| ${line.join(' | ')} |\n`), ...notes].join('');
}

/** names: undefined for all. */
function chosen(all, names, kind) {
  const unknown = names?.find((name) => !Object.hasOwn(all, name));
  if (unknown) throw new ToolError(`no ${kind} named ${unknown}; there are ${Object.keys(all).join(', ')}`);
  return Object.keys(all).filter((name) => names?.includes(name) ?? true);
}

/** Resolves to the counts of all. */
export async function everywhere({ system, suite } = {}) {
  await run(process.execPath, ['esbuild.mjs']);
  const rows = [];
  for (const name of chosen(systems, system, 'system')) {
    const results = new Map();
    for (const each of chosen(suites, suite, 'suite')) results.set(each, await runSuite(name, each));
    rows.push({ name, results });
  }
  const text = table(rows);
  mkdirSync(join(root, 'build/everywhere'), { recursive: true });
  writeFileSync(join(root, 'build/everywhere/table.md'), text);
  console.log(`\n${text}`);
  return rows.flatMap(({ results }) => [...results.values()]).reduce(add, nothing);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(async () => {
    const names = { type: 'string', multiple: true };
    const { passed, failed, notRun } = await everywhere(parseArgs({ options: { system: names, suite: names } }).values);
    console.log(`${notRun} not run, as said above\n${passed} passed, ${failed} failed`);
    if (failed > 0) process.exitCode = 1;
  });
}
