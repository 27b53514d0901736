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
const fastestOf = (times: number, run: () => void) => Math.min(...Array.from({ length: times }, () => cpuMs(run)));

test.each([...pieces.map((piece) => [piece]), ...pieces.map((piece) => ['password="', piece])])(
  'eight times as much of %j takes about eight times as long',
  (head, piece = '') => {
    const timeOf = (length: number) =>
      fastestOf(3, () =>
        holdsSecrets('file:///a.ts', piece === '' ? repeated(head, length) : head + repeated(piece, length)),
      );
    timeOf(4_000);
    // The constant keeps clock noise from deciding where both are almost nothing.
    expect(timeOf(64_000)).toBeLessThan(24 * timeOf(8_000) + 5);
  },
);

test('ordinary text takes time in proportion to its length', () => {
  const text = negatives.join('\n');
  const timeOf = (count: number) => fastestOf(3, () => holdsSecrets('file:///a.ts', text.repeat(count)));
  timeOf(1);
  expect(timeOf(8)).toBeLessThan(24 * timeOf(1) + 5);
});
