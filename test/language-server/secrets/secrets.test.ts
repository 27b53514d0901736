import { expect, test } from 'vitest';
import { LongText } from '../../../language-server/documents/long-text.ts';
import { hasSecret, hasSecretAfter, holdsSecrets, redacted } from '../../../language-server/secrets/secrets.ts';
import { negatives } from './negatives.ts';
import { plainHeldOut } from './plain-held-out.ts';
import { plainTuning } from './plain-tuning.ts';
import { positives } from './positives.ts';
import { Random } from './random.ts';

const isFound = (text: string) => holdsSecrets('file:///a.ts', `first();\n${text}\nlast();`);

test('finds at least 95 of 100 secrets', () => {
  expect(positives.length).toBeGreaterThanOrEqual(200);
  const missed = positives.filter((text) => !isFound(text));
  expect(missed.length / positives.length, missed.join('\n')).toBeLessThanOrEqual(0.05);
});

test('takes at most 1 of 100 harmless texts for a secret', () => {
  expect(negatives.length).toBeGreaterThanOrEqual(500);
  const taken = negatives.filter(isFound);
  expect(taken.length / negatives.length, taken.join('\n')).toBeLessThanOrEqual(0.01);
});

test.each([
  ['the list that the rules were written with', plainTuning],
  ['a list that they were never changed for', plainHeldOut],
])(
  'finds at least 95 of 100 secrets in plain words, letters and digits, and at most 1 of 100 harmless texts: %s',
  (_, list) => {
    const missed = list.positives.filter((text) => !isFound(text));
    const taken = list.negatives.filter(isFound);
    expect(missed.length / list.positives.length, missed.join('\n')).toBeLessThanOrEqual(0.05);
    expect(taken.length / list.negatives.length, taken.join('\n')).toBeLessThanOrEqual(0.01);
  },
);

const random = new Random(7);
const token = `ghp_${random.alnum(36)}`;

test('finds a secret in any chunk of a long text, and across the border of two', () => {
  const filler = 'const answer = 42;\n'.repeat(3000);
  expect(hasSecret(LongText.of(filler))).toBe(false);
  for (let at = 8192 - 60; at < 8192 + 20; at++) {
    const text = LongText.of(`${filler.slice(0, at)}\nt = '${token}'\n${filler}`);
    expect(hasSecret(text), `at ${at}`).toBe(true);
  }
});

test('finds a password below the line with its name, wherever the border of two chunks is', () => {
  const filler = 'const answer = 42;\n'.repeat(3000);
  const pair = `- name: DB_PASSWORD\n  value: "${random.password()}"`;
  for (let at = 8192 - 60; at < 8192 + 5; at++)
    expect(hasSecret(LongText.of(`${filler.slice(0, at)}\n${pair}\n${filler}`)), `at ${at}`).toBe(true);
});

test('finds a secret that an edit completes, and no longer finds one that an edit removes', () => {
  const filler = 'const answer = 42;\n'.repeat(3000);
  const half = LongText.of(`${filler}t = '${token.slice(0, 12)}'\n${filler}`);
  expect(hasSecret(half)).toBe(false);
  const at = filler.length + "t = '".length + 12;
  const whole = half.with(at, at, token.slice(12));
  expect(hasSecret(whole)).toBe(true);
  expect(hasSecret(whole.with(at, at + 28, ''))).toBe(false);
});

test('after any edit it finds the same as in a search of the whole text', () => {
  const filler = 'const answer = 42;\n'.repeat(900);
  const pieces = [
    token,
    `- name: DB_PASSWORD\n  value: ${random.password()}\n`,
    "key = '",
    "'",
    '\n',
    'x',
    'password: ',
    random.password(),
    `-----BEGIN PRIVATE ${'KEY'}-----\n`,
  ];
  let seen = 0;
  for (let round = 0; round < 40; round++) {
    let text = LongText.of(filler);
    // At the end of a chunk, and at the place of another edit.
    const places = [8192, 16_384, random.below(filler.length), random.below(filler.length)] as const;
    for (let i = 0; i < 30; i++) {
      const start = Math.min(text.length, random.pick(places) + random.below(80));
      const end = Math.min(text.length, start + (random.below(3) > 0 ? 0 : random.below(60)));
      const whole = pieces[random.below(pieces.length)] ?? '';
      const from = random.below(3) > 0 ? 0 : random.below(whole.length);
      const edit = { start, text: whole.slice(from, from + 1 + random.below(whole.length)) };
      const after = text.with(start, end, edit.text);
      const isThere = hasSecretAfter(text, edit, after);
      expect(isThere).toBe(hasSecret(LongText.of(after.toString())));
      if (isThere) seen++;
      // Mostly without a secret: only then is just a part of the text searched.
      if (!isThere || random.below(4) === 0) text = after;
    }
  }
  expect(seen).toBeGreaterThan(50);
});

test('replaces every secret in a text, and nothing else', () => {
  const key = `-----BEGIN PRIVATE ${'KEY'}-----\n${random.base64(64)}\n-----END PRIVATE ${'KEY'}-----`;
  const password = random.password();
  expect(redacted(`GET https://me:${password}@host/path failed: Bearer ${token}, sent twice (${token})`)).toBe(
    'GET https://me:***@host/path failed: Bearer ***, sent twice (***)',
  );
  expect(redacted(`password = "${password}" # mine`)).toBe('password = "***" # mine');
  expect(redacted(`before\n${key}\nafter`)).toBe('before\n***\nafter');
  expect(redacted('nothing to hide')).toBe('nothing to hide');
});

test('finds no secret in the text that it returns', () => {
  for (const text of positives) expect(holdsSecrets('file:///a.ts', redacted(text)), text).toBe(false);
});
