// Several windows of a real VS Code share one server: what happens if the first window closes, if the server hangs, and
// if it is restarted.
import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { useEditor } from './editor.ts';
import type { Workbench } from './workbench.ts';

const { server, bench, openWindow } = useEditor({ files: { 'first.ts': '' } });
let first = bench;
let second: Workbench;

beforeAll(async () => {
  second = await openWindow('second.ts');
});

/** Whether a process runs. A process that has ended does not run even if its parent has not yet read its exit code. */
function isRunning(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
const parentOf = (pid: number) => Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

test('two windows share one process', async () => {
  await Promise.all([first.statusSays(/ready/), second.statusSays(/ready/)]);
  await expect.poll(() => server.connections().length).toBe(2);
  const [one, other] = server.connections();
  expect(other).toBe(one);
});

test('when the window that started the server closes, the other window keeps its model', async () => {
  const [pid = 0] = server.connections();
  const starter = parentOf(pid);
  const changes = (log: string) => log.match(/is running as process|ended unexpectedly|restarted|load/g);
  const before = changes(await server.settledLog());
  await first.page.close({ runBeforeUnload: true });
  await expect.poll(() => isRunning(starter)).toBe(false);
  expect(isRunning(pid)).toBe(true);
  await second.statusSays(/ready/);
  expect(changes(await server.settledLog())).toEqual(before);
  first = await openWindow('first.ts');
  await first.statusSays(/ready/);
  await expect.poll(() => server.connections()).toEqual([pid, pid, pid]);
});

/** Makes the server hang, and then calls act(). Resolves when both windows share another server. */
async function replace(act = async () => {}): Promise<void> {
  const known = new Set(server.connections());
  const hung = [...known].find(isRunning) ?? 0;
  process.kill(hung, 'SIGSTOP');
  const start = performance.now();
  const seconds = () => ((performance.now() - start) / 1000).toFixed(1);
  await act();
  // Each window logs which process it has connected to.
  const others = () => server.connections().filter((pid) => !known.has(pid));
  await expect.poll(() => [others().length, new Set(others()).size]).toEqual([2, 1]);
  const connected = seconds();
  await Promise.all([first.statusSays(/ready/), second.statusSays(/ready/)]);
  console.log(`connected to another server after ${connected} s, ready in both windows after ${seconds()} s`);
  await expect.poll(() => isRunning(hung)).toBe(false);
}

test('a server that hangs is replaced in both windows', async () => {
  await replace();
  expect(server.hearthLog()).toMatch(/does not react and is being restarted/);
});

test('a restart replaces a server that hangs', async () => {
  await replace(() => second.runCommand('Hearth: Restart Server'));
});
