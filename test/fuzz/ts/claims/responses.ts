// Any response of a team's server to the questions which model it has and how a line continues.
import assert from 'node:assert/strict';
import { createServer, type Server, type Socket } from 'node:net';
import { CompletionsApi } from '../../../../language-server/remote/completions-api.ts';
import { ServerError } from '../../../../language-server/remote/server-error.ts';
import { describe } from '../../../../language-server/remote/server-model.ts';
import { Connection } from '../../../../language-server/remote/team-connection.ts';
import type { Claim } from './claim.ts';

const token = 'secret-token-of-the-test';
/** The server ends every response, however busy this machine is. */
const longMs = 120_000;
let pieces: Buffer[] = [];
let server: Promise<Server> | undefined;

/** Answers every request with the pieces, then closes the connection. */
function listening(): Promise<Server> {
  const answer = (socket: Socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      for (const piece of pieces) socket.write(piece);
      socket.end();
    });
  };
  return new Promise((resolve) => {
    const started = createServer(answer).listen(0, '127.0.0.1', () => resolve(started));
    started.unref();
  });
}

async function connection(): Promise<Connection> {
  server ??= listening();
  const address = (await server).address();
  assert(typeof address === 'object' && address !== null);
  return new Connection({ url: `http://127.0.0.1:${address.port}`, model: '', credential: token });
}

const response = (body: string, type = 'application/json', status = '200 OK', more = '') =>
  `HTTP/1.1 ${status}\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${more}\r\n${body}`;

const isForPeople = (text: string) => !/[\p{Cc}\p{Bidi_Control}]/u.test(text) && !text.includes(token);

async function outcome(answer: Promise<unknown>): Promise<void> {
  try {
    await answer;
  } catch (error) {
    assert(error instanceof ServerError, String(error));
    assert(isForPeople(error.message), error.message);
    assert(error.message.length < 1000 && error.message !== '', error.message);
    assert(error.retryAfterMs >= 0 && error.retryAfterMs <= 3_600_000, String(error.retryAfterMs));
  }
}

async function modelIsPlausible(to: Connection): Promise<void> {
  const { id, title, contextTokens } = await describe(to, '', AbortSignal.timeout(longMs));
  assert(id !== '' && title !== '' && isForPeople(title), `${id}, ${title}`);
  assert(Number.isFinite(contextTokens) && contextTokens >= 256, String(contextTokens));
}

async function textIsString(to: Connection): Promise<void> {
  const body = { prompt: 'a long enough line of the prompt', max_tokens: 8, temperature: 0 };
  const api = new CompletionsApi(to, 'm');
  for await (const { text } of api.stream(body, longMs, AbortSignal.timeout(longMs)))
    assert.equal(typeof text, 'string');
}

const events = 'data: {"choices":[{"text":"x","finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';

export const responses: Claim = {
  title: 'any response of a server is an answer or a sentence for people',
  seeds: [
    response('{"data":[{"id":"qwen2.5-coder","root":"q","max_model_len":4096,"meta":{"n_ctx":8192}}]}'),
    response(events, 'text/event-stream'),
    response('{"error":{"message":"no such model","code":404}}', 'application/json', '404 Not Found'),
    response('busy', 'text/plain', '503 Busy', 'Retry-After: 3\r\n'),
    response('', 'text/html', '302 Found', 'Location: https://example.com/\r\n'),
    `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  ],
  words: [
    ...[
      'HTTP/1.1 ',
      '\r\n',
      '\r\n\r\n',
      'Content-Length: ',
      'Transfer-Encoding: chunked',
      'Retry-After: ',
      'Location: ',
    ],
    ...['200', '401', '429', '1e9', '-1', 'null', '[]', '{}', '"id":', '"data":', '"message":', '\u202e', '\0', token],
  ],
  async check(given) {
    pieces = given;
    const to = await connection();
    try {
      await outcome(modelIsPlausible(to));
      await outcome(textIsString(to));
    } finally {
      to.close();
    }
  },
};
