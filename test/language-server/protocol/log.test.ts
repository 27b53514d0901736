import { expect, test } from 'vitest';
import { cleanLog, placeName, windowLog } from '../../../language-server/protocol/log.ts';
import { redacted } from '../../../language-server/secrets/secrets.ts';

function check(uri: string, name: string): void {
  expect(placeName(uri, { line: 0, character: 4 })).toBe(`${name}:1:5`);
}

test('a place is logged as the file name with line and column, both counted from 1', () => {
  check('file:///home/me/a%20b.ts', 'a b.ts');
  check('untitled:Untitled-1', 'Untitled-1');
});

test('a name cannot forge a line of the log or send codes to a terminal', () => {
  check('file:///a.ts%0A[error] b', 'a.ts%0A[error] b');
  check('file:///a%1B%5B31m%0D%C2%85%E2%80%A8.ts', 'a%1B[31m%0D%C2%85%E2%80%A8.ts');
  check('file:///%E2%80%AEst.exe', '%E2%80%AEst.exe');
  check('file:///a%zz\nb', 'a%zz%0Ab');
});

test('a secret in a message is hidden from the log', async () => {
  const sent: string[] = [];
  const log = windowLog(async ({ message }) => void sent.push(message), redacted);
  log.error(`cannot read redis://:${'s3cr3tPass'}word@cache.example.com/0`);
  await expect.poll(() => sent).toHaveLength(1);
  expect(sent[0]).toContain('***');
  expect(sent[0]).not.toContain('s3cr3t');
});

test('foreign text in an entry cannot begin another entry, hide text or control a terminal', async () => {
  const forgery = 'driver\n[error] all is lost\u001b[2J\u202egpj\u2028x\0';
  const sent: string[] = [];
  windowLog(async ({ message }) => void sent.push(message)).warn(forgery);
  const say = (message: string) => void sent.push(message);
  cleanLog({ info: say, warn: say, error: say }).error(forgery);
  await expect.poll(() => sent).toHaveLength(2);
  expect(sent).toEqual(Array(2).fill('driver [error] all is lost [2J gpj x '));
});

test('a stack trace keeps its lines, and the length of an entry is limited', async () => {
  const sent: string[] = [];
  const log = windowLog(async ({ message }) => void sent.push(message));
  log.error('TypeError: a\n    at f (server.js:1:2)\n    at g');
  log.info('a'.repeat(1e6));
  await expect.poll(() => sent).toHaveLength(2);
  expect(sent[0]).toBe('TypeError: a\n    at f (server.js:1:2)\n    at g');
  expect(sent[1]).toHaveLength(10_000);
});
