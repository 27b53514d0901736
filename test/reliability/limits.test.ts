// What the system can refuse to the server's process: file handles, memory, disk space, /proc. Some tests need root,
// for a mount or a control group of their own, and are skipped without.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Statistics } from '../../extension/statistics/statistics.ts';
import { cannotAnnounceCode, Endpoint } from '../../language-server/protocol/endpoint.ts';
import { announcementAt, openSocket, serverProgram, startShared } from '../support/shared-process.ts';
import { FrameClient } from './frame-client.ts';
import { loaded, serverCommand, starterModel } from './real-server.ts';

const uri = 'file:///sample.ts';
/** V8 ends a process that has no memory for a grammar's WebAssembly, which is loaded in the background. */
const withoutGrammar = 'plaintext';
const text = `${'const value = compute(input);\n'.repeat(40)}for (const item of list) {\n  this.add(`;
let folder: string;
let clients: FrameClient[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hearth-limits-'));
});
afterEach(() => {
  for (const { child } of clients) child.kill('SIGKILL');
  clients = [];
  rmSync(folder, { recursive: true, force: true });
});

async function start(command = serverCommand, settings: object = {}, languageId = 'typescript'): Promise<FrameClient> {
  const client = new FrameClient(command);
  clients.push(client);
  const options = { 'cache.diskMiB': 64, 'completion.confidence': 'eager', ...settings };
  await client.initialize({ settings: options, bundledModel: starterModel, storageFolder: folder });
  await client.open(uri, text, languageId);
  return client;
}

async function answerOf(client: FrameClient): Promise<unknown> {
  await loaded(client);
  const { result } = await client.reply(await client.ask(uri, 41, 11));
  return (result as { items: unknown }).items;
}

/** The server's message about a model that it cannot load. */
async function problemOf(client: FrameClient): Promise<string> {
  for (;;) {
    const said = client.notices.map(({ params }) => params as { health?: string; message?: string });
    const problem = said.find(({ health }) => health === 'error');
    if (problem) return problem.message ?? '';
    await once(client.child.stdout, 'data');
  }
}

/** Sets a soft limit of a running process. */
const limit = (pid: number | undefined, what: 'as' | 'nofile', value: number | 'unlimited') =>
  execFileSync('prlimit', [`--pid=${pid}`, `--${what}=${value}:`]);
const handlesOf = (pid: number | undefined) => readdirSync(`/proc/${pid}/fd`);
const pagesOf = (pid: number | undefined) => Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[0]);
/** Resolves when a value has not changed for half a second. */
async function settled(value: () => unknown): Promise<void> {
  for (let before: unknown; before !== value(); await sleep(500)) before = value();
}
/** Leaves a process only the handles that it has. */
async function takeHandles(pid: number | undefined): Promise<void> {
  await settled(() => handlesOf(pid).join());
  const open = new Set(handlesOf(pid).map(Number));
  limit(
    pid,
    'nofile',
    [...open, open.size].findIndex((_, handle) => !open.has(handle)),
  );
}

test('without free file handles (EMFILE), a server says why it cannot load the model, and loads it once there are some', async () => {
  const client = await start(serverCommand, { mode: 'off' }, withoutGrammar);
  const { pid } = client.child;
  await client.request('hearth/models', { downloadFolder: folder });
  await takeHandles(pid);
  await client.notify('hearth/settings', { mode: 'automatic' });
  expect(await problemOf(client)).toMatch(/too many open files/i);
  limit(pid, 'nofile', 1024);
  client.notices.length = 0;
  await client.notify('hearth/settings', { mode: 'automatic', threads: 1 });
  await loaded(client);
  expect(await answerOf(client)).toHaveLength(1);
});

test('without free file handles (EMFILE), a server keeps its windows, and accepts new ones once there are some', async () => {
  const { child, endpoint } = startShared(folder);
  await once(child, 'message');
  const before = await openSocket(endpoint);
  await takeHandles(child.pid);
  const { id } = announcementAt(endpoint);
  const refused = connect(endpoint.socketOf(id)).on('error', () => {});
  await new Promise((resolve) => refused.once('close', resolve));
  limit(child.pid, 'nofile', 1024);
  const after = await openSocket(endpoint);
  expect([before.destroyed, after.destroyed, child.exitCode]).toEqual([false, false, null]);
  for (const socket of [before, after]) socket.destroy();
  child.kill('SIGKILL');
});

test('without free memory for the model, a server says so, and loads it once there is some', async () => {
  const client = await start(serverCommand, { mode: 'off' }, withoutGrammar);
  const { pid } = client.child;
  await settled(() => pagesOf(pid));
  limit(pid, 'as', pagesOf(pid) * 4096 + 200 * 2 ** 20);
  await client.notify('hearth/settings', { mode: 'automatic' });
  expect(await problemOf(client)).toMatch(/not enough memory for the model/);
  limit(pid, 'as', 'unlimited');
  client.notices.length = 0;
  await client.notify('hearth/settings', { mode: 'automatic', threads: 1 });
  expect(await answerOf(client)).toHaveLength(1);
});

const canMount = spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'none', tmpdir()]).status === 0;
/** Runs a program with mounts that only it sees. */
const withMounts = (mounts: string, program: string[]) => [
  'unshare',
  '-m',
  'sh',
  '-c',
  `${mounts} && exec "$0" "$@"`,
  ...program,
];

test.runIf(canMount)('without /proc, a server answers as it does with it', async () => {
  const expected = await answerOf(await start());
  const client = await start(withMounts('mount -t tmpfs none /proc', serverCommand));
  expect(await answerOf(client)).toEqual(expected);
  expect(await client.stop()).toBe(0);
});

test.runIf(canMount)('without /proc, windows find their shared server', async () => {
  const endpoint = new Endpoint(join(folder, 'hearth'), 'test');
  const args = ['--endpoint', endpoint.preparedFolder(endpoint.prepare()), '--log', join(folder, 'log')];
  const [program = '', ...rest] = withMounts('mount -t tmpfs none /proc', [process.execPath, serverProgram, ...args]);
  const child = spawn(program, rest, { stdio: 'ignore' });
  await expect.poll(() => endpoint.announced()?.startTime).toBe('');
  const socket = await openSocket(endpoint);
  expect(socket.destroyed).toBe(false);
  socket.destroy();
  child.kill('SIGKILL');
});

test.runIf(canMount)('a read-only file system (EROFS) costs the disk cache and nothing else', async () => {
  const expected = await answerOf(await start());
  const client = await start(withMounts(`mount -t tmpfs -o ro none ${folder}`, serverCommand));
  expect(await answerOf(client)).toEqual(expected);
  expect(await client.stop()).toBe(0);
});

test.runIf(canMount)(
  'a disk without space (ENOSPC) for the disk cache costs the disk cache and nothing else',
  async () => {
    const expected = await answerOf(await start());
    const client = await start(withMounts(`mount -t tmpfs -o size=64k none ${folder}`, serverCommand));
    expect(await answerOf(client)).toEqual(expected);
    await client.request('shutdown');
    expect(readdirSync(`/proc/${client.child.pid}/root/${folder}/pages`)).toEqual([]);
    await client.notify('exit', {});
    expect((await client.ended)[0]).toBe(0);
  },
);

test.runIf(canMount).each([
  ['the socket', 2],
  ['the announcement', 3],
])('a disk without space (ENOSPC) for %s ends a server that nobody could find', async (_, inodes) => {
  const prepared = join(folder, 'test.00000000');
  const mounts = `mount -t tmpfs -o nr_inodes=${inodes} none ${folder} && mkdir -m 700 ${prepared}`;
  const args = ['--endpoint', prepared, '--log', join(folder, 'log')];
  const client = new FrameClient(withMounts(mounts, [process.execPath, serverProgram, ...args]));
  clients.push(client);
  expect((await client.ended)[0]).toBe(cannotAnnounceCode);
  expect(client.stderr).toContain('ENOSPC');
});

test('a disk without space (ENOSPC) for what a server writes to standard error costs that output and nothing else', async () => {
  const { child, endpoint } = startShared(folder, openSync('/dev/full', 'w'));
  await once(child, 'message');
  const [broken, other] = [await openSocket(endpoint), await openSocket(endpoint)];
  broken.write('Length: 3\r\n\r\n{}');
  await new Promise((resolve) => broken.once('close', resolve));
  expect([other.destroyed, child.exitCode]).toEqual([false, null]);
  other.destroy();
  child.kill('SIGKILL');
});

test.runIf(process.getuid?.() === 0)(
  'a disk without space (ENOSPC) for statistics is reported once, and counting resumes once there is some',
  async () => {
    const warnings: string[] = [];
    const statistics = new Statistics(folder, (message) => warnings.push(message));
    const shown = { languageId: 'rust', latencyMs: 60 };
    const file = join(folder, '2026-03-31.jsonl');
    execFileSync('mknod', [file, 'c', '1', '7']); // as /dev/full
    const today = new Date(2026, 2, 31);
    for (let i = 0; i < 3; i++) await statistics.add(today, shown);
    expect(warnings).toEqual([expect.stringContaining('ENOSPC')]);
    rmSync(file);
    await statistics.add(today, shown);
    expect([...statistics.read().values()]).toEqual([[shown]]);
  },
);

/** The memory controller of Linux's control groups, version 2 or 1. Undefined if this user cannot make groups. */
const controller = [
  { root: '/sys/fs/cgroup', used: 'memory.current', limit: 'memory.max', swap: 'memory.swap.max' },
  {
    root: '/sys/fs/cgroup/memory',
    used: 'memory.usage_in_bytes',
    limit: 'memory.limit_in_bytes',
    swap: 'memory.swappiness',
  },
].find(
  ({ root, limit }) =>
    spawnSync('sh', ['-c', `d=$(mktemp -d -p ${root}) && [ -w $d/${limit} ]; s=$?; rmdir $d; exit $s`]).status === 0,
);

describe.runIf(controller)('a control group with little memory', () => {
  const { root, used, limit: most, swap } = controller ?? { root: '', used: '', limit: '', swap: '' };
  let group: string;
  const write = (file: string, value: number) => writeFileSync(join(group, file), String(value));

  beforeEach(() => {
    group = mkdtempSync(join(root, 'hearth-'));
  });
  afterEach(async () => {
    await Promise.all(clients.map(({ child, ended }) => child.kill('SIGKILL') && ended));
    rmdirSync(group);
  });

  /** A server in the group, with this much memory left. */
  async function startInGroup(leftBytes: number, settings: object): Promise<FrameClient> {
    const command = ['sh', '-c', `echo $$ > ${group}/cgroup.procs && exec "$0" "$@"`, ...serverCommand];
    const client = await start(command, { mode: 'off' }, withoutGrammar);
    await client.reply(await client.ask(uri, 0, 0)); // by then it has begun
    await settled(() => pagesOf(client.child.pid));
    write(swap, 0);
    write(most, Number(readFileSync(join(group, used), 'utf8')) + leftBytes);
    await client.notify('hearth/settings', { mode: 'automatic', ...settings });
    return client;
  }

  test('a model that cannot fit there is refused with the figures', async () => {
    const client = await startInGroup(16 * 2 ** 20, {});
    expect(await problemOf(client)).toMatch(/needs [\d.]+ GB of memory, but only [\d.]+ GB is free/);
    expect(await client.stop()).toBe(0);
  });

  test('a server that the system kills for its memory damages nothing that the next server reads', async () => {
    const expected = await answerOf(await start());
    const client = await startInGroup(28 * 2 ** 20, { 'cache.diskMiB': 64 });
    expect(await client.ended).toEqual([null, 'SIGKILL']);
    expect(await answerOf(await start())).toEqual(expected);
  });
});
