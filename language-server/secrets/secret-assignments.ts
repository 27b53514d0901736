// Secrets that are recognized by the name of the variable, or by the command, header or URL around them.
import { isPassPhrase, isPlainPassword } from './plain-secrets.ts';
import type { Span } from './secret-tokens.ts';
import { isKey, isPassword, isPlaceholder, isWords } from './secret-values.ts';

const quoted = `"([^"\\n]{6,400})"|'([^'\\n]{6,400})'|\`([^\`\\n]{6,400})\``;
// A bare value contains no operator, so the search for its end stops at the next assignment and takes linear time.
const bare = '(?![!@])((?:base64:)?[^\\s"\'`;,<>(){}[\\]=:&]{6,400}={0,2})(?=[;"\'<&]|[ \\t\\r]*$|[ \\t]+(?:#|//|-))';

// Matches "name = value" with the operators of many languages, ("name", "value"), setName("value"), and
// <name>value</name>. First looks for a stem such as "pass", and only then looks back for the beginning of the name.
const name = '(?:pass|pwd|psk|secret|token|key|auth|cred)[\\w-]{0,30}(?![\\w-])(?<=([\\w-]{0,70}))';
const operator = '(?::[ \\t]?[&\\w]{1,20}[ \\t]?=|=>|[:?]?=|[:>]|(?<=["\']),(?=[ \\t]*["\'])|\\((?=[ \\t]*["\'`]))';
const assignment = new RegExp(
  `${name}\\\\?["'\`]?\\]?[ \\t]{0,8}${operator}[ \\t]{0,8}\\\\?(?:${quoted}|${bare})`,
  'gim',
);
// Matches <add key="name" value="..."/>, and, in YAML, a name above its value.
const pair = new RegExp(
  `\\b(?:key|name)["']?[ \\t]?[:=][ \\t]?["']?([\\w.-]{3,80})["']?,?\\s{1,20}["']?value["']?[ \\t]?[:=][ \\t]?(?:${quoted}|${bare})`,
  'gim',
);
const inCommands = new RegExp(
  [
    '\\s(?:-u|--user)[ =]{1,4}["\']?[\\w.@-]{0,40}:["\']?([^\\s"\']{6,100})',
    '\\bsshpass[ ]-p[ ]?["\']?([^\\s"\']{6,100})',
    '\\s--[\\w-]{0,20}(?:password|pass|token|secret|key)[ =]["\']?([^\\s"\'$-][^\\s"\']{5,200})',
    '\\blogin\\s{1,20}\\S{1,80}\\s{1,20}password\\s{1,20}(\\S{6,100})',
  ].join('|'),
  'g',
);
const inHeader = /\b(?:bearer|basic|token)[ ]+([\w.~+/=-]{12,})/gi;
const inUrl = /:\/\/([\w.+%~-]{0,40}):([^\s@/"'`<>{}$]{4,100})@/g;

export function* assignmentsIn(text: string): Generator<Span> {
  for (const pattern of [assignment, pair]) {
    for (const match of matchesIn(text, pattern)) {
      const [whole, name = '', double, single, backtick, bareValue] = match;
      if (isCall(whole) && !takesSecret(text, match.index, name)) continue;
      if (isSecretValue(name, double ?? single ?? backtick, bareValue)) yield valueSpan(match, 2);
    }
  }
  for (const match of text.matchAll(inCommands)) {
    const value = match.slice(1).find(Boolean) ?? '';
    if (isPassword(value) || isKey(value)) yield valueSpan(match, 1);
  }
  for (const match of text.matchAll(inHeader)) if (isKey(match[1] ?? '')) yield valueSpan(match, 1);
  for (const match of text.matchAll(inUrl)) {
    const [, user = '', password = ''] = match;
    const isSecret = password !== user && !/^\d{1,5}$/.test(password) && !isPlaceholder(password) && !isWords(password);
    if (isSecret) yield [match.index + match[0].length - password.length - 1, match.index + match[0].length - 1];
  }
}

/** All matches, including those inside the value of another match. */
function* matchesIn(text: string, pattern: RegExp): Generator<RegExpExecArray> {
  const search = new RegExp(pattern);
  for (let match = search.exec(text); match !== null; match = search.exec(text)) {
    yield match;
    search.lastIndex = valueSpan(match, 2)[0];
  }
}

/** The span of the value: the match's last non-empty group, from group `first` on. */
function valueSpan(match: RegExpExecArray, first: number): Span {
  const value = match.slice(first).findLast((group) => group !== undefined) ?? '';
  const start = match.index + match[0].lastIndexOf(value);
  return [start, start + value.length];
}

/** Whether a match has the form name("value"). */
const isCall = (match: string) => /^[\w-]*[ \t]*\([ \t]*["'`]/.test(match);

/**
 * Whether a call passes a secret, as setPassword("...") and .password("...") do. In other calls, such as
 * getPassword("db"), the string is only the name to look up. index: the beginning of the match, perhaps inside the
 * function's name.
 */
function takesSecret(text: string, index: number, name: string): boolean {
  const words = splitName(name);
  const nameStart = index - name.length + nameAfter(text, index).length;
  return /^(?:set|with|use)$/.test(words[0] ?? '') || (words.length === 1 && text[nameStart - 1] === '.');
}

const nameAfter = (text: string, index: number): string => /^[\w-]*/.exec(text.slice(index, index + 40))?.[0] ?? '';

const passwordWord =
  /^(?:pass|pw|pwd|psk|creds?)$|(?:password|passwd|passphrase|passcode|secret|credential)s?$|^(?:db|my|user|root)pass$/;
const keyWord = /^auth(?:orization)?$|(?:tokens?|(?:api|access|secret|private|account|auth)keys?)$/;
// With one of these words before it, a "key" is a secret.
const keyQualifiers = wordsOf(`
  access account admin api app application auth client consumer deploy encrypt encryption license logged master nonce
  private root secret service shared signing storage subscription write x`);
// A name that ends with one of these words names something about a secret, not the secret itself.
const metadataWords = wordsOf(`
  alg algorithm audience button class color colour command component count digest endpoint env error expire expires
  expiry field file form format hash hashed header hint icon id index input kind label len length limit message method
  minutes mode name page parser path pattern placeholder policy prefix provider ref regex regexp rule schema scheme
  seconds selector separator size source start state status strategy style suffix tag template text title ttl type uri
  url var variable version`);
const harmless = wordsOf('authenticity csrf dummy example fake hash hashed mock public publishable sample xsrf');

function wordsOf(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/));
}

function isSecretValue(name: string, literal: string | undefined, bareValue: string | undefined): boolean {
  const words = splitName(name);
  const last = words.at(-1) ?? '';
  if (metadataWords.has(last) || metadataWords.has(last.replace(/s$/, '')) || words.some((word) => harmless.has(word)))
    return false;
  const isPasswordName = words.some((word) => passwordWord.test(word));
  const isKeyName = words.some(
    (word, i) => keyWord.test(word) || (/^keys?$/.test(word) && keyQualifiers.has(words[i - 1] ?? '')),
  );
  if (!isPasswordName && !isKeyName) return false;
  const value = literal ?? bareValue ?? '';
  if (isKey(value)) return true;
  if (!isPasswordName) return false;
  // A plain word is a password only if the name ends with a word for "password" and the value cannot be a variable.
  const isText = literal !== undefined || !/[a-z]/.test(name.replace(/^PWD$/, 'pwd'));
  if (isText && passwordWord.test(last) && !/secret|cred/.test(last) && (isPlainPassword(value) || isPassPhrase(value)))
    return true;
  return isPassword(value) && (literal !== undefined || !isVariable(value, name));
}

function splitName(name: string): string[] {
  const separated = name.replace(/([a-z\d])([A-Z])/g, '$1_$2').toLowerCase();
  return separated.match(/[a-z]+/g) ?? [];
}

/**
 * Whether a bare word is a variable. In most languages it is; after an all-caps name, as in a shell script, it is a
 * literal value.
 */
function isVariable(value: string, name: string): boolean {
  return /^[A-Za-z_$](?:[\w$.]|[?!]\.|::|->)*$/.test(value) && !/\d.*\d/.test(value) && /[a-z]/.test(name);
}
