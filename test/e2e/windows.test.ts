// Several windows of a real VS Code on one server: the first one closes, the server hangs, the server is restarted.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { launchBrowser } from './browser.ts';
import { type CodeServer, startCodeServer } from './code-server.ts';
import { Workbench } from './workbench.ts';

const patience = { timeout: 30_000 };
let server: CodeServer;
let browser: Browser;
let first: Workbench;
let second: Workbench;
const temporary = mkdtempSync(join(tmpdir(), 'hearth-e2e-'));

async function openWindow(name: string): Promise<Workbench> {
  const folder = join(temporary, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.ts`), '');
  return Workbench.open(browser, server, folder, join(folder, `${name}.ts`));
}

/** The processes that each window has connected to, one window after the other. */
const processes = () =>
  [...server.hearthLog().matchAll(/is running as process (\d+)/g)].map((match) => Number(match[1]));
/** Not of a process that has ended and whose parent has not asked how. */
function isRunning(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
const parentOf = (pid: number) => Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

beforeAll(async () => {
  server = await startCodeServer({ vsix: [inject('vsix')] });
  browser = await launchBrowser();
  first = await openWindow('first');
  second = await openWindow('second');
}, 200_000);

afterAll(async () => {
  await browser?.close();
  await server?.stop();
  rmSync(temporary, { recursive: true, force: true });
});

test('two windows share one process', async () => {
  await Promise.all([first.statusSays(/ready/, 60_000), second.statusSays(/ready/, 60_000)]);
  await expect.poll(() => processes().length, patience).toBe(2);
  const [one, other] = processes();
  expect(other).toBe(one);
});

test('the window that has started the server closes, and the other one keeps its model', async () => {
  const [pid = 0] = processes();
  const starter = parentOf(pid);
  const before = server.hearthLog().length;
  await first.page.close({ runBeforeUnload: true });
  await expect.poll(() => isRunning(starter), patience).toBe(false);
  expect(isRunning(pid)).toBe(true);
  await second.statusSays(/ready/, 10_000);
  expect(server.hearthLog().slice(before)).not.toMatch(/is running as process|ended unexpectedly|restarted|load/);
  first = await openWindow('first');
  await first.statusSays(/ready/, 60_000);
  await expect.poll(processes, patience).toEqual([pid, pid, pid]);
});

/** Stops the server and does something about it, or nothing; resolves when both windows share another one. */
async function replace(act = async () => {}): Promise<void> {
  const known = new Set(processes());
  const hung = [...known].find(isRunning) ?? 0;
  process.kill(hung, 'SIGSTOP');
  const start = performance.now();
  const seconds = () => ((performance.now() - start) / 1000).toFixed(1);
  await act();
  // Each window logs the process that it has connected to.
  const others = () => processes().filter((pid) => !known.has(pid));
  await expect.poll(() => [others().length, new Set(others()).size], patience).toEqual([2, 1]);
  const connected = seconds();
  await Promise.all([first.statusSays(/ready/, 30_000), second.statusSays(/ready/, 30_000)]);
  console.log(`connected to another server after ${connected} s, ready in both windows after ${seconds()} s`);
  await expect.poll(() => isRunning(hung), patience).toBe(false);
}

test('a server that hangs is replaced in both windows', async () => {
  await replace();
  expect(server.hearthLog()).toMatch(/does not react and is being restarted/);
});

test('a restart replaces a server that hangs', async () => {
  await replace(() => second.runCommand('Hearth: Restart Server'));
});
