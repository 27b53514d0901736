// Users must be able to rely on this: Esc, the modes, a snooze and a restart do what they say, and Hearth survives
// crashes and works in several windows and in remote ones.
import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { useEditor } from './editor.ts';

const sample =
  'function add(a: number, b: number): number {\n  return a + b;\n}\n\nfunction multiply(a: number, b: number): number {\n  ';
const typed = 'return';
/** The model in the user's settings. Its name differs from the bundled model's, to see which of them is used. */
const chosenModel = resolve('build/e2e/chosen.gguf');
const settings = { 'hearth.model.path': chosenModel };

const { server, bench, openWindow } = useEditor({
  files: { 'math.ts': '' },
  settings,
  beforeWindow: () => copyFileSync('models/starter.gguf', chosenModel),
});

beforeEach(async () => {
  await bench.statusSays(/ready/);
  await bench.setText(sample);
});

const ghostTextComes = () => expect.poll(() => bench.shownGhostText()).not.toBe('');
const requestsIn = (log: string) => log.match(/completion at /g)?.length ?? 0;

/** The process ids of the running language servers of this test's editor. */
function servers(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter(
      (pid) => commandLine(pid).includes(join(server.root, 'extensions')) && commandLine(pid).includes('server.js'),
    );
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return ''; // the process has just ended
  }
}

/** Checks for this long that no ghost text appears. */
async function nothingComes(ms: number): Promise<void> {
  for (const end = Date.now() + ms; Date.now() < end; await sleep(50)) expect(await bench.shownGhostText()).toBe('');
}

test('a window whose files are remote uses the model that the user chose', async () => {
  await bench.runCommand('Hearth: Show Status');
  await expect.poll(() => bench.page.locator('.view-lines').last().textContent()).toContain('chosen.gguf');
  await bench.press('Control+w');
});

test('Esc is final', async () => {
  for (const last of ['ret', 'retu', 'return a']) {
    await bench.setText(sample);
    await bench.type(last);
    await ghostTextComes();
    await bench.press('Escape');
    await expect.poll(() => bench.shownGhostText()).toBe('');
    await nothingComes(1500);
  }
  await nothingComes(5000);
  // After the next key, the cursor is at a new place, where a suggestion was not dismissed.
  await bench.type(' ');
  await ghostTextComes();
});

test('when Hearth is off, nothing is computed', async () => {
  await bench.setSettings({ ...settings, 'hearth.mode': 'off' });
  await bench.statusSays(/turned off/);
  const before = await server.settledLog();
  await bench.type(typed);
  await bench.press('ArrowLeft', 'ArrowRight');
  await nothingComes(2000);
  expect(server.hearthLog()).toBe(before);
  await bench.setSettings(settings);
});

test('in manual mode a suggestion comes only on request', async () => {
  await bench.setSettings({ ...settings, '[typescript]': { 'hearth.mode': 'manual' } });
  await bench.statusSays(/on request/);
  const before = requestsIn(await server.settledLog());
  await bench.type(typed);
  await nothingComes(2000);
  expect(requestsIn(server.hearthLog())).toBe(before);
  await bench.press('Alt+Backslash');
  await ghostTextComes();
  await bench.setSettings(settings);
});

test('the status bar can begin and end a snooze', async () => {
  await bench.statusItem.click();
  await bench.choose('Snooze Suggestions');
  await bench.choose('5 minutes');
  await bench.statusSays(/snoozed until \d/);
  await bench.type(typed);
  await nothingComes(2000);
  await bench.statusItem.click();
  await bench.choose('End Snooze');
  await bench.statusSays(/ready/);
  await ghostTextAfter(typed);
});

test('a second window shares the server, costs little memory and is answered', async () => {
  const [pid] = servers();
  const rss = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  const before = rss();
  // The second window has a different file: if both saved the same file, each would find it changed by the other.
  const second = await openWindow('second.ts');
  await second.statusSays(/ready/);
  await second.setText(sample);
  await second.type(typed);
  await expect.poll(() => second.shownGhostText()).not.toBe('');
  expect(servers()).toEqual([pid]);
  console.log(`a second window took ${(rss() - before).toFixed(0)} MB of the server's memory`);
  expect(rss() - before).toBeLessThan(60);
  await second.close();
  await ghostTextAfter(typed);
});

/** Checks that the window still gets suggestions. */
async function ghostTextAfter(last: string): Promise<void> {
  await bench.setText(sample);
  await bench.type(last);
  await ghostTextComes();
}

test('when nobody types, the server wakes up little more often than once a second, for its sign of life', async () => {
  const [pid] = servers() as [number];
  const restMs = 10_000;
  const wakeUpsInRest = async () => {
    const before = wakeUps(pid);
    await sleep(restMs);
    return wakeUps(pid) - before;
  };
  await bench.type(typed);
  await ghostTextComes();
  // The work that remains after the last key takes a while, which depends on the machine.
  await expect.poll(wakeUpsInRest).toBeLessThanOrEqual(100);
});

/** How often the process's threads have waited and woken up, which does not depend on how busy the machine is. */
function wakeUps(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`).map((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8'),
  );
  const counts = threads.map((status) => Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1]));
  return counts.reduce((sum, count) => sum + count, 0);
}

test('after two simultaneous restarts, one server remains, and it follows the settings', async () => {
  const [old] = servers();
  await bench.runCommand('Hearth: Restart Server');
  await bench.runCommand('Hearth: Restart Server');
  await expect.poll(() => servers().includes(old ?? 0)).toBe(false);
  await bench.statusSays(/ready/);
  await sleep(1000);
  expect(servers()).toHaveLength(1);
  await ghostTextAfter(typed);
  await bench.setSettings({ ...settings, 'hearth.mode': 'off' });
  await bench.statusSays(/turned off/);
  await bench.type(' ');
  await nothingComes(1000);
  await bench.setSettings(settings);
});

test('a missing model is reported by name, and the status bar offers to choose another', async () => {
  await bench.setSettings({ 'hearth.model.path': resolve('build/e2e/missing.gguf') });
  await bench.statusSays(/missing\.gguf/);
  await bench.statusItem.click();
  await bench.choosable('Choose Another Model').waitFor();
  await bench.press('Escape');
  await bench.setSettings(settings);
  await bench.statusSays(/ready/);
});

test('a server that is killed while text is shown is replaced within seconds', async () => {
  await bench.type(typed);
  await ghostTextComes();
  const [pid] = servers();
  const killedAt = Date.now();
  process.kill(pid as number, 'SIGKILL');
  await expect.poll(() => servers().filter((each) => each !== pid).length, { interval: 20 }).toBe(1);
  await bench.statusSays(/ready/);
  console.log(`back ${Date.now() - killedAt} ms after kill -9`);
  await expect.poll(() => server.hearthLog()).toContain('ended unexpectedly (signal SIGKILL)');
  await ghostTextAfter(typed);
});

test('for a server that keeps crashing, a single message says how it ended and offers a remedy', async () => {
  // Kills each server once the window has connected to it.
  const killed = async () => {
    for (const pid of servers().filter((each) => server.connections().includes(each))) process.kill(pid, 'SIGKILL');
    return bench.statusLabel();
  };
  await expect.poll(killed).toMatch(/failed repeatedly \(signal SIGKILL\)/);
  const message = bench.page.locator('.notification-toast', { hasText: 'failed repeatedly' });
  await message.waitFor();
  expect(await message.count()).toBe(1);
  expect(servers()).toEqual([]);
  await bench.statusItem.click();
  await bench.choose('Restart Server');
  await bench.statusSays(/ready/);
  await ghostTextAfter(typed);
});
