import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runLanes } from '../support/lanes.mjs';

const folder = mkdtempSync(join(tmpdir(), 'hearth-lanes-'));
const script = join(folder, 'parts.mjs');
const lanes = pathToFileURL(join(import.meta.dirname, '../support/lanes.mjs'));

// Each part says when it begins and ends. "left" and "right" each wait for what the other writes, and so do "meets-1",
// "meets-2" and "meets-3".
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
    const meeting = [['left', 'right'], ['meets-1', 'meets-2', 'meets-3']].find((names) => names.includes(name)) ?? [];
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

test('two parts compute at the same time, whatever the waiting lane does', async () => {
  const results = await runLanes({ computing: ['left', 'right', 'three'], waiting: ['one'] }, script, {
    onEnd: () => {},
    after: { one: ['three'] }, // so the waiting lane can't help
  });
  expect(Object.keys(results).toSorted()).toEqual(['left', 'one', 'right', 'three']);
  expect(results.left.priority).toBe(results.right.priority);
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
  // Two lanes can't run three parts that meet.
  const results = await runLanes({ computing: ['meets-1', 'meets-2', 'meets-3'], waiting: ['one'] }, script, {
    onEnd: () => {},
  });
  const priorities = ['meets-1', 'meets-2', 'meets-3'].map((name) => results[name].priority);
  expect(new Set(priorities).size).toBe(2);
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
