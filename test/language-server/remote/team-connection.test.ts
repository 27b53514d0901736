// The way to a team's server: address, token, certificates, proxy.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { Agent } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { proxyFor, wayTo } from '../../../language-server/remote/network.ts';
import { errorOf } from '../../../language-server/remote/server-error.ts';
import { Connection, type ServerOptions } from '../../../language-server/remote/team-connection.ts';
import { type Asked, CompletionServer, endless, refuse, stream } from '../../support/completion-server.ts';

let server: CompletionServer;
const connections: Connection[] = [];
const signal = new AbortController().signal;

beforeEach(async () => {
  for (const name of ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY', 'NODE_EXTRA_CA_CERTS']) vi.stubEnv(name, '');
  server = await CompletionServer.start();
});

afterEach(async () => {
  vi.unstubAllEnvs();
  for (const each of connections.splice(0)) each.close();
  await server.close();
});

function to(url: string, more: Partial<ServerOptions> = {}): Connection {
  const connection = new Connection({ url, model: '', credential: '', ...more });
  connections.push(connection);
  return connection;
}

async function post(connection: Connection): Promise<string> {
  const response = await connection.open('/v1/completions', { prompt: '' }, signal);
  let text = '';
  for await (const bytes of response) text += bytes;
  return text;
}

test.each([
  ['https://llm.example.com', 'https://llm.example.com/'],
  [' https://llm.example.com:8443/team/v1/ ', 'https://llm.example.com:8443/team'],
  ['https://llm.example.com/v1/completions', 'https://llm.example.com/'],
  ['llm.example.com:8443', 'https://llm.example.com:8443/'],
  ['localhost:8443', 'http://localhost:8443/'],
  ['127.0.0.1:8080/v1', 'http://127.0.0.1:8080/'],
  ['localhost.example.com', 'https://localhost.example.com/'],
  ['HTTPS://LLM.example.com', 'https://llm.example.com/'],
  ['https://me:secret@llm.example.com/?key=1#a', 'https://llm.example.com/'],
])('the address %s becomes %s', (given, url) => {
  expect(to(given).url.href).toBe(url);
});

test.each(['ftp://llm.example.com', 'https://', 'no address', 'file:///etc/passwd'])(
  '%s is not accepted as an address',
  (given) => {
    expect(() => to(given)).toThrow('"hearth.server.url" is not an address such as https://llm.example.com.');
  },
);

const files = mkdtempSync(join(tmpdir(), 'hearth-token-'));
afterAll(() => rmSync(files, { recursive: true }));

const inFile = (text: string) => {
  const path = join(files, `file-${text.length}`);
  writeFileSync(path, text);
  return `@${path}`;
};
const printing = (text: string) => `!"${process.execPath}" -e "process.stdout.write('${text}\\n')"`;

test.each([
  ['a bearer token', 'secret', { authorization: 'Bearer secret' }],
  [
    'a user and a password',
    'me:pass:wörd',
    { authorization: `Basic ${Buffer.from('me:pass:wörd').toString('base64')}` },
  ],
  ['a header', 'X-API-Key: secret', { 'x-api-key': 'secret' }],
  ['what a command prints', printing('fresh'), { authorization: 'Bearer fresh' }],
  ['a header that a command prints', printing('X-API-Key: fresh'), { 'x-api-key': 'fresh' }],
  ['what a file contains', inFile('in-file\n'), { authorization: 'Bearer in-file' }],
  ['a user and a password in a file', inFile('me:pass\r\n'), { authorization: 'Basic bWU6cGFzcw==' }],
])('the server gets %s', async (_, credential, headers) => {
  await post(to(server.url, { credential }));
  expect(server.asked[0]?.headers).toMatchObject(headers);
});

test('user and password in the address are sent, and appear in no message', async () => {
  server.defaultAnswer = refuse(500, 'me:hunter22 hunter22 bWU6aHVudGVyMjI=');
  const answer = post(to(server.url.replace('//', '//me:hunter22@')));
  await expect(answer).rejects.toThrow(/^127\.0\.0\.1:\d+ answers with status 500\. \*\*\* \*\*\* \*\*\*$/);
  expect(server.asked[0]?.headers.authorization).toBe('Basic bWU6aHVudGVyMjI=');
});

test.each([
  ['me:50%off', 'me:50%off'],
  ['me:p%C3%A4ss', 'me:päss'],
  ['!me:pass', '!me:pass'],
  ['%40me:pass', '@me:pass'],
])('"%s" in the address is a user and a password, never a file or a command', async (written, meant) => {
  await post(to(server.url.replace('//', `//${written}@`)));
  expect(server.asked[0]?.headers.authorization).toBe(`Basic ${Buffer.from(meant).toString('base64')}`);
});

test('the command runs once, and again when its token is no longer accepted', async () => {
  const count = join(files, 'count');
  writeFileSync(count, '');
  const program = join(files, 'token.cjs');
  writeFileSync(
    program,
    `const fs = require('fs'); fs.appendFileSync(${JSON.stringify(count)}, 'x'); console.log('token' + fs.readFileSync(${JSON.stringify(count)}).length);`,
  );
  const connection = to(server.url, { credential: `!"${process.execPath}" "${program}"` });
  await post(connection);
  await post(connection);
  server.answers.push(refuse(401));
  await post(connection);
  server.defaultAnswer = refuse(401);
  await expect(post(connection)).rejects.toMatchObject({ status: 401 });
  expect(server.asked.map(({ headers }) => headers.authorization?.slice(-6))).toEqual([
    'token1',
    'token1',
    'token1',
    'token2',
    'token2',
    'token3',
  ]);
});

test('a file is read again when its token is no longer accepted, and its token appears in no message', async () => {
  const credential = inFile('first-token');
  const connection = to(server.url, { credential });
  await post(connection);
  writeFileSync(credential.slice(1), 'other-token');
  await post(connection);
  server.defaultAnswer = (response, asked) => refuse(401, String(asked.headers.authorization))(response, asked);
  await expect(post(connection)).rejects.toThrow(/\*\*\*/);
  expect(server.asked.map(({ headers }) => headers.authorization?.slice(7))).toEqual([
    'first-token',
    'first-token',
    'first-token',
    'other-token',
  ]);
});

const body = (error: object) => JSON.stringify({ error });

test.each([
  ['LiteLLM without a database', 400, { message: 'No connected db.', type: 'no_db_connection', code: '400' }],
  ['LiteLLM', 400, { message: 'Expired Key.', type: 'expired_key', code: 400 }],
  ['a gateway before OpenAI', 400, { message: 'Wrong.', type: 'invalid_request_error', code: 'invalid_api_key' }],
])('%s means a wrong token with status %i', async (_, status, error) => {
  server.defaultAnswer = refuse(status, body(error));
  const answer = post(to(server.url, { credential: printing('fresh') }));
  await expect(answer).rejects.toMatchObject({
    status: 401,
    message: `127.0.0.1:${server.port} does not accept the token (${status}). "Hearth: Set Server Token" stores another. ${error.message}`,
  });
  expect(server.asked.length).toBe(2);
});

test('a token without the right to the model is not read again', async () => {
  server.defaultAnswer = refuse(401, body({ message: 'Not yours.', type: 'key_model_access_denied' }));
  await expect(post(to(server.url, { credential: printing('fresh') }))).rejects.toMatchObject({
    status: 403,
    message: `127.0.0.1:${server.port} does not allow this token to use the model (401). Not yours.`,
  });
  expect(server.asked.length).toBe(1);
});

/** JSON in which all characters outside ASCII are escaped, as some programs write it. */
const inAscii = (text: string) =>
  text.replace(/[^\x20-\x7e]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

test.each([
  ['as it is', (_: object, prompt: string) => `no parser for ${prompt}`],
  ['as JSON', (body: object) => `missing in ${JSON.stringify(body)}`],
  ['as JSON in ASCII', (body: object) => `missing in ${inAscii(JSON.stringify(body))}`],
])('an error message does not contain code that the server repeats %s', async (_, repeated) => {
  const lines = [
    'logger.info("Alice owes 4711")',
    'notes.add(\'tab:\t\', "Bob")',
    `größe = ["${'Carol, '.repeat(300)}"]`,
  ];
  const given = { prompt: `<|fim_prefix|>${lines.join('\n')}<|fim_suffix|><|fim_middle|>` };
  server.defaultAnswer = (response, { body }) =>
    refuse(422, repeated(body, String(body.prompt)))(response, { body } as Asked);
  for (const prompt of [given.prompt, ...lines]) {
    const error = await to(server.url)
      .open('/v1/completions', { prompt }, signal)
      .catch((reason: Error) => reason.message);
    expect(error).toMatch(/status 422\..*(parser|missing).*\*\*\*$/);
    expect(error).not.toMatch(/logger|Alice|notes|Bob|größe|gr.{1,8}e =|Carol/);
  }
});

test.each([
  [400, { type: 'constructor' }],
  [400, { type: ['expired_key'] }],
  [400, { message: 'expired_key: the token is wrong' }],
  [503, { type: 'expired_key' }],
])('status %i with %j says nothing about a token', async (status, error) => {
  server.defaultAnswer = refuse(status, body(error));
  await expect(post(to(server.url, { credential: printing('fresh') }))).rejects.toMatchObject({ status });
  expect(server.asked.length).toBe(1);
});

test.each([
  ['@/no/such/file', /^The file with the token, \/no\/such\/file, cannot be read: ENOENT\.$/],
  [inFile(''), /is empty\.$/],
  ['!no-such-program --token secret', /"no-such-program", failed: there is no such program\.$/],
  [`!"${process.execPath}" -e "console.error('secret');process.exit(3)"`, /failed: exit code 3\.$/],
  [printing(''), /failed: it printed nothing\.$/],
  ['two words', /^The token has characters that a header cannot have\.$/],
])('the error for a token that cannot be read contains no secret: %s', async (credential, message) => {
  await expect(post(to(server.url, { credential }))).rejects.toThrow(message);
  await expect(post(to(server.url, { credential }))).rejects.not.toThrow('secret');
});

test('a token is never sent unencrypted over the network', () => {
  const message = 'The token is not sent to coder.example without encryption. Use an https address.';
  expect(() => to('http://coder.example', { credential: 'secret' })).toThrow(message);
  expect(() => to('http://me:secret@coder.example')).toThrow(message);
});

test.each([301, 302, 307, 308])('redirect %i is not followed', async (status) => {
  const other = await CompletionServer.start();
  server.defaultAnswer = refuse(status, '', { location: `${other.url}/v1/completions` });
  await expect(post(to(server.url, { credential: 'secret' }))).rejects.toThrow(`redirects to ${other.url}`);
  expect(other.asked).toEqual([]);
  await other.close();
});

test.each([400, 401, 429, 503])('only the beginning of an endless body with status %i is read', async (status) => {
  const text = 'x'.repeat(2 ** 16);
  server.defaultAnswer = endless(status, 'text/plain', text);
  const error = await post(to(server.url)).catch((each: Error) => each.message);
  expect(String(error).length).toBeLessThan(500);
  await expect.poll(() => server.closed).toEqual([false]);
});

test("a server's message becomes one line, without control characters and the token", async () => {
  server.defaultAnswer = refuse(
    400,
    JSON.stringify({ error: { message: 'a\n2026 [error] b\x1b[31m\u202e\0 token-123\u2028c' } }),
  );
  const message = /^\S+ answers with status 400\. a 2026 \[error\] b \[31m \*\*\* c$/;
  await expect(post(to(server.url, { credential: 'token-123' }))).rejects.toThrow(message);
});

test.each([
  ['3', 3000],
  ['Thu, 01 Jan 2099 00:00:00 GMT', 3_600_000],
  ['soon', 0],
  ['-5', 0],
])('the header "Retry-After: %s" is understood', async (value, retryAfterMs) => {
  server.defaultAnswer = refuse(503, '', { 'retry-after': value });
  await expect(post(to(server.url))).rejects.toMatchObject({ retryAfterMs, status: 503 });
});

test('an idle connection that the server closes is replaced', async () => {
  const connection = to(server.url);
  await post(connection);
  server.answers.push((response) => response.destroy());
  expect(await post(connection)).toContain('[DONE]');
  expect(server.asked.length).toBe(3);
});

test('the error for a server that cannot be reached names it', async () => {
  const { url } = server;
  await server.close();
  await expect(post(to(url))).rejects.toThrow(/^127\.0\.0\.1:\d+ refuses the connection\. Is the server running\?$/);
  server = await CompletionServer.start();
});

test.each([
  ['ENETUNREACH', /^llm\.example\.com cannot be reached\. Check the network/],
  ['EOTHER', /^llm\.example\.com: EOTHER\.$/],
])("%s at each of a host's addresses gives an error with a message, although Node has none", (code, message) => {
  const error = Object.assign(new AggregateError([]), { code });
  expect(errorOf('llm.example.com', error, String).message).toMatch(message);
});

test('proxies come from the editor or from the environment, and none is used for this machine', () => {
  const proxyOf = (url: string, network = {}) => proxyFor(new URL(url), network)?.href ?? null;
  expect(proxyOf('https://llm.example.com')).toBeNull();
  vi.stubEnv('HTTPS_PROXY', 'proxy.example:3128');
  vi.stubEnv('NO_PROXY', 'localhost, .internal.example,other.example:8443');
  expect(proxyOf('https://llm.example.com')).toBe('http://proxy.example:3128/');
  expect(proxyOf('https://llm.example.com', { proxy: 'http://editor.example' })).toBe('http://editor.example/');
  expect(proxyOf('https://llm.example.com', { noProxy: ['*.example.com'] })).toBeNull();
  expect(proxyOf('https://a.internal.example')).toBeNull();
  expect(proxyOf('https://other.example:8443')).toBeNull();
  expect(proxyOf('https://other.example')).not.toBeNull();
  expect(proxyOf('https://notinternal.example')).not.toBeNull();
  expect(proxyOf('https://127.0.0.1:8443')).toBeNull();
  vi.stubEnv('NO_PROXY', '*');
  expect(proxyOf('https://llm.example.com')).toBeNull();
});

test("a request goes through the proxy, with the user and the password in the proxy's address", async () => {
  const asked: unknown[] = [];
  const secure = await CompletionServer.start(certificate());
  const proxy = createServer().on('connect', (request, socket) => {
    asked.push([request.url, request.headers['proxy-authorization']]);
    const { port } = request.url?.endsWith(':443') ? secure : server;
    const onward = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    socket.on('close', () => onward.destroy()).on('error', () => {});
    onward.on('close', () => socket.destroy()).on('error', () => {});
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const address = `http://me:pass@127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  expect(await post(to('http://llm.example.com', { network: { proxy: address } }))).toContain('[DONE]');
  const unchecked = to('https://llm.example.com', { network: { proxy: address, strictTls: false } });
  expect(await post(unchecked)).toContain('[DONE]');
  await expect(post(to('https://llm.example.com', { network: { proxy: address } }))).rejects.toThrow('an authority');
  const basic = `Basic ${Buffer.from('me:pass').toString('base64')}`;
  expect(asked).toEqual([['llm.example.com:80', basic], ...Array(2).fill(['llm.example.com:443', basic])]);
  for (const each of connections) each.close();
  await secure.close();
  await new Promise((resolve) => proxy.close(resolve));
});

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hearth-certificate-'));
  const names = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'certificate.pem')];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', ...names, ...files], {
    stdio: 'ignore',
  });
  return () => rmSync(folder, { recursive: true });
});

const certificate = () => ({
  key: readFileSync(join(folder, 'key.pem')),
  cert: readFileSync(join(folder, 'certificate.pem')),
});

test('certificates are not part of a request', () => {
  const { agent: _, ...options } = wayTo(new URL('https://llm.example.com'), {});
  expect(new Agent().getName(options).length).toBeLessThan(100);
});

test("a company's certificates are trusted if NODE_EXTRA_CA_CERTS names them, and otherwise the error suggests it", async () => {
  const secure = await CompletionServer.start(certificate());
  secure.defaultAnswer = stream('one');
  await expect(post(to(secure.url))).rejects.toThrow(
    /an authority that this machine does not know.* NODE_EXTRA_CA_CERTS/,
  );
  expect(await post(to(secure.url, { network: { strictTls: false } }))).toContain('one');
  vi.stubEnv('NODE_EXTRA_CA_CERTS', join(folder, 'certificate.pem'));
  expect(await post(to(secure.url))).toContain('one');
  const otherName = post(to(secure.url.replace('127.0.0.1', 'localhost'), { credential: 'secret' }));
  await expect(otherName).rejects.toThrow('has a certificate for another host.');
  expect(secure.asked.filter(({ headers }) => headers.authorization)).toEqual([]);
  vi.stubEnv('NODE_EXTRA_CA_CERTS', join(folder, 'missing.pem'));
  expect(() => to(secure.url)).toThrow(/missing\.pem, which cannot be read/);
  await secure.close();
});
