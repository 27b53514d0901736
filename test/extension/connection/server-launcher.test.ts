// Finding and starting the server's process. In its place run programs that fail in many ways.
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ServerLauncher } from '../../../extension/connection/server-launcher.ts';
import type { ProcessLink } from '../../../extension/connection/server-link.ts';
import { Endpoint } from '../../../language-server/protocol/endpoint.ts';
import { serverProgram } from '../../support/shared-process.ts';

let folder: string;
let output: string[];
let links: ProcessLink[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hearth-process-'));
  mkdirSync(join(folder, 'run'), { mode: 0o700 });
  vi.stubEnv('XDG_RUNTIME_DIR', join(folder, 'run'));
  vi.stubEnv('TMPDIR', join(folder, 'none'));
  output = [];
  links = [];
});
afterEach(async () => {
  for (const link of links) link.kill();
  for (const link of links) await link.closed;
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** A window. program: the text of the program that runs instead of the server. */
function window(program?: string): ServerLauncher {
  const module = program === undefined ? serverProgram : join(folder, 'server.js');
  if (program !== undefined) writeFileSync(module, program);
  return new ServerLauncher({
    module,
    storageFolder: join(folder, 'storage'),
    version: '1',
    onOutput: (text) => output.push(text),
  });
}

async function start(server: ServerLauncher): Promise<ProcessLink> {
  const link = await server.start(new AbortController().signal);
  if (!link) throw new Error('no link');
  links.push(link);
  return link;
}

const isRunning = (pid: number) => existsSync(`/proc/${pid}`);
/** The contents of the folder for sockets, and of its subfolders. */
const files = (at = 'run') =>
  readdirSync(join(folder, at), { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.(sock|json|log)$/.test(file),
  );

test('a second window finds the process that the first one started', async () => {
  const first = await start(window());
  expect(await first.greet()).toBe(true);
  const second = (await window().find()) as ProcessLink;
  links.push(second);
  expect(await second.greet()).toBe(true);
  expect(second.pid).toBe(first.pid);
  expect([first.isNew, second.isNew]).toEqual([true, false]);
});

test('the process has its own process group, because the whole group of the window may be killed', async () => {
  const { pid } = await start(window());
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [, , group, session] = fields.split(' ').map(Number);
  expect([group, session]).toEqual([pid, pid]);
});

test('no server is found if none runs', async () => {
  expect(await window().find()).toBe(null);
});

test('a process that ends at once counts as not started, and what it wrote to standard error is passed on', async () => {
  const server = window('console.error("out of memory"); process.exit(3)');
  await expect(start(server)).rejects.toThrow('exit code 3');
  expect(output).toEqual(['out of memory']);
  expect(files()).toEqual([]);
});

test('a process that does not listen in time is killed', async () => {
  const server = window(`require('fs').writeFileSync(${JSON.stringify(join(folder, 'pid'))}, String(process.pid));
    setInterval(() => {}, 1000)`);
  const attempt = new AbortController();
  const started = server.start(attempt.signal);
  await expect.poll(() => existsSync(join(folder, 'pid'))).toBe(true);
  attempt.abort();
  await expect(started).rejects.toThrow('signal SIGKILL');
  expect(isRunning(Number(readFileSync(join(folder, 'pid'), 'utf8')))).toBe(false);
  expect(files()).toEqual([]);
});

test('the window learns how a process ended, and what it last wrote to standard error', async () => {
  const link = await start(window());
  expect(await link.greet()).toBe(true);
  const [log = ''] = files().filter((file) => file.endsWith('.log'));
  writeFileSync(join(folder, 'run', log), 'std::bad_alloc\n');
  process.kill(link.pid as number, 'SIGKILL');
  await link.closed;
  expect(await link.fault()).toEqual({ kind: 'crashed', how: 'signal SIGKILL' });
  expect(output).toEqual(['std::bad_alloc']);
});

test('in other windows, a hung process that one window has killed does not count as crashed', async () => {
  const first = await start(window());
  const second = (await window().find()) as ProcessLink;
  process.kill(first.pid as number, 'SIGSTOP');
  second.kill();
  for (const link of [first, second]) {
    await link.closed;
    expect(await link.fault()).toMatchObject({ kind: 'hung' });
  }
});

test('another process with the same id is not killed', async () => {
  const link = await start(window());
  const [announced = ''] = files().filter((file) => file.endsWith('.json'));
  const path = join(folder, 'run', announced);
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), startTime: '1' }));
  const other = (await window().find()) as ProcessLink;
  other.kill();
  expect(await link.greet()).toBe(true);
  other.close();
});

test('the error for a missing server program has its path', async () => {
  const server = window('');
  rmSync(join(folder, 'server.js'));
  await expect(start(server)).rejects.toThrow(`${join(folder, 'server.js')} is missing`);
});

test.each<[string, () => void]>([
  ['another user has the folder', () => vi.spyOn(process, 'getuid').mockReturnValueOnce(54_321)],
  ['a file has its name', () => writeFileSync(join(folder, 'run', `hearth-${process.getuid?.()}`), '')],
])('if %s, the socket is in the storage folder', async (_, spoil) => {
  spoil();
  const link = await start(window());
  expect(await link.greet()).toBe(true);
  expect(files('run')).toEqual([]);
  expect(files('storage')).toHaveLength(3);
  expect(link.isShared).toBe(true);
});

test('if a process cannot announce itself in a folder, the next one is tried', async () => {
  const program = `const folder = process.argv[process.argv.indexOf('--endpoint') + 1];
    if (folder.includes('/run/')) { console.error('No space left'); process.exit(73); }
    require(${JSON.stringify(serverProgram)});`;
  const link = await start(window(program));
  expect(await link.greet()).toBe(true);
  expect(files('run')).toEqual([]);
  expect(files('storage')).toHaveLength(3);
  expect(output).toEqual(['No space left']);
});

test('if no folder can be used, this window gets a server of its own, which ends with the window', async () => {
  vi.spyOn(Endpoint.prototype, 'prepare').mockImplementation(() => {
    throw new Error('EROFS');
  });
  const link = await start(window());
  vi.restoreAllMocks();
  expect(await link.greet()).toBe(true);
  expect(link).toMatchObject({ isShared: false, isNew: true });
  const { pid = 0 } = link;
  expect(isRunning(pid)).toBe(true);
  link.writer.end(); // as when the window's process ends
  await link.closed;
  expect(isRunning(pid)).toBe(false);
  expect(await link.fault()).toEqual({ kind: 'crashed', how: expect.stringMatching(/^exit code/) });
});

test('without free file handles (EMFILE), nothing is started, and the next attempt succeeds', async () => {
  const limit = (handles: number) => execFileSync('prlimit', [`--pid=${process.pid}`, `--nofile=${handles}:`]);
  limit(256);
  const taken: number[] = [];
  try {
    for (;;) taken.push(openSync('/dev/null', 'r'));
  } catch {
    // No handle is left.
  }
  const server = window();
  const failure = await start(server).then(
    () => 'it was started',
    (error: Error) => error.message,
  );
  for (const handle of taken) closeSync(handle);
  limit(4096);
  expect(failure).toMatch(/EMFILE/);
  expect(await (await start(server)).greet()).toBe(true);
});

test('if the system starts no process, the error says why, and no file is left', async () => {
  vi.spyOn(process, 'execPath', 'get').mockReturnValue(join(folder, 'none'));
  await expect(start(window())).rejects.toThrow('ENOENT');
  vi.restoreAllMocks();
  expect(files()).toEqual([]);
});
