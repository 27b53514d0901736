import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runLanes } from '../support/lanes.mjs';

const folder = mkdtempSync(join(tmpdir(), 'hearth-lanes-'));
const script = join(folder, 'parts.mjs');
const lanes = pathToFileURL(join(import.meta.dirname, '../support/lanes.mjs'));

// Each part says when it begins and ends. "left" and "right" each wait for what the other writes, and so do the three
// parts "a-1" to "a-3", and the four parts "b-1" to "b-4".
const three = ['a-1', 'a-2', 'a-3'];
const four = ['b-1', 'b-2', 'b-3', 'b-4'];
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
    const meeting = ${JSON.stringify([['left', 'right'], three, four])}.find((names) => names.includes(name)) ?? [];
    for (const each of meeting) {
      writeFileSync(met(name), '');
      while (!existsSync(met(each))) await sleep(5);
    }
    const left = name === 'leaves' ? spawn('sleep', ['60'], { detached: true, stdio: 'inherit' }) : undefined;
    left?.unref();
    console.error(name + ' ends');
    await report({ passed: 1, priority: getPriority(), left: left?.pid });`,
  ),
);

afterAll(() => rmSync(folder, { recursive: true }));

test('the waiting lane runs beside a computing one, which has the lower priority', async () => {
  const printed = [];
  const results = await runLanes({ computing: ['left'], waiting: ['right'] }, script, {
    onEnd: (output) => printed.push(String(output)),
  });
  expect(printed.sort()).toEqual(['left begins\nleft ends\n', 'right begins\nright ends\n']);
  expect(results.left.passed).toBe(1);
  expect(results.left.priority).toBeGreaterThan(results.right.priority);
});

test('three parts compute at the same time, whatever the waiting lane does', async () => {
  const results = await runLanes({ computing: [...three, 'last'], waiting: ['one'] }, script, {
    onEnd: () => {},
    after: { one: ['last'] }, // so the waiting lane can't help
  });
  expect(Object.keys(results).toSorted()).toEqual([...three, 'last', 'one']);
  expect(new Set(three.map((name) => results[name].priority)).size).toBe(1);
});

test('the parts of a lane run one after the other, and the output of one that dies is kept', async () => {
  const printed = [];
  const results = await runLanes({ computing: [], waiting: ['one', 'dies', 'two'] }, script, {
    onEnd: (output) => printed.push(String(output)),
  });
  expect(printed).toEqual(['one begins\none ends\n', 'dies begins\n', 'two begins\ntwo ends\n']);
  expect(results).toMatchObject({ one: { passed: 1 }, dies: undefined, two: { passed: 1 } });
});

test('the waiting lane helps to compute once it has nothing else', async () => {
  // Three lanes can't run four parts that meet.
  const results = await runLanes({ computing: four, waiting: ['one'] }, script, { onEnd: () => {} });
  expect(new Set(four.map((name) => results[name].priority)).size).toBe(2);
});

test('a part ends when its own process does, even if a child process still runs', async () => {
  const printed = [];
  const results = await runLanes({ computing: [], waiting: ['leaves'] }, script, {
    onEnd: (output) => printed.push(String(output)),
  });
  expect(printed).toEqual(['leaves begins\nleaves ends\n']);
  process.kill(results.leaves.left);
});

test('a part begins after the parts that it needs, and does not wait for one that does not run', async () => {
  const printed = [];
  const lanes = { computing: ['one', 'two'], waiting: ['three', 'four'] };
  await runLanes(lanes, script, {
    onBegin: (name) => printed.push(`begin ${name}`),
    onEnd: (output) => printed.push(String(output).split('\n')[1]),
    after: { three: ['one', 'two'], four: ['five'] },
  });
  for (const first of ['one ends', 'two ends']) {
    expect(printed.indexOf('begin three')).toBeGreaterThan(printed.indexOf(first));
  }
  expect(printed.at(-1)).toBe('four ends');
});

test('a lane that computes does not wait for what a part needs while another part could run', async () => {
  // "left" ends only once "right" has begun.
  const lanes = { computing: ['left', 'after-left', 'right'], waiting: ['one'] };
  const results = await runLanes(lanes, script, {
    onEnd: () => {},
    after: { 'after-left': ['left'], one: ['after-left'] },
  });
  expect(Object.keys(results)).toEqual(expect.arrayContaining(['left', 'right', 'after-left', 'one']));
});
