import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runLanes } from '../support/lanes.mjs';

const folder = mkdtempSync(join(tmpdir(), 'hearth-lanes-'));
const script = join(folder, 'parts.mjs');
const lanes = pathToFileURL(join(import.meta.dirname, '../support/lanes.mjs'));

// Each part says when it begins and ends. "left" and "right" each wait for what the other writes.
beforeAll(() =>
  writeFileSync(
    script,
    `import { spawn } from 'node:child_process';
    import { existsSync, writeFileSync } from 'node:fs';
    import { getPriority } from 'node:os';
    import { setTimeout as sleep } from 'node:timers/promises';
    import { report } from '${lanes}';
    const name = process.argv.at(-1);
    const met = (each) => ${JSON.stringify(folder)} + '/' + each;
    console.log(name + ' begins');
    if (name === 'dies') process.exit(1);
    if (name === 'left' || name === 'right') {
      writeFileSync(met(name), '');
      while (!existsSync(met(name === 'left' ? 'right' : 'left'))) await sleep(5);
    }
    const left = name === 'leaves' ? spawn('sleep', ['60'], { detached: true, stdio: 'inherit' }) : undefined;
    left?.unref();
    console.error(name + ' ends');
    await report({ passed: 1, priority: getPriority(), left: left?.pid });`,
  ),
);

afterAll(() => rmSync(folder, { recursive: true }));

test('the lanes run in parallel, and the computing one has the lower priority', async () => {
  const printed = [];
  const results = await runLanes({ computing: ['left'], waiting: ['right'] }, script, {
    onEnd: (output) => printed.push(String(output)),
  });
  expect(printed.sort()).toEqual(['left begins\nleft ends\n', 'right begins\nright ends\n']);
  expect(results.left.passed).toBe(1);
  expect(results.left.priority).toBeGreaterThan(results.right.priority);
});

test('the parts of a lane run one after the other, and the output of one that dies is kept', async () => {
  const printed = [];
  const results = await runLanes({ computing: ['one', 'dies', 'two'], waiting: [] }, script, {
    onEnd: (output) => printed.push(String(output)),
  });
  expect(printed).toEqual(['one begins\none ends\n', 'dies begins\n', 'two begins\ntwo ends\n']);
  expect(results).toMatchObject({ one: { passed: 1 }, dies: undefined, two: { passed: 1 } });
});

test('the lane that is done first runs the parts that may run in either', async () => {
  const printed = [];
  const results = await runLanes({ computing: ['left', 'two'], waiting: [], either: ['right', 'three'] }, script, {
    onEnd: (output) => printed.push(String(output).split(' ')[0]),
  });
  expect(results.right.priority).toBeLessThan(results.left.priority); // they ran at the same time
  expect(printed.sort()).toEqual(['left', 'right', 'three', 'two']);
});

test('a part ends without waiting for a process that it leaves behind', async () => {
  const printed = [];
  const results = await runLanes({ computing: [], waiting: ['leaves'] }, script, {
    onEnd: (output) => printed.push(String(output)),
  });
  expect(printed).toEqual(['leaves begins\nleaves ends\n']);
  process.kill(results.leaves.left);
});

test('a part begins after the part that it needs, and does not wait for one that does not run', async () => {
  const printed = [];
  const lanes = { computing: ['one', 'two'], waiting: ['three', 'four'] };
  await runLanes(lanes, script, {
    onBegin: (name) => printed.push(`begin ${name}`),
    onEnd: (output) => printed.push(String(output).split('\n')[1]),
    after: { three: 'two', four: 'five' },
  });
  expect(printed.indexOf('begin three')).toBeGreaterThan(printed.indexOf('two ends'));
  expect(printed.at(-1)).toBe('four ends');
});
