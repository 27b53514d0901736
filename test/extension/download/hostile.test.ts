// Downloads from a hostile server, into a folder with surprises: no wrong file gets the final name, and every download
// ends.
import { randomFillSync } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type DownloadOptions, download } from '../../../extension/download/download.ts';
import type { RemoteFile } from '../../../language-server/protocol/models.ts';
import { type Answer, breakAfter, FileServer, serve, status } from './file-server.ts';

const content = Buffer.concat([Buffer.from('GGUF'), randomFillSync(Buffer.alloc(300_000))]);
/** A file whose digest and exact length are unknown. */
const unknown = { minBytes: 250_000, maxBytes: 350_000, sha256: null };
/** No connection counts as too slow, however busy this machine is. */
const pace = { minBytes: 1000, periodMs: 600_000, retryMs: 1, maxFailures: 3 };
const impatient = { ...pace, periodMs: 300 };

let folder: string;
let server: FileServer;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hearth-hostile-'));
  server = await new FileServer(content).start();
});

afterEach(async () => {
  vi.unstubAllGlobals();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const final = () => join(folder, 'a.gguf');
const part = () => join(folder, 'a.gguf.part');

const fetchFile = (file: RemoteFile = server.file(), options: Partial<DownloadOptions> = {}) =>
  download(file, folder, { signal: new AbortController().signal, pace, ...options });

/** The error's message, after a check that no file got its final name. */
async function problem(file?: RemoteFile, options?: Partial<DownloadOptions>): Promise<string> {
  const message = await fetchFile(file, options).then(
    () => 'it succeeded',
    (error: Error) => error.message,
  );
  expect(existsSync(final())).toBe(false);
  return message;
}

/** A server that gives this answer to every request. */
const always = (answer: Answer) => server.answers.push(...Array<Answer>(100).fill(answer));

const body =
  (bytes: Buffer, headers = {}): Answer =>
  (_, response) => {
    response.writeHead(200, headers);
    response.write(bytes);
    response.end();
  };

test.each([
  ['nothing', Buffer.alloc(0), 'ended early'],
  ['four letters', Buffer.from('GGUF'), 'ended early'],
  ['a beginning', Buffer.from('GGUFevil'), 'ended early'],
  ['most of the file', content.subarray(0, 200_000), 'ended early'],
  ['a web page', Buffer.from('<html>'), 'sent a web page'],
  ['a web page after a space', Buffer.from(' <html>'), 'is not a GGUF file'],
  ['more than the file', Buffer.concat([content, content]), 'its length or SHA-256 digest is wrong'],
])('without a known digest, %s is refused instead of the file', async (_, bytes, words) => {
  always(body(bytes));
  expect(await problem(server.file(unknown))).toContain(words);
  expect(server.requests.length).toBeLessThanOrEqual(pace.maxFailures + 1);
});

test('an empty file is refused', async () => {
  always(body(Buffer.alloc(0), { 'content-length': 0 }));
  expect(await problem(server.file(unknown))).toContain('it has 0 bytes instead of 250000–350000');
});

const endless: Answer = (_, response) => {
  response.writeHead(200);
  const more = () => {
    while (response.write(response.writableLength === 0 ? content : Buffer.alloc(2 ** 16)));
  };
  response.on('drain', more);
  more();
};

test.each([unknown, {}])('an endless file is deleted once it is longer than expected: %j', async (known) => {
  server.answers.push(endless);
  let received = 0;
  const result = fetchFile(server.file(known), {
    onProgress: (bytes) => {
      received = bytes;
    },
  });
  await expect(result).rejects.toThrow('its length or SHA-256 digest is wrong');
  expect(received).toBeLessThan(unknown.maxBytes + 2 ** 20);
  expect(readdirSync(folder)).toEqual([]);
});

test('a compressed answer is not unpacked without limit', async () => {
  const bomb = gzipSync(Buffer.concat([content, Buffer.alloc(50_000_000)]));
  let received = 0;
  always(body(bomb, { 'content-encoding': 'gzip' }));
  const onProgress = (bytes: number) => {
    received = bytes;
  };
  await expect(fetchFile(server.file(unknown), { onProgress })).rejects.toThrow(
    'its length or SHA-256 digest is wrong',
  );
  expect(received).toBeLessThan(2_000_000);
});

test.each([server206('"two"'), server206(null), server206('W/"one"')])(
  'without a known digest, a rest with a different ETag or none is not appended: %#',
  async (other) => {
    server.answers.push(breakAfter(100_000), other);
    await fetchFile(server.file(unknown));
    expect(readFileSync(final()).equals(content)).toBe(true);
    expect(server.requests.length).toBe(3);
  },
);

/** The requested range, but with other bytes. */
function server206(etag: string | null): Answer {
  return ({ headers }, response) => {
    const from = Number(/\d+/.exec(headers.range ?? '0')?.[0]);
    const range = `bytes ${from}-${content.length - 1}/${content.length}`;
    response.writeHead(206, { ...(etag !== null && { etag }), 'content-range': range });
    response.end(Buffer.alloc(content.length - from, 7));
  };
}

test('a range that was not requested is refused', async () => {
  always((_, response) => {
    const range = { 'content-range': `bytes 0-${content.length - 1}/${content.length}`, etag: '"one"' };
    response.writeHead(206, range).end(content);
  });
  expect(await problem(server.file(unknown))).toContain('does not offer the rest of this file (206)');
});

test('the download gives up on a server that keeps breaking off and refusing the rest', async () => {
  for (let i = 0; i < 20; i++) server.answers.push(breakAfter(100_000), status(416));
  expect(await problem()).toMatch(/does not offer the rest|was lost/);
  expect(server.requests.length).toBe(1 + pace.maxFailures);
});

test('the download gives up on a server that sends only a few bytes per request', async () => {
  always(breakAfter(300));
  expect(await problem()).toContain('was lost');
  expect(server.requests.length).toBeLessThanOrEqual(2 * pace.maxFailures + 2);
});

test('a byte now and then does not keep a connection alive', async () => {
  always((_, response) => {
    response.writeHead(200, { 'content-length': content.length, etag: '"one"' }).write('GGUF');
    const drip = setInterval(() => response.write('.'), 20);
    response.on('close', () => clearInterval(drip));
  });
  expect(await problem(undefined, { pace: impatient })).toContain('stopped sending, or sends too slowly');
  expect(server.requests.length).toBeLessThanOrEqual(pace.maxFailures);
});

test('the download gives up on a server that accepts a connection but never answers', async () => {
  always(() => undefined);
  expect(await problem(undefined, { pace: impatient })).toContain('stopped sending');
  expect(server.requests.length).toBeLessThanOrEqual(pace.maxFailures);
});

test('a redirect loop ends the download at once', async () => {
  const redirect: Answer = ({ url = '' }, response) => {
    response.writeHead(302, { location: `${url.split('?')[0]}?${Math.random()}` }).end();
  };
  always(redirect);
  expect(await problem()).toContain('redirects to an address that cannot be used (redirect count exceeded)');
  expect(server.requests.length).toBeLessThan(30);
});

test('a redirect to a file on this machine ends the download at once', async () => {
  always(status(302, { location: 'file:///etc/passwd' }));
  expect(await problem()).toContain('redirects to an address that cannot be used');
  expect(server.requests.length).toBe(1);
});

test('a redirect from an encrypted address to one without encryption is refused', async () => {
  const response = new Response(content);
  Object.defineProperty(response, 'url', { value: 'http://elsewhere.example.com/a.gguf' });
  vi.stubGlobal('fetch', () => Promise.resolve(response));
  expect(await problem(server.file({ url: 'https://models.example.com/a.gguf' }))).toBe(
    'models.example.com redirects to an address that cannot be used (http://elsewhere.example.com). ' +
      'Try another mirror.',
  );
});

test.each(['-1', 'soon', '99999999999999999999', 'Thu, 01 Jan 1970 00:00:00 GMT', '1e3'])(
  'an invalid pause of "%s" from the server does not delay the download',
  async (value) => {
    always(status(503, { 'retry-after': value }));
    expect(await problem()).toContain('has a server error (503)');
  },
);

test.each([
  'null',
  '[]',
  '"text"',
  '{',
  '{"url": 5}',
  '{"url": "URL", "etag": {}, "totalBytes": "many"}',
  '{"url": "URL", "etag": "\\"one\\"", "totalBytes": -1}',
  '{"url": "URL", "etag": "\\"one\\"", "totalBytes": 50}',
  '{"url": "URL", "etag": "\\"another\\"", "totalBytes": 300004}',
])('a damaged record of an earlier download costs at most the part downloaded: %s', async (record) => {
  writeFileSync(part(), Buffer.alloc(50, 'x'));
  writeFileSync(`${part()}.json`, record.replace('URL', server.file().url));
  // A file that is complete according to a wrong record is deleted, and the user tries again.
  await fetchFile(server.file(unknown)).catch(() => fetchFile(server.file(unknown)));
  expect(readFileSync(final()).equals(content)).toBe(true);
  expect(readdirSync(folder)).toEqual(['a.gguf']);
});

test('a link in place of the unfinished file is not followed', async () => {
  const target = join(folder, 'precious');
  writeFileSync(target, 'precious');
  symlinkSync(target, part());
  expect(await problem()).toMatch(/cannot write to the folder for models \(ELOOP: .*a\.gguf\.part/);
  expect(readFileSync(target, 'utf8')).toBe('precious');
  expect(lstatSync(part()).isSymbolicLink()).toBe(true);
});

test('the error names a folder in place of the unfinished file', async () => {
  mkdirSync(part());
  expect(await problem()).toMatch(/cannot write to the folder for models \(EISDIR: .*a\.gguf\.part/);
  expect(server.requests).toEqual([]);
});

test('a server that turns hostile does not destroy the bytes received before', async () => {
  server.answers.push(breakAfter(100_000), body(Buffer.from('<html>')), body(Buffer.alloc(0)), status(403));
  expect(await problem()).toContain('sent a web page');
  const kept = statSync(part()).size;
  expect(kept).toBeGreaterThan(0);
  expect(await problem()).toContain('refuses this file (403)');
  expect(statSync(part()).size).toBe(kept);
  server.answers.push(serve);
  await fetchFile();
  expect(server.requests.at(-1)?.range).toBe(`bytes=${kept}-`);
  expect(readFileSync(final()).equals(content)).toBe(true);
});

/** The answers of a hostile server. */
const tricks: Answer[] = [
  serve,
  breakAfter(100_000),
  breakAfter(2000),
  breakAfter(3),
  status(416),
  status(503),
  status(206, { 'content-range': 'bytes */*' }),
  server206('"one"'),
  server206('"two"'),
  server206(null),
  body(Buffer.alloc(0)),
  body(Buffer.from('GGUF')),
  body(content.subarray(0, 260_000)),
  body(content, { 'content-length': content.length, etag: '"two"' }),
  body(Buffer.concat([content, content])),
  ({ headers }, response) => {
    const from = Number(/\d+/.exec(headers.range ?? '0')?.[0]);
    response.writeHead(206, { etag: '"one"', 'content-range': `bytes ${from}-${from}/300004` }).end('x');
  },
];

/** HEARTH_DOWNLOAD_ROUNDS=5000 tries for longer. */
test('whatever a server does, a download ends, and a file with a known digest is right', async () => {
  const rounds = Number(process.env.HEARTH_DOWNLOAD_ROUNDS ?? 30);
  for (let round = 0; round < rounds; round++) {
    const chosen = Array.from({ length: 40 }, () => Math.floor(Math.random() * tricks.length));
    server.answers.splice(0, server.answers.length, ...chosen.map((i) => tricks[i] as Answer));
    server.requests.length = 0;
    const file = server.file(Math.random() < 0.5 ? {} : { minBytes: 250_000, maxBytes: 350_000 });
    await fetchFile(file).catch(() => undefined);
    const why = `answers ${chosen.slice(0, server.requests.length).join(', ')}`;
    expect(server.requests.length, why).toBeLessThanOrEqual(40);
    if (existsSync(final())) expect(readFileSync(final()).equals(content), why).toBe(true);
    rmSync(final(), { force: true });
    expect(existsSync(`${final()}.lock`), why).toBe(false);
  }
});
