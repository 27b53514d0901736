// Runs test programs and Vitest, and counts their results.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from '../../scripts/tools.mjs';

/** The sum of no results. names: the names of failed tests; slow: the slowest tests, { name, seconds }. */
export const nothing = { passed: 0, failed: 0, notRun: 0, names: [], slow: [] };

const slowest = (tests) => tests.toSorted((a, b) => b.seconds - a.seconds).slice(0, 10);

export const add = (a, b) => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  notRun: (a.notRun ?? 0) + (b.notRun ?? 0),
  names: [...(a.names ?? []), ...(b.names ?? [])],
  slow: slowest([...(a.slow ?? []), ...(b.slow ?? [])]),
});

/**
 * Runs a test program. For each test, it prints "ok NAME" (with the seconds if the test is slow), "FAIL NAME" or
 * "not run: NAME: WHY", and at the end the totals. Passed tests are not shown. left: the tests that were not run, which
 * count neither as passed nor as failed.
 */
export async function program(command, args = [], env = {}) {
  const output = await run(command, args, { quiet: true, env }).catch((error) => error.output ?? error.message);
  const sums = /^(\d+) passed, (\d+) failed\r?$/m.exec(output);
  const result = sums ? { passed: Number(sums[1]), failed: Number(sums[2]) } : { passed: 0, failed: 1 };
  const left = [...output.matchAll(/^not run: (.*?)\r?$/gm)].map(([, line]) => line);
  const timed = output.matchAll(/^ok (.*) \((\d+\.\d) s\)\r?$/gm);
  const slow = slowest([...timed].map(([, name, seconds]) => ({ name, seconds: Number(seconds) })));
  if (result.failed > 0) console.log(output.replace(/^ok .*\n/gm, '').trimEnd());
  else for (const line of left) console.log(`not run: ${line}`);
  const names = [...output.matchAll(/^FAIL (.*?)\r?$/gm)].map(([, name]) => name);
  return { ...result, names, slow, left, output };
}

/** Runs Vitest with readable output and a JSON report, from which the totals are read. */
export async function vitest(name, args, env = {}) {
  const report = join(root, 'build', `vitest-${name}.json`);
  rmSync(report, { force: true });
  const reporters = ['--reporter=dot', '--reporter=json', `--outputFile.json=${report}`];
  const bin = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const error = await run(process.execPath, [bin, 'run', ...args, ...reporters], { env }).then(
    () => undefined,
    (e) => e,
  );
  if (!existsSync(report)) return { passed: 0, failed: 1 };
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, 'utf8'));
  // A test file that cannot be loaded has no tests but counts as failed.
  const broken = testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0);
  const failed = numFailedTests + broken.length || (error ? 1 : 0);
  const all = testResults.flatMap((file) => file.assertionResults);
  const names = [
    ...all.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
    ...broken.map(({ name }) => name),
  ];
  const slow = slowest(all.map(({ fullName, duration }) => ({ name: fullName, seconds: (duration ?? 0) / 1000 })));
  const left = all.filter(({ status }) => status === 'pending' || status === 'skipped').map(({ fullName }) => fullName);
  return { passed: numPassedTests, failed, names, slow, left };
}

/**
 * The CPU time in seconds of this process and of the processes that it started and that have ended; undefined on
 * systems without /proc.
 */
export function processorSeconds() {
  const file = '/proc/self/stat';
  if (!existsSync(file)) return undefined;
  const fieldsAfterName = readFileSync(file, 'utf8').split(') ').at(-1).split(' ');
  const ticks = fieldsAfterName.slice(11, 15).map(Number); // user and system, of the process and of its ended children
  return ticks.reduce((sum, each) => sum + each) / 100;
}
