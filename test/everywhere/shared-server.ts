// Tests the server that editor windows share, as a standalone program, shared-server.js DIST, in another system's Node.
// The simulated windows find the server as the extension does; on Microsoft Windows, through a named pipe. A host named
// Code.exe also runs it.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { SocketMessageReader, SocketMessageWriter } from 'vscode-languageserver-protocol/node';
import { ServerLauncher } from '../../extension/connection/server-launcher.ts';
import type { ProcessLink } from '../../extension/connection/server-link.ts';
import { endpointsFor } from '../../language-server/protocol/endpoint.ts';
import { LspWindow } from '../support/lsp-client.ts';

const version = 'test';
const storageFolder = mkdtempSync(join(tmpdir(), 'hearth ü 日本-'));
const output: string[] = [];

function processFor(dist: string): ServerLauncher {
  const module = join(dist, 'server.js');
  return new ServerLauncher({ module, storageFolder, version, onOutput: (text) => output.push(text) });
}

async function greeted(link: ProcessLink | null): Promise<ProcessLink> {
  if (!link) throw new Error('no server was found');
  if (!(await link.greet())) throw new Error('the server did not prove who it is');
  return link;
}

async function windowOn(link: ProcessLink): Promise<LspWindow> {
  const socket = link.reader as ConstructorParameters<typeof SocketMessageReader>[0];
  const window = new LspWindow(new SocketMessageReader(socket), new SocketMessageWriter(socket));
  await window.initialize();
  const { health, message } = await window.settled();
  if (health !== 'ready') throw new Error(`the server is ${health}: ${message}`);
  return window;
}

async function ghostText(window: LspWindow, newline: string): Promise<string> {
  const uri = pathToFileURL(join(storageFolder, `größe ${newline.length}.py`)).toString();
  const text = ['def count_lines(path):', '    with open(path) as file:', '        lines = '].join(newline);
  await window.open(uri, text, 'python');
  const [item] = await window.complete(uri, 2, 16);
  return String(item?.insertText ?? '');
}

/** The answer of a pipe or socket to a client that does not know the secret word. */
function heardBy(path: string, words: string): Promise<string> {
  return new Promise((resolve) => {
    let heard = '';
    const socket = connect(path, () => socket.write(words));
    socket.on('data', (data) => {
      heard += data.toString();
    });
    socket.on('error', () => {}).on('close', () => resolve(heard));
  });
}

async function main(dist: string): Promise<void> {
  let failed = 0;
  let passed = 0;
  const check = (name: string, isGood: boolean, detail: unknown) => {
    isGood ? passed++ : failed++;
    console.log(isGood ? `ok ${name}: ${detail}` : `FAIL ${name}\n  ${detail}`);
  };
  const { signal } = new AbortController();
  console.log(`${process.platform} ${process.arch}, Node ${process.version}, below ${process.execPath}`);

  const first = processFor(dist);
  check('no server is found before one was started', (await first.find()) === null, storageFolder);
  const link = await greeted(await first.start(signal));
  check('the server that a window starts is shared', link.isShared && link.isNew, `pid ${link.pid}`);
  const window = await windowOn(link);
  const text = await ghostText(window, '\n');
  check('there is ghost text', text.includes('readlines'), JSON.stringify(text));
  const withCrlf = await ghostText(window, '\r\n');
  check('a document with CRLF gets the same', withCrlf === text, JSON.stringify(withCrlf));

  const other = await greeted(await processFor(dist).find());
  check('another window finds the same process', other.pid === link.pid, `pid ${other.pid}`);
  const second = await windowOn(other);
  check('and gets the same text', (await ghostText(second, '\n')) === text, JSON.stringify(text));

  const endpoint = endpointsFor(storageFolder, version).find((each) => each.announced());
  const announced = endpoint?.announced();
  const path = endpoint && announced ? endpoint.socketOf(announced.id) : '';
  const heard = await heardBy(path, `${'0'.repeat(64)}\n`);
  check('whoever lacks the word hears nothing', heard === '' && path !== '', path);
  const log = readFileSync(announced?.logFile ?? '', 'utf8');
  check('the server has no complaint, such as that others may open its pipe', log === '', log || 'an empty log');

  process.kill(link.pid as number, 'SIGKILL'); // as Task Manager does
  await Promise.all([link.closed, other.closed]);
  check('windows notice that the process was ended', true, 'both links are closed');
  const next = await greeted((await first.find()) ?? (await first.start(signal)));
  check('another process takes its place', next.pid !== link.pid, `pid ${next.pid}`);
  const again = await ghostText(await windowOn(next), '\n');
  check('which answers the same', again === text, JSON.stringify(again));
  next.close();
  for (let i = 0; i < 600 && endpoint?.announced(); i++) await sleep(100);
  check('it ends when its last window has gone', !endpoint?.announced(), output.join(' ') || 'and says nothing');
  console.log(`${passed} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
}

main(process.argv[2] ?? '')
  .catch((error: unknown) => {
    console.log(`FAIL ${error instanceof Error ? error.stack : error}\n${output.join('\n')}\n0 passed, 1 failed`);
    process.exitCode = 1;
  })
  .finally(() => rmSync(storageFolder, { recursive: true, force: true }));
