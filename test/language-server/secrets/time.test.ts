// The search takes time in proportion to the text, whatever the text is.
import { expect, test } from 'vitest';
import { holdsSecrets } from '../../../language-server/secrets/secrets.ts';
import { cpuMs } from '../../support/cpu-time.ts';
import { negatives } from './negatives.ts';

const pieces = [
  ...'a=:/"\'`.-_@ \n<>{}$0Ax\\,;(+~',
  ...[
    'password',
    'secret=',
    'token: ',
    'api_key="',
    'key',
    'auth ',
    'pass_',
    'PASSWORD = a',
    'password: secret: token=',
    'pwd="\\',
  ],
  ...[
    'eyJ',
    'eyJa.',
    'ghp_',
    'sk-',
    'sk-a',
    'AKIA',
    'xoxb-1',
    '1:AA',
    'SG.',
    'hooks.slack.com/services/',
    '-----BEGIN ',
  ],
  ...[
    '-----BEGIN PRIVATE KEY-----',
    '://',
    '://a:',
    '://a:b',
    'http://a:b1@',
    'Bearer ',
    'Basic a',
    'curl -u a:',
    '-u ',
  ],
  ...[
    '<password>',
    'name="password" value=',
    'name: password\n',
    ';Password=',
    'login a password ',
    '--password ',
    '"key", "',
  ],
  ...['aB1', 'aB1.', 'aB1-', 'aB1/', 'a1='],
];

const repeated = (piece: string, length: number) => piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
const length = 250_000;
// At this length, a search in linear time takes at most 0.1 s of processor time, one in quadratic time a minute.
const maxCpuMs = 5000;

test.each([...pieces.map((piece) => [piece]), ...pieces.map((piece) => ['password="', piece])])(
  'a quarter of a million characters of %j are searched at once',
  async (head, piece = '') => {
    const text = piece === '' ? repeated(head, length) : head + repeated(piece, length);
    expect(await cpuMs(() => holdsSecrets('file:///a.ts', text), maxCpuMs)).toBeLessThan(maxCpuMs);
  },
);

test('a quarter of a million characters of ordinary text are searched at once', async () => {
  const text = repeated(negatives.join('\n'), length);
  expect(await cpuMs(() => holdsSecrets('file:///a.ts', text), maxCpuMs)).toBeLessThan(maxCpuMs);
});
