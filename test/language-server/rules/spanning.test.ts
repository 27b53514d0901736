// Strings and comments of many lines, whose beginning or end may be far from the cursor.
import { expect, test } from 'vitest';
import { LongText } from '../../../language-server/documents/long-text.ts';
import { languageOf } from '../../../language-server/rules/languages.ts';
import { endsIn, scannedChars, scanStart } from '../../../language-server/rules/spanning.ts';

const far = 'word and word\n'.repeat(scannedChars / 10);

test.each([
  ['python', 'def f():\n', '    """Says\n'],
  ['typescript', 'x\n', 'const a = `\n'],
  ['go', 'x\n', '/*\n'],
  ['python', '"""One."""\n', '"""Two.\n'],
])('%s: the scan begins behind %j, with %j', (languageId, above, line) => {
  const document = LongText.of(above + line + far);
  expect(scanStart(document, document.length, languageOf(languageId))).toBe(above.length);
});

test.each([
  ['python', `"""Says."""\n'''It"""s'''\n${far}`, 'strings that have ended'],
  ['typescript', `const files = 'src/*.ts';\n${far}`, 'a pattern for files'],
  ['ruby', `"it\n${far}`, 'a quote that may be one of a comment'],
  ['python', `"""${'x\n'.repeat(40_000)}`, 'what begins out of reach'],
  ['json', far, 'a language without them'],
])('%s: the scan begins in the last lines (%#)', (languageId, text, what) => {
  const document = LongText.of(text);
  const start = scanStart(document, document.length, languageOf(languageId));
  expect(document.length - start, what).toBeLessThanOrEqual(scannedChars);
  expect(start, what).toBeGreaterThan(0);
});

test.each([
  ['typescript', '/*', ' and more */\n', true],
  ['typescript', '/*', '\nf();\n/* another */', false],
  ['typescript', '/*', '', false],
  ['python', '"""', '\n"""\n', true],
  ['lua', '--[[', ' ]]', true],
])('%s: whether %s ends in %j: %j', (languageId, token, text, expected) => {
  expect(endsIn(text, token, languageOf(languageId))).toBe(expected);
});
