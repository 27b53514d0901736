import { expect, test } from 'vitest';
import { type Piece, piecesOf } from '../../../language-server/remote/event-stream.ts';
import { shortestMs } from '../../support/cpu-time.ts';

async function pieces(text: string | Iterable<Uint8Array>, maxTokens = 8): Promise<Piece[]> {
  const chunks = typeof text === 'string' ? [Buffer.from(text)] : text;
  const found: Piece[] = [];
  async function* source() {
    yield* chunks;
  }
  for await (const piece of piecesOf(source(), maxTokens)) found.push(piece);
  return found;
}

const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const textOf = (found: Piece[]) => found.map(({ text }) => text).join('');

test('text is cut at the length that the requested tokens can have', async () => {
  const long = await pieces(event({ choices: [{ text: 'a'.repeat(200_000) }] }));
  expect([textOf(long).length, long.at(-1)?.finishReason]).toEqual([8 * 16, 'length']);
  const many = await pieces(event({ choices: [{ text: 'a' }] }).repeat(1000));
  expect([textOf(many).length, many.at(-1)?.finishReason]).toEqual([8, 'length']);
});

test.each([
  ['lines', '\n'.repeat(1000)],
  ['comments', ': ping\n\n'.repeat(100)],
  ['one long line', 'data: '.padEnd(1000, 'x')],
])('an endless answer is given up after a megabyte: %s', async (_, chunk) => {
  let sent = 0;
  function* endless() {
    for (;;) {
      sent += chunk.length;
      yield Buffer.from(chunk);
    }
  }
  await expect(pieces(endless())).rejects.toThrow('the answer does not end');
  expect(sent).toBeLessThan(2 ** 20 + 2 * chunk.length);
});

test('a line that arrives byte by byte costs no more than one that arrives at once', async () => {
  const text = `${event({ choices: [{ text: 'a', padding: 'x'.repeat(500_000) }] })}data: [DONE]\n`;
  const bytes = [...Buffer.from(text)].map((byte) => Buffer.of(byte));
  const limit = 10_000; // with quadratic cost it would take minutes
  const read = async () => {
    const startedAt = process.cpuUsage();
    expect(textOf(await pieces(bytes))).toBe('a');
    const { user, system } = process.cpuUsage(startedAt);
    return (user + system) / 1000;
  };
  expect(await shortestMs(limit, read)).toBeLessThan(limit);
});

test.each([
  ['that ends without saying so', event({ choices: [{ text: 'half' }] }), 'the answer broke off'],
  ['without anything', '', 'the answer broke off'],
  ['whose text is not a string', event({ choices: [{ text: 5 }] }), 'text is not a string'],
  ['that is not JSON', 'data: <html>\n\n', 'not JSON'],
  ['with an error', event({ error: { message: 'out of memory' } }), 'out of memory'],
  ['with an error of another form', event({ error: 'out of memory' }), 'out of memory'],
])('an answer %s is an error', async (_, text, message) => {
  await expect(pieces(text)).rejects.toThrow(message);
});

test.each([
  ['stop', 'stop'],
  ['length', 'length'],
  ['content_filter', 'length'],
  ['abort', 'length'],
])('an answer that ends with "%s" counts as ended by "%s"', async (reason, counted) => {
  const [piece] = await pieces(event({ choices: [{ text: 'a', finish_reason: reason }] }));
  expect(piece?.finishReason).toBe(counted);
});

test('invalid figures count as zero', async () => {
  const usage = {
    prompt_tokens: '40\n2026-01-01 [error] forged',
    completion_tokens: -1,
    prompt_tokens_details: { cached_tokens: [5] },
  };
  const logprobs = { token_logprobs: ['-1', 5, null, -2] };
  const [piece] = await pieces(event({ choices: [{ text: 'a', finish_reason: 'stop', logprobs }], usage }));
  expect(piece?.usage).toEqual({ promptTokens: 0, completionTokens: 0, cachedTokens: 0 });
  expect(piece?.logProbabilities).toEqual([0, 0, 0, -2]);
});

test('an event without a part of an answer is an error, and so is an answer without any part', async () => {
  const none = [null, 5, 'abc', [], [[]], {}, { choices: null }, { choices: [] }, { usage: { prompt_tokens: 1 } }];
  const wrong = [{ choices: 'abc' }, { choices: {} }, { choices: [null] }, { choices: [5] }, { choices: [[]] }];
  for (const value of [...none, ...wrong])
    await expect(pieces(`${event(value)}data: [DONE]\n`), JSON.stringify(value)).rejects.toThrow('the answer has');
  await expect(pieces('data: [DONE]\n')).rejects.toThrow('the answer has no choice');
});

test('an answer may have empty texts, and an event with nothing but the usage', async () => {
  const text = [{ choices: [{ logprobs: 5 }] }, { choices: [], usage: { prompt_tokens: 3 } }].map(event).join('');
  expect(textOf(await pieces(`${text}data: [DONE]\n`))).toBe('');
});
