// `npm run test:everywhere`: builds and packs Hearth for every system, and tests it as far as this machine can.
//   run.mjs [--system NAME]... [--suite NAME]...
// Prints a table of all results, also of earlier runs, and writes it to build/everywhere/table.md. So the suites can be
// run in parts.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { main, NotRun, root, run, ToolError } from '../../scripts/tools.mjs';
import { add, nothing } from '../support/results.mjs';
import { folderOf, suites } from './suites.mjs';
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

/** The different fingerprints of a system's variants. */
const sumsOf = (results) => [...new Set(results.flatMap(({ sums = {} }) => Object.values(sums)))].join(', ') || '-';

const folder = join(root, 'build/everywhere');
const kept = join(folder, 'results.json');

/** System -> suite -> its last result. */
const known = () => (existsSync(kept) ? JSON.parse(readFileSync(kept, 'utf8')) : {});

/** The commit of the working tree, with a + if there are uncommitted changes; empty without git. */
async function commit() {
  const git = (...args) => run('git', args, { quiet: true }).catch(() => '');
  const hash = (await git('rev-parse', '--short', 'HEAD')).trim();
  return (await git('status', '--porcelain', '--untracked-files=no')) ? `${hash}+` : hash;
}

/** Drops the results that belong to an older package of the system. */
async function keep(system, suite, { output: _, ...result }) {
  const all = known();
  all[system] =
    suite === 'package' ? { package: { ...result, commit: await commit() } } : { ...all[system], [suite]: result };
  mkdirSync(folder, { recursive: true });
  writeFileSync(kept, JSON.stringify(all));
}

function table(all) {
  const heads = ['system', ...Object.keys(suites), 'sha256', 'commit'];
  const rows = Object.entries(all).map(([name, results]) => ({ name, results }));
  const lines = rows.map(({ name, results }) => [
    name,
    ...Object.keys(suites).map((suite) => (results[suite] ? cell(results[suite]) : 'not yet run')),
    sumsOf(Object.values(results)),
    results.package?.commit ?? '-',
  ]);
  const notes = rows.flatMap(({ name, results }) =>
    Object.entries(results).flatMap(([suite, { left = [] }]) =>
      left.map((each) => `\n- ${name}, ${suite}: not run: ${each}`),
    ),
  );
  return [...[heads, heads.map(() => '---'), ...lines].map((line) => `| ${line.join(' | ')} |\n`), ...notes].join('');
}

/** names: undefined chooses all. */
function chosen(all, names, kind) {
  const unknown = names?.find((name) => !Object.hasOwn(all, name));
  if (unknown) throw new ToolError(`no ${kind} named ${unknown}; there are ${Object.keys(all).join(', ')}`);
  return Object.keys(all).filter((name) => names?.includes(name) ?? true);
}

/** Resolves to the counts of this run. */
export async function everywhere({ system, suite } = {}) {
  let sum = nothing;
  for (const name of chosen(systems, system, 'system')) {
    for (const each of chosen(suites, suite, 'suite')) {
      const result = await runSuite(name, each);
      await keep(name, each, result);
      sum = add(sum, result);
      if (each === 'package' && result.failed > 0) break; // then the other suites have nothing to try
    }
  }
  const text = table(known());
  writeFileSync(join(folder, 'table.md'), text);
  console.log(`\n${text}`);
  // CI runs the suites once, and the tests after them need its disk.
  if (process.env.CI && sum.failed === 0)
    for (const used of [...chosen(systems, system, 'system').map(folderOf), join(root, '.cache/everywhere')])
      rmSync(used, { recursive: true, force: true });
  return sum;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(async () => {
    const names = { type: 'string', multiple: true };
    const { passed, failed, notRun } = await everywhere(parseArgs({ options: { system: names, suite: names } }).values);
    console.log(`${notRun} not run, as said above\n${passed} passed, ${failed} failed`);
    if (failed > 0) process.exitCode = 1;
  });
}
