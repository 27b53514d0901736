// Detects files that hold keys and passwords, by their name or by their text. One whose text contains a secret is
// completed like any other as long as the text stays in the memory of this machine; it is not explained, never used as
// context for another file, and not completed if a team's server or the disk cache would get the text.
import type { LongText } from '../documents/long-text.ts';
import { hasSecretName } from '../protocol/secret-names.ts';

/** Whether a file holds secrets, by its name or its text. */
export function holdsSecrets(uri: string, text = ''): boolean {
  return hasSecretName(uri) || containsSecret(text);
}

const tokenShapes = new RegExp(
  [
    '-----BEGIN [A-Z ]*PRIVATE KEY',
    '\\b(?:AKIA|ASIA)[0-9A-Z]{16}\\b', // AWS
    '\\bgh[pousr]_\\w{30,}|\\bgithub_pat_\\w{22,}|\\bglpat-[\\w-]{20,}', // GitHub, GitLab
    '\\bAIza[\\w-]{30,}|\\bya29\\.[\\w-]{20,}', // Google
    '\\bxox[abeprs]-[\\w-]{10,}|hooks\\.slack\\.com/services/\\w', // Slack
    '\\b[sr]k_(?:live|test)_\\w{16,}|\\bwhsec_\\w{16,}', // Stripe
    '\\bsk-[\\w-]{20,}|\\bnpm_\\w{30,}|\\bSG\\.[\\w-]{16,}\\.[\\w-]{16,}', // OpenAI and Anthropic, npm, SendGrid
    '\\beyJ[\\w-]{8,}\\.eyJ[\\w-]{8,}\\.[\\w-]{8,}', // JSON Web Tokens
    '\\bAccountKey=[\\w+/]{20,}', // Azure
    '://[\\w.+-]{1,40}:[^\\s@/$<{]{3,80}@', // a password in a URL
  ].join('|'),
);
const assigned =
  /(passw(?:or)?d|passphrase|pwd|secret|token|api_?-?key|access_?-?key|private_?-?key|auth_?-?key|credential)\w{0,20}["'\]]{0,2}[ \t]{0,8}(?::[ \t]?\w{1,20}[ \t]?=|=>|:=|[:=])[ \t]{0,8}(?:["'`]([^"'`\n]{6,200})["'`]|([^\s"'`;,(){}<>$]{8,200})[ \t]*$)/gim;
const placeholder = /\$\{|\{\{|^<|^%|x{4}|\*{3}|\.{3}|example|placeholder|change_?me|your[_-]|dummy|redacted/i;

function containsSecret(text: string): boolean {
  if (tokenShapes.test(text)) return true;
  for (const [, key = '', quoted, bare] of text.matchAll(assigned)) {
    if (looksRandom(quoted ?? bare ?? '', /^pass|^pwd/i.test(key))) return true;
  }
  return false;
}

interface Searched {
  /** The rest of the chunk's last line, in the next chunk. */
  next: string;
  hasSecret: boolean;
}

const searched = new WeakMap<object, Searched>();
// How much of the next chunk is searched together with a chunk; no secret is longer.
const overlapChars = 1000;

/** Searches only the chunks that have changed since the last call. */
export function hasSecret(text: LongText): boolean {
  return text.chunks.some((chunk, i) => {
    const next = /^.*/.exec(text.chunks[i + 1]?.text.slice(0, overlapChars) ?? '')?.[0] ?? '';
    const known = searched.get(chunk);
    if (known?.next === next) return known.hasSecret;
    const found = { next, hasSecret: containsSecret(chunk.text + next) };
    searched.set(chunk, found);
    return found.hasSecret;
  });
}

/** Unlike words and identifiers. A password may be short; a key is long and has many different characters. */
function looksRandom(value: string, isPassword: boolean): boolean {
  if (placeholder.test(value) || /\s/.test(value)) return false;
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^\w]/].filter((kind) => kind.test(value)).length;
  if (isPassword) return kinds >= 2 && /[\d\W]/.test(value);
  return value.length >= 16 && /\d/.test(value) && entropyBits(value) >= 3.2;
}

/** The Shannon entropy of the characters, in bits per character. */
function entropyBits(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  return [...counts.values()].reduce((bits, count) => bits - (count / text.length) * Math.log2(count / text.length), 0);
}
