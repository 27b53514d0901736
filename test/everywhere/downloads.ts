// The downloads as a program for another system's Node: downloads.js. The server is in this process, and the folder has
// a long path and a name in other alphabets.
import { randomFillSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { download } from '../../extension/download/download.ts';
import { breakAfter, FileServer, status } from '../extension/download/file-server.ts';

// fetch() needs this before it connects, and the sockets of Wine 8 fail there.
Socket.prototype.setKeepAlive = function setKeepAlive() {
  return this;
};

const top = mkdtempSync(join(tmpdir(), 'hearth-'));
const folder = join(top, 'modèles 日本', ...Array<string>(10).fill('a folder with a long name'));
const content = Buffer.concat([Buffer.from('GGUF'), randomFillSync(Buffer.alloc(3_000_000))]);

async function main(): Promise<void> {
  let passed = 0;
  let failed = 0;
  const check = (name: string, isGood: boolean, detail: unknown) => {
    isGood ? passed++ : failed++;
    console.log(isGood ? `ok ${name}: ${detail}` : `FAIL ${name}\n  ${detail}`);
  };
  mkdirSync(folder, { recursive: true });
  const server = await new FileServer(content).start();
  const fetchFile = (signal = new AbortController().signal, onProgress?: () => void) =>
    download(server.file(), folder, { signal, ...(onProgress && { onProgress }) });
  const refused = (promise: Promise<unknown>) =>
    promise.then(
      () => 'it succeeded',
      (error: Error) => error.message,
    );
  const isWhole = () => readFileSync(join(folder, 'a.gguf')).equals(content);
  const names = () => readdirSync(folder).sort().join(', ');

  const path = await fetchFile();
  check('a file arrives whole below a long path', isWhole() && names() === 'a.gguf', `${path.length} characters`);
  const n = server.requests.length;
  await fetchFile();
  check('one that is there is not asked for', server.requests.length === n, `${n} requests`);
  rmSync(path);

  const abort = new AbortController();
  server.answers.push(breakAfter(1_500_000));
  const aborted = await refused(fetchFile(abort.signal, () => abort.abort()));
  const kept = statSync(join(folder, 'a.gguf.part')).size;
  check('a download that is stopped keeps what has come', kept > 0, `${aborted}; ${kept} bytes; ${names()}`);
  await fetchFile();
  const { range } = server.requests.at(-1) ?? {};
  check('and goes on from there', isWhole() && range === `bytes=${kept}-`, range);

  rmSync(path);
  server.answers.push(breakAfter(1_000_000));
  await fetchFile();
  check('a connection that breaks is taken up again', isWhole(), server.requests.at(-1)?.range);
  rmSync(path);
  const [one, other] = await Promise.all([refused(fetchFile()), refused(fetchFile())]);
  check('two windows that want one file get it once', isWhole() && names() === 'a.gguf', `${one}; ${other}`);
  rmSync(path);
  const { signal } = new AbortController();
  const damaged = await refused(download(server.file({ sha256: '0'.repeat(64) }), folder, { signal }));
  check('a file with another digest is refused', /SHA-256/.test(damaged) && names() === '', damaged);
  server.answers.push(status(404));
  check('a server that lacks the file is named', /404/.test(await refused(fetchFile())), names() || 'nothing is left');
  await server.stop();
  console.log(`${passed} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
}

main()
  .catch((error: unknown) => {
    console.log(`FAIL ${error instanceof Error ? error.stack : error}\n0 passed, 1 failed`);
    process.exitCode = 1;
  })
  .finally(() => rmSync(top, { recursive: true, force: true }));
