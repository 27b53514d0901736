// What ends a server and what must not: crashes, broken messages, errors in handlers. Reports about them never contain
// the text of a document.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import * as messages from '../../language-server/protocol/messages.ts';
import * as models from '../../language-server/protocol/models.ts';
import * as nextEdit from '../../language-server/protocol/next-edit-messages.ts';
import { FrameClient, frame } from './frame-client.ts';
import { loaded, serverCommand, starterModel } from './real-server.ts';

const uri = 'file:///sample.ts';
const password = 'correct-horse-battery';
const text = `const password = '${password}';\n`.repeat(40);
let folder: string;
let client: FrameClient;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hearth-crash-'));
});
afterEach(() => {
  client.child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** A server in the folder, with a document that the engine has read. */
async function start({ env = {}, model = starterModel }: { env?: object; model?: string } = {}): Promise<void> {
  const command = ['sh', '-c', `cd ${folder}; ulimit -c 0; exec "$0" "$@"`, ...serverCommand];
  client = new FrameClient(command, { ...process.env, ...env });
  await client.initialize({ settings: {}, bundledModel: model });
  if (model === starterModel) await loaded(client);
  await client.open(uri, text);
  expect(await client.reply(await client.ask(uri, 20, 0))).toHaveProperty('result.reason');
}

/** What the server wrote to its log and to standard error. */
const traces = () => `${JSON.stringify(client.notices)}${client.stderr}${readdirSync(folder)}`;

test.each(['SIGSEGV', 'SIGBUS', 'SIGABRT', 'SIGILL', 'SIGFPE'] as const)(
  'a crash by %s while the engine works leaves no text of a document in log or files',
  async (signal) => {
    await start();
    await client.edit(uri, 2, 30, 0, 'for (');
    await client.ask(uri, 30, 5);
    client.child.kill(signal);
    expect(await client.ended).toEqual([null, signal]);
    expect(traces()).not.toContain(password);
    expect(readdirSync(folder)).toEqual([]);
  },
);

test('a full heap ends the server with a reason, which contains no text of a document', async () => {
  await start({ env: { NODE_OPTIONS: '--max-old-space-size=64' }, model: '/none' });
  for (let i = 0; i < 8; i++) await client.open(`file:///${i}.ts`, text.repeat(8000)).catch(() => undefined);
  await client.ended;
  expect(client.stderr).toContain('heap out of memory');
  expect(traces()).not.toContain(password);
});

test.each([
  ['content that is not JSON', frame(`{"text": ${password}}`)],
  ['content that ends too early', frame(`{"text": "${password}`)],
  ['a length that is too short', `Content-Length: 2\r\n\r\n{}${password}\r\n\r\n`],
  ['a length that is text', `Content-Length: ${password}\r\n\r\n{}`],
  ['a header without a length', `Content: ${password}\r\n\r\n{}`],
])('the report about a message with %s does not quote it', async (_, bytes) => {
  await start({ model: '/none' });
  await client.write(bytes);
  expect((await client.ended)[0]).toBe(1);
  expect(client.stderr).toMatch(/broken message: its (content|header) is not/);
  expect(traces()).not.toContain(password);
});

/** All the methods of ours; a server must survive even those that only the server sends. */
const own = Object.values({ ...messages, ...models, ...nextEdit }).flatMap((each) =>
  typeof each === 'object' && 'method' in each && each.method !== 'hearth/quit' ? [each.method] : [],
);

test.each([
  ...own,
  'textDocument/didOpen',
  'textDocument/didChange',
  'textDocument/didClose',
  'textDocument/inlineCompletion',
  'workspace/didChangeConfiguration',
  'workspace/didChangeWorkspaceFolders',
  '$/cancelRequest',
  '$/setTrace',
])('%s without parameters or with odd ones does not end the server', async (method) => {
  await start({ model: '/none' });
  const unlike = { uri: 7, position: null, textDocument: null, files: [null], range: 5, version: '1', event: {} };
  const empty = { uri, version: 1, position: { line: null, character: 'x' }, range: {}, files: [{}], trigger: [] };
  for (const odd of [undefined, null, [], [null], {}, unlike, empty]) {
    await client.send({ method, params: odd });
    await client.post(method, odd as object);
  }
  expect(await client.reply(await client.ask(uri, 0, 0))).toHaveProperty('result.reason');
  expect(await client.stop()).toBe(0);
});

test('an error that no code handles is logged, and the server goes on', async () => {
  const fault = join(folder, 'fault.cjs');
  writeFileSync(fault, "process.on('SIGUSR2', () => Promise.reject(new Error('forgotten')))");
  await start({ env: { NODE_OPTIONS: `--require ${fault}` }, model: '/none' });
  client.child.kill('SIGUSR2');
  while (!client.stderr.includes('forgotten')) await client.reply(await client.ask(uri, 0, 0));
  expect(await client.stop()).toBe(0);
});

test('when an editor ends without a word, its server ends', async () => {
  await start();
  client.child.stdin.destroy();
  expect((await client.ended)[0]).toBe(1);
});

/** '' if the process has ended, even if nobody has collected its exit code. */
function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

test.runIf(process.platform === 'linux').each(['exit', 'SIGTERM'])(
  'a command for the token ends with the server (%s), and so do processes that it started',
  async (how) => {
    const pidFile = join(folder, 'pid');
    const script = join(folder, 'token.sh');
    writeFileSync(script, `sleep 500 & echo $! > ${pidFile}; wait`);
    client = new FrameClient(serverCommand);
    const settings = { 'server.url': 'http://127.0.0.1:9', serverToken: `!sh ${script}` };
    await client.initialize({ settings, bundledModel: '/none' });
    const started = () => Number(existsSync(pidFile) && readFileSync(pidFile, 'utf8'));
    await expect.poll(() => commandLine(started())).toMatch(/^sleep/);
    const pid = started();
    if (how === 'exit') await client.stop();
    else client.child.kill('SIGTERM');
    await client.ended;
    await expect.poll(() => commandLine(pid)).toBe('');
  },
);
