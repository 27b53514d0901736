// Tells passwords and keys from words, paths, placeholders and the values of test fixtures.

// Matches references, templates, and placeholders for a secret.
const template =
  /^[\^~<>=]*v?\d+\.\d+(?:\.\d+)*$|[$#]\{|\{[\w.]*\}|\$\(|^[$<[]|^%\w*%?$|x{4}|X{6}|0{6}|\*{3}|\.{3}|…|redacted|abcdefg|1234567|7654321|EXAMPLE/;
const fakeWords = new RegExp(
  `
  my your the new old test fake mock dummy demo sample example placeholder change default none null user anonymous admin
  root guest pass word wort passwd secret token key api foo bar baz abc qwerty valid wrong invalid here value string
  client access private auth bot goes database postgres mysql rabbit redis stripe insert replace enter todo`
    .trim()
    .replace(/\s+/g, '|'),
  'gi',
);
// In base64: the credentials in the HTTP standard's example, "user:pass…", and a part of the best-known example of a
// JWT.
const wellKnown = /^QWxhZGRpbjpvcGVu|^dXNlcjpwYXNz|eyJzdWIiOiIxMjM0NTY3ODkwI/;

export function isPlaceholder(value: string): boolean {
  if (template.test(value) || wellKnown.test(value)) return true;
  const letters = value.replace(/[^a-z]+/gi, '');
  const rest = letters.replace(fakeWords, '');
  return new Set(value).size < 5 || (letters !== '' && rest.length <= 0.3 * letters.length);
}

/**
 * Whether a value consists of words, with separators or in camelCase, perhaps with numbers: an identifier or a path.
 */
export function isWords(value: string): boolean {
  const pieces = value.split(/[-_./:\\|,@]+/).filter((piece) => piece !== '');
  const isSplit = pieces.length > 1 || /[a-z][A-Z]/.test(value);
  return (
    isSplit && pieces.every((piece) => /^[A-Za-z]+\d{0,3}$|^\d{1,2}$|^(?:19|20)\d\d$/.test(piece) && isCamelCase(piece))
  );
}

function isCamelCase(piece: string): boolean {
  const upper = piece.replace(/[^A-Z]+/g, '').length;
  const lower = piece.replace(/[^a-z]+/g, '').length;
  return lower === 0 || upper <= 1 || upper <= (upper + lower) / 4;
}

/** A character that is neither a letter of any language, a digit, nor one of _ . / : - */
const sign = /[^\p{L}\p{M}\w./:-]/u;

export function isPassword(value: string): boolean {
  if (value.length < 6 || /\s/.test(value) || isPlaceholder(value) || isWords(value)) return false;
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, sign].filter((kind) => kind.test(value)).length;
  return kinds >= 2 && (/\d/.test(value) || sign.test(value));
}

/** Whether a program has made a value: it is long, and letters, digits and cases alternate more often than in words. */
export function isKey(value: string): boolean {
  if (value.length < 16 || !/^[\w+/=.~:%|-]+$/.test(value) || value.includes('://')) return false;
  return isRandom(value) && !isPlaceholder(value) && !isWords(value);
}

function isRandom(value: string): boolean {
  const changes = value.match(/[a-z](?![a-z])|\d(?!\d)|[A-Z](?![A-Za-z])/g)?.length ?? 0;
  return /\d/.test(value) && changes >= value.length / 5 && new Set(value).size >= Math.min(8, value.length / 2);
}
