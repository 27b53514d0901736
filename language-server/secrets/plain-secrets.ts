// Secrets that look like ordinary text (words, letters only, digits only) or are hexadecimal keys. Only the text around
// them shows that they are secrets.
import type { Span } from './secret-tokens.ts';
import { isPlaceholder } from './secret-values.ts';

const wordsOf = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/));

/** Words that occur in sentences, but not in passphrases. */
const sentenceWords = wordsOf(`
  the and for with that this from have has had are was were not but you your his her its our their they them which who what
  when where why how each every some into than then there here must should would could can may will shall does did been only
  also just very more most about after before between without please enter choose use used using one goes be der die das und
  ist ein eine nicht mit von les des est pas une los las por para con del`);
/** Words that may be in the place of a password, but name its type, its state or its field. */
const descriptions = wordsOf(`
  string text number integer boolean object array varchar buffer binary bytes undefined required optional nullable confirmed
  confirm different invalid incorrect missing expired disabled enabled changed change forgotten forgot repeat current previous
  default readonly hidden visible masked plain plaintext cleartext encrypted hashed hash bcrypt argon scrypt sha generated
  random unknown automatic manual always never standard outlined filled medium strong weak include omit password passwords
  passphrase passwort kennwort wachtwoord adgangskode contrasena passord parola username user name login account email reset
  update wrong empty match matches characters letters digits least long short label title link settings security protected
  authentication credential credentials keyboard interactive publickey letmein identifier database workspace`);

/** Whether a value can be a password of only lower-case letters or only digits. */
export function isPlainPassword(value: string): boolean {
  if (isPlaceholder(value)) return false;
  if (/^\d{6,}$/.test(value)) return !/^0?123456|^654321/.test(value);
  return /^[a-z]{8,40}$/.test(value) && !descriptions.has(value);
}

/** Whether a value is a passphrase: at least four words, with blanks or hyphens between them, that form no sentence. */
export function isPassPhrase(value: string): boolean {
  if (!/^[a-z]{3,10}([ -])[a-z]{3,10}(?:\1[a-z]{3,10}){2,9}$/.test(value) || isPlaceholder(value)) return false;
  const words = value.split(/[ -]/);
  return (
    new Set(words).size > words.length / 2 && !words.some((word) => sentenceWords.has(word) || descriptions.has(word))
  );
}

/** Command lines of programs that take a password after an option such as -p. */
const argument = '["\']?([^\\s"\'$<{-][^\\s"\']{3,100})';
const inCommands = new RegExp(
  [
    `\\b(?:mysql\\w{0,10}|mariadb[\\w-]{0,10}|7z[ar]?)\\b[^\\n|;&]{0,120}?\\s-p${argument}`,
    `\\bredis-cli\\b[^\\n|;&]{0,120}?\\s-a[ ]?${argument}`,
    `\\bldap\\w{1,10}\\b[^\\n|;&]{0,120}?\\s-w[ ]?${argument}`,
    `\\bmongo\\w{0,8}\\b[^\\n|;&]{0,120}?\\s-p[ ]?${argument}`,
    `\\bopenssl\\b[^\\n|;&]{0,120}?\\spass:${argument}`,
  ].join('|'),
  'g',
);

const runOfWords = /(?<![\w-])[a-z]+(?: [a-z]+)+(?![\w-])/g;
const aboutWallets = /mnemonic|seed|phrase|recovery|wallet|bip-?39/i;
/** The numbers of words that BIP39 allows in the seed phrase of a wallet. */
const phraseLengths = [12, 15, 18, 21, 24];
const contextChars = 120;

const hexKey = /(?<![0-9A-Za-z])(?:0x)?[0-9a-fA-F]{64}(?![0-9A-Za-z])/g;
const beforeKey =
  /(?:\b|_)(?:[ps]k|\w{0,30}(?:priv|signer|deployer|minter|wallet|from_?key|accounts?(?=["']?:))\w{0,30})["'\]]?[ ]?(?::[ ]?&?\w{1,12}[ ]?)?[:=(][ ]?\[?[ ]?["'`]?$/i;
const aboutKey = /(?:hash|id|root|address|topic|pub\w*)["'\]]?[ ]?[:=(][^:=(]*$/i;

export function* plainSecretsIn(text: string): Generator<Span> {
  for (const match of text.matchAll(inCommands)) {
    const value = match.slice(1).find(Boolean) ?? '';
    const end = match.index + match[0].length;
    if (!isPlaceholder(value)) yield [end - value.length, end];
  }
  for (const { 0: run, index } of text.matchAll(runOfWords)) {
    const before = text.slice(Math.max(0, index - contextChars), index);
    if (isSeed(run) && aboutWallets.test(before)) yield [index, index + run.length];
  }
  for (const { 0: key, index } of text.matchAll(hexKey)) {
    const before = text.slice(Math.max(0, index - contextChars), index);
    if (!isPlaceholder(key.slice(-64)) && beforeKey.test(before) && !aboutKey.test(before))
      yield [index, index + key.length];
  }
}

/** Whether a run of words is the seed phrase of a wallet. */
function isSeed(run: string): boolean {
  if (run.length > 24 * 9) return false;
  const words = run.split(' ');
  if (!phraseLengths.includes(words.length) || !words.every((word) => word.length >= 3 && word.length <= 8))
    return false;
  const fromSentences = words.filter((word) => sentenceWords.has(word)).length;
  return new Set(words).size > words.length / 2 && fromSentences <= words.length / 8;
}
