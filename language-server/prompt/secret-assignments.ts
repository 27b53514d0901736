// Secrets that only their names show, or the commands and addresses in which they stand.
import type { Span } from './secret-tokens.ts';
import { isKey, isPassword, isPlaceholder, isWords } from './secret-values.ts';

const quoted = `"([^"\\n]{6,400})"|'([^'\\n]{6,400})'|\`([^\`\\n]{6,400})\``;
const bare = '([^\\s"\'`;,<>(){}[\\]]{6,400})(?=[;"\'<&]|[ \\t\\r]*$|[ \\t]+(?:#|//|-))';

// "name = value" with the operators of many languages, ("name", "value"), and <name>value</name>. The name begins
// before the stem.
const operator = '(?::[ \\t]?[&\\w]{1,20}[ \\t]?=|=>|[:?]?=|[:>]|(?<=["\']),)';
const assignment = new RegExp(
  `(?:pass|pwd|psk|secret|token|key|auth|cred)([\\w-]{0,30})["'\`]?\\]?[ \\t]{0,8}${operator}[ \\t]{0,8}(?:${quoted}|${bare})`,
  'gim',
);
// <add key="name" value="..."/>, and a name above its value, in YAML.
const pair = new RegExp(
  `\\b(?:key|name)["']?[ \\t]?[:=][ \\t]?["']?([\\w.-]{3,80})["']?,?\\s{1,20}["']?value["']?[ \\t]?[:=][ \\t]?(?:${quoted}|${bare})`,
  'gim',
);
const inCommands = new RegExp(
  [
    '\\s(?:-u|--user)[ =]["\']?[\\w.@-]{1,40}:([^\\s"\']{6,100})',
    '\\bsshpass[ ]-p[ ]?["\']?([^\\s"\']{6,100})',
    '\\s--[\\w-]{0,20}(?:password|pass|token|secret|key)[ =]["\']?([^\\s"\'$-][^\\s"\']{5,200})',
    '\\blogin\\s{1,20}\\S{1,80}\\s{1,20}password\\s{1,20}(\\S{6,100})',
  ].join('|'),
  'g',
);
const inHeader = /\b(?:bearer|basic|token)[ ]+([\w.~+/=-]{12,})/gi;
const inAddress = /:\/\/([\w.+%~-]{0,40}):([^\s@/"'`<>{}$]{4,100})@/g;

export function* assignmentsIn(text: string): Generator<Span> {
  for (const match of text.matchAll(assignment)) {
    const name = nameBefore(text, match.index) + /^[\w-]*/.exec(match[0])?.[0];
    if (isSecretValue(name, match.slice(2, 5).find(Boolean), match[5])) yield lastOf(match, 2);
  }
  for (const match of text.matchAll(pair)) {
    if (isSecretValue(match[1] ?? '', match.slice(2, 5).find(Boolean), match[5])) yield lastOf(match, 2);
  }
  for (const match of text.matchAll(inCommands)) {
    const value = match.slice(1).find(Boolean) ?? '';
    if (isPassword(value) || isKey(value)) yield lastOf(match, 1);
  }
  for (const match of text.matchAll(inHeader)) if (isKey(match[1] ?? '')) yield lastOf(match, 1);
  for (const match of text.matchAll(inAddress)) {
    const [, user = '', password = ''] = match;
    const isSecret = password !== user && !/^\d{1,5}$/.test(password) && !isPlaceholder(password) && !isWords(password);
    if (isSecret) yield [match.index + match[0].length - password.length - 1, match.index + match[0].length - 1];
  }
}

/** The place of a match's last group that took part, counted from `first`. */
function lastOf(match: RegExpExecArray, first: number): Span {
  const value = match.slice(first).findLast((group) => group !== undefined) ?? '';
  const start = match.index + match[0].lastIndexOf(value);
  return [start, start + value.length];
}

function nameBefore(text: string, end: number): string {
  return /[\w-]*$/.exec(text.slice(Math.max(0, end - 40), end))?.[0] ?? '';
}

const passwordWord = /^(?:pass|pw|pwd|psk|creds?)$|(?:password|passwd|passphrase|passcode|secret|credential)s?$|^(?:db|my|user|root|admin|ftp|smtp|mail|sql)pass$/;
const keyWord = /^auth$|(?:tokens?|(?:api|access|secret|private|account|auth)keys?)$/;
const keyQualifier =
  /^(?:api|access|secret|private|auth|account|shared|signing|encryption|encrypt|master|admin|license|consumer|app|application|client|service|subscription|storage|deploy|write|root|logged|nonce|x)$/;
// A name that goes on like this is that of something about the secret.
const about =
  /^(?:names?|ids?|types?|ur[li]s?|paths?|files?|fields?|labels?|hints?|patterns?|regexp?|length|len|count|index|start|end|prefix|suffix|separator|hash|hashed|digest|endpoint|headers?|placeholder|errors?|messages?|title|text|class|colou?rs?|style|policy|rules?|selector|ref|kind|scheme|mode|status|state|expires?|expiry|minutes|seconds|ttl|size|limit|tag|version|template|provider|component|page|form|input|button|icon|command|algorithm|alg|method|parser|format|schema|strategy|env|var|variable)$/;

function isSecretValue(name: string, literal: string | undefined, bareValue: string | undefined): boolean {
  const words = name.replace(/([a-z\d])([A-Z])/g, '$1_$2').toLowerCase().match(/[a-z]+/g) ?? [];
  if (about.test(words.at(-1) ?? '')) return false;
  const isPasswordName = words.some((word) => passwordWord.test(word));
  const isKeyName = words.some(
    (word, i) => keyWord.test(word) || (/^keys?$/.test(word) && keyQualifier.test(words[i - 1] ?? '')),
  );
  if (!isPasswordName && !isKeyName) return false;
  const value = literal ?? bareValue ?? '';
  if (isKey(value)) return true;
  return isPasswordName && isPassword(value) && (literal !== undefined || !isVariable(value, name));
}

/** Bare words are variables in most languages, but values in a shell's variables. */
function isVariable(value: string, name: string): boolean {
  return /^[A-Za-z_$][\w$.]*$/.test(value) && !/\d.*\d/.test(value) && /[a-z]/.test(name);
}
