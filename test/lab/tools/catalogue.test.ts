// Compares the catalogue with a mirror on this machine. The mirror has only the size, digest and first bytes of each file.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { type Comparison, catalogueCommand } from '../../../lab/tools/catalogue.ts';
import { catalogue } from '../../../language-server/models/catalogue.ts';
import type { RemoteFile } from '../../../language-server/protocol/models.ts';

type Answer = (request: IncomingMessage, response: ServerResponse, file: RemoteFile) => void;

const files = catalogue.map(({ file }) => file);
const [first, second] = files.filter(({ sha256 }) => sha256 !== null) as [RemoteFile, RemoteFile];
const undigested = files.find(({ sha256 }) => sha256 === null) as RemoteFile;
const answers = new Map<string, Answer>();
const pathOf = ({ url }: RemoteFile) => new URL(url).pathname;

const mirror = createServer((request, response) => {
  const path = (request.url ?? '').replace('/hub', '').replace('/raw/', '/resolve/');
  const file = files.find((each) => pathOf(each) === path);
  if (!file) return void response.writeHead(404).end();
  (answers.get(file.name) ?? lfs)(request, response, file);
});

/** Like Hugging Face: a redirect with the digest leads to the file. Here the file has only a few bytes. */
const lfs: Answer = (request, response, file) => {
  if (request.url?.includes('/raw/')) return void response.writeHead(404).end();
  if (request.method === 'HEAD')
    return void response
      .writeHead(302, { location: '/cdn', 'x-linked-etag': `"${file.sha256 ?? '0'.repeat(64)}"` })
      .end();
  sendRange(request, response, file.minBytes, '"cdn"');
};

function sendRange({ headers }: IncomingMessage, response: ServerResponse, bytes: number, etag?: string): void {
  const [, range, from] = /^bytes=((\d+)-\d+)$/.exec(headers.range ?? '') ?? [];
  response.writeHead(206, { ...(etag && { etag }), 'content-range': `bytes ${range}/${bytes}`, 'content-length': 4 });
  response.end(from === '0' ? 'GGUF' : '\u0003\0\0\0');
}

let address: string;
const printed: string[] = [];

beforeAll(async () => {
  await new Promise<void>((listening) => mirror.listen(0, '127.0.0.1', listening));
  address = `http://127.0.0.1:${(mirror.address() as AddressInfo).port}/hub/`;
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed.push(String(text));
    return true;
  });
});

afterAll(() => {
  vi.restoreAllMocks();
  mirror.closeAllConnections();
  mirror.close();
});

afterEach(() => {
  answers.clear();
  printed.length = 0;
});

const run = (json = false) => catalogueCommand.run({ mirror: address, json }, []);

/** The report about the files with problems. */
async function wrongOnes(): Promise<Comparison[]> {
  await expect(run(true)).rejects.toThrow(`1 of ${files.length} files are not as the list says`);
  return (JSON.parse(printed.join('')) as Comparison[]).filter(({ problems }) => problems.length > 0);
}

test('a mirror that has every file as listed passes', async () => {
  await run();
  expect(printed.length).toBe(files.length);
  expect(printed[0]).toBe(`${first.name}: ${first.minBytes} bytes, the digest is right\n`);
  const zeros = '0'.repeat(64);
  expect(printed.join('')).toContain(
    `${undigested.name}: ${undigested.minBytes} bytes, no digest is listed; the mirror has ${zeros}\n`,
  );
});

test('a digest is also read from a Git LFS pointer', async () => {
  answers.set(first.name, (request, response, { minBytes }) => {
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'1'.repeat(64)}\nsize ${minBytes}\n`;
    if (!request.url?.includes('/raw/')) return sendRange(request, response, minBytes, '"one"');
    response.writeHead(200, { 'content-length': pointer.length }).end(pointer);
  });
  const problems = [`Its SHA-256 digest is ${'1'.repeat(64)} instead of ${first.sha256}.`];
  expect(await wrongOnes()).toMatchObject([{ name: first.name, etag: '"one"', problems }]);
});

test.each<[string, Answer]>([
  ['Status 403.', (_, response) => void response.writeHead(403).end()],
  ['The mirror does not support ranges.', (_, response) => void response.writeHead(200).end('GGUF and all the rest')],
  [
    `It has 12 bytes instead of ${second.minBytes} to ${second.maxBytes}.`,
    (request, response) => sendRange(request, response, 12, '"one"'),
  ],
  [
    'A download cannot be resumed: the mirror gives no lasting ETag.',
    (request, response, { minBytes }) => sendRange(request, response, minBytes, 'W/"one"'),
  ],
  [
    'A download cannot be resumed: the mirror gives no lasting ETag.',
    (request, response, { minBytes }) => sendRange(request, response, minBytes, `"${Math.random()}"`),
  ],
  [
    'It is not a GGUF file.',
    ({ headers }, response, { minBytes }) => {
      const range = `${headers.range?.replace('=', ' ')}/${minBytes}`;
      response.writeHead(206, { etag: '"one"', 'content-range': range, 'content-length': 4 }).end('<htm');
    },
  ],
  ['fetch failed: other side closed', (_, response) => void response.destroy()],
])('the report names the problem of a file: %s', async (problem, answer) => {
  answers.set(second.name, answer);
  expect(await wrongOnes()).toMatchObject([{ name: second.name, problems: [problem] }]);
});

test('an invalid mirror address is refused', async () => {
  await expect(catalogueCommand.run({ mirror: 'models' }, [])).rejects.toThrow(/--mirror must be an address/);
});
