// Tests downloading as a standalone program, built as downloads.js, that runs in another system's Node. The server is
// in this process, and the folder has a long path and non-ASCII characters in its name.
import { randomFillSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { download } from '../../extension/download/download.ts';
import { breakAfter, FileServer, status } from '../extension/download/file-server.ts';

// fetch() calls setKeepAlive() before it connects. Under Wine 8 that call fails, so make it a no-op.
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
  const outcomeOf = (promise: Promise<unknown>) =>
    promise.then(
      () => 'it succeeded',
      (error: Error) => error.message,
    );
  const isComplete = () => readFileSync(join(folder, 'a.gguf')).equals(content);
  const names = () => readdirSync(folder).sort().join(', ');

  const path = await fetchFile();
  const length = `${path.length} characters`;
  check('a file downloads completely into a folder with a long path', isComplete() && names() === 'a.gguf', length);
  const n = server.requests.length;
  await fetchFile();
  check('a file that already exists is not requested again', server.requests.length === n, `${n} requests`);
  rmSync(path);

  const abort = new AbortController();
  server.answers.push(breakAfter(1_500_000));
  const aborted = await outcomeOf(fetchFile(abort.signal, () => abort.abort()));
  const kept = statSync(join(folder, 'a.gguf.part')).size;
  check('an aborted download keeps the bytes received so far', kept > 0, `${aborted}; ${kept} bytes; ${names()}`);
  await fetchFile();
  const { range } = server.requests.at(-1) ?? {};
  check('the next attempt continues after these bytes', isComplete() && range === `bytes=${kept}-`, range);

  rmSync(path);
  server.answers.push(breakAfter(1_000_000));
  await fetchFile();
  check('a download resumes after its connection breaks', isComplete(), server.requests.at(-1)?.range);
  rmSync(path);
  const [one, other] = await Promise.all([outcomeOf(fetchFile()), outcomeOf(fetchFile())]);
  const outcomes = `${one}; ${other}`;
  check('two concurrent downloads of a file give one complete file', isComplete() && names() === 'a.gguf', outcomes);
  rmSync(path);
  const { signal } = new AbortController();
  const damaged = await outcomeOf(download(server.file({ sha256: '0'.repeat(64) }), folder, { signal }));
  check('a file with the wrong digest is refused', /SHA-256/.test(damaged) && names() === '', damaged);
  server.answers.push(status(404));
  const missing = await outcomeOf(fetchFile());
  check('the error for a missing file (404) says so', /404/.test(missing), names() || 'nothing is left');
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
