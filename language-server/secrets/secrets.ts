// Detects files that hold keys and passwords, by their name or by their text. A file whose text contains a secret is
// completed like any other if its text stays in the memory of this machine, but not if a team's server or the disk
// cache would get the text. It is never used as context for another file. Text that contains a secret is not explained.
import type { LongText } from '../documents/long-text.ts';
import { hasSecretName } from '../protocol/secret-names.ts';
import { plainSecretsIn } from './plain-secrets.ts';
import { assignmentsIn } from './secret-assignments.ts';
import { type Span, tokensIn } from './secret-tokens.ts';

/** Whether a file holds secrets, by its name or its text. */
export function holdsSecrets(uri: string, text: string | LongText): boolean {
  return hasSecretName(uri) || (typeof text === 'string' ? containsSecret(text) : hasSecret(text));
}

/**
 * Whether a file must not be completed. staysInMemory: whether neither a team's server nor the disk cache gets its
 * text.
 */
export function isWithheld(uri: string, text: LongText, staysInMemory: boolean): boolean {
  return hasSecretName(uri) || (!staysInMemory && hasSecret(text));
}

function* secretsIn(text: string): Generator<Span> {
  yield* tokensIn(text);
  yield* assignmentsIn(text);
  yield* plainSecretsIn(text);
}

function containsSecret(text: string): boolean {
  return secretsIn(text).next().done !== true;
}

/** The text with "***" in place of every secret: for logs, statuses and errors. */
export function redacted(text: string): string {
  let result = '';
  let from = 0;
  for (const [start, end] of [...secretsIn(text)].sort(([a], [b]) => a - b)) {
    if (start >= from) result += `${text.slice(from, start)}***`;
    from = Math.max(from, end);
  }
  return result + text.slice(from);
}

interface Searched {
  /** The beginning of the next chunk, which was searched together with the chunk. */
  next: string;
  hasSecret: boolean;
}

const searched = new WeakMap<object, Searched>();
// A chunk is searched together with this many characters of the next one. No secret is longer, even with its name.
const overlapChars = 1000;

/** Searches only the chunks that have changed since the last call. */
export function hasSecret(text: LongText): boolean {
  return text.chunks.some((chunk, i) => {
    const next = beginningOf(text, i + 1);
    const known = searched.get(chunk);
    if (known?.next === next) return known.hasSecret;
    const found = { next, hasSecret: containsSecret(chunk.text + next) };
    searched.set(chunk, found);
    return found.hasSecret;
  });
}

/** The same as hasSecret(after), but if there was no secret before the edit, searches only near the edit. */
export function hasSecretAfter(before: LongText, edit: { start: number; text: string }, after: LongText): boolean {
  const end = edit.start + edit.text.length;
  const near = () => after.slice(Math.max(0, edit.start - overlapChars), end + overlapChars);
  // A secret near the edit may be a false one, because the text was cut at both ends. So the whole text is searched.
  if (hasSecret(before) || edit.text.length > overlapChars || containsSecret(near())) return hasSecret(after);
  for (const [i, chunk] of after.chunks.entries())
    searched.set(chunk, { next: beginningOf(after, i + 1), hasSecret: false });
  return false;
}

/**
 * The beginning of a chunk: overlapChars, and up to as many more characters to the end of a line; '' if there is no
 * such chunk.
 */
function beginningOf({ chunks }: LongText, i: number): string {
  const { text } = chunks[i] ?? { text: '' };
  const lineEnd = text.indexOf('\n', overlapChars);
  return text.slice(0, lineEnd < 0 ? 2 * overlapChars : Math.min(lineEnd, 2 * overlapChars));
}
