// Whether a name is declared where it stands, in any of the languages. Where that is not clear, it is: then its uses are
// left to those who weigh what is likely.
import type { Language } from '../../../rules/language.ts';
import type { Bracket, NamePlace } from './name-places.ts';

export const keywords =
  /(?:^|[\s(])(const|let|var|val|def|class|function|fn|func|type|interface|struct|enum|trait|static|mut|final|readonly|define)\s+\*?$/;
/** Whose names other files may know, if they stand outside of everything. */
export const sharedKeywords = /^(?:def|class|function|fn|func|type|interface|struct|enum|trait)$/;
export const methods =
  /^\s+.*\(\s*(?:&\s*)?(?:mut\s+)?(?:self|cls)\b|\b(?:public|private|protected)\s+(?:static\s+)?function\b/;
const moreKeywords = /\b(?:local|my|fun|sub|module|namespace|object|protocol|record|for|catch|as|lambda)\s*\(?\s*$/;
/** Several names at once: `let a, name`, `a, name = f()`, `for i, name in list`, `|a, name|`. */
const listed = /\b(?:const|let|var|val|local|my)\s+(?:[\w$]+\s*,\s*)*$/;
const firstOfList = /^\s*(?:[\w$*]+\s*,\s*)*\*?$/;
const assigned = /^(?:\s*,\s*[\w$*.]+)*,?\s*:?=(?![=>])/;
const looped = /\bfor\s+(?:[\w$*]+\s*,\s*)*$/;
const closure = /(?<!\|)\|(?:[^|\s][^|]*,\s*)?$/;
/** Before its type, its value or the body of a function. */
const introduced = /^(?:\s*:(?!:)|\s*=(?!=)|\s+->\s)/;
/** `if name:`, `case NAME:`, `is ? name : other` */
const headBefore = /^\s*(?:\}\s*)?(?:case|elif|for|if|match|while|with)\b/;
const choiceBefore = /\?\s[^:]*$/;
/** `value: Type = `, `-> Type:` */
const typedBefore = /(?:[\p{L}\p{N}_)?\]]\s*:|->)\s*$/u;

const typeBefore =
  /(?:^|[(,])\s*(?!(?:and|async|await|case|defer|delete|do|echo|else|go|goto|if|in|is|move|new|not|or|out|print|ref|return|throw|typeof|yield)\b)(?:(?:const|final|mutable|params|static|private|public|protected|internal|volatile)\s+)*(?!(?:const|final|mutable|params|static|private|public|protected|internal|volatile)\b)[\p{L}_][\p{L}\p{N}_<>[\].:?]*[\s*&]+$/u;

export function declares(place: NamePlace, language: Language): boolean {
  const { before, behind, brackets } = place;
  if (keywords.test(before) || moreKeywords.test(before) || listed.test(before)) return true;
  if (isKey(place, language)) return false;
  if (introduced.test(behind) && !isUsed(before, behind)) return true;
  if (isAssigned(place)) return true;
  if (looped.test(before) && /^(?:\s*,\s*[\w$*]+)*\s+(?:in|of)\b/.test(behind)) return true;
  if (closure.test(before) && /^[^|\n]*\|/.test(behind)) return true;
  const isTyped = language.hasTypedNames && typeBefore.test(before) && /^\s*[=;,()]/.test(behind);
  return isTyped || isInPattern(before, brackets);
}

/** Whether an assignment declares it, if nothing else does. */
export function isAssigned({ before, behind }: NamePlace): boolean {
  return firstOfList.test(before) && assigned.test(behind);
}

/** Whether it names a value, as the key of an object or an argument of a call, without being a name in this code. */
export function isLabel({ before, behind, brackets }: NamePlace): boolean {
  const [bracket] = brackets;
  if (bracket === undefined || [keywords, moreKeywords, listed].some((each) => each.test(before))) return false;
  if (bracket.token === '{' ? !/^\s*:(?![:=])/.test(behind) : !/^\s*[:=](?![:=>])/.test(behind)) return false;
  return !isInPattern(before, brackets);
}

/** Whether it is a type or a condition, although a colon or a value follows. */
function isUsed(before: string, behind: string): boolean {
  if (typedBefore.test(before)) return true;
  if (/^\s*:\s*(?:#.*|\/\/.*)?\r?$/.test(behind) && headBefore.test(before)) return true;
  return /^\s+:/.test(behind) && choiceBefore.test(before);
}

/** Whether the brackets around are those of a binding pattern or of parameters, and the name is no value in them. */
function isInPattern(before: string, brackets: readonly Bracket[]): boolean {
  if (/(?<![=!<>])=\s*$/.test(before)) return false;
  for (const bracket of brackets) {
    const { token, before: head, behind } = bracket;
    const line = head.slice(head.lastIndexOf('\n') + 1);
    if (token === '(') return isBound(line, behind) || (isParameters(line, behind) && !/:\s*$/.test(before));
    if (token === '[' ? /[\p{L}\p{N}_$)\]]$/u.test(head) : !isValue.test(head)) return false;
    if (isBound(line, behind)) return true;
    if (behind === '') return false; // those around it are closed farther away still
  }
  return false;
}

/** What stands before the brace of a value or a pattern, rather than of a block. */
export const isValue = /(?:[=(,:[{?&|]|\b(?:return|default|yield|const|let|var|val|for|of))\s*$/;

function isBound(head: string, behind: string): boolean {
  return /^\s*:?=(?![=>])/.test(behind) || (/\bfor\b/.test(head) && /^\s*(?:in|of)\b/.test(behind));
}

const functionKeyword = /\b(?:func|function|fn|fun|def|sub)\b[^={]*$/;
const noFunction =
  /\?\s|\b(?:assert|await|case|class|elif|else|except|for|foreach|guard|if|in|match|new|raise|return|switch|unless|until|when|while|with|yield)\b/;

/** Whether the parentheses, with what stands before and behind them, have the parameters of a function. */
function isParameters(head: string, behind: string): boolean {
  if (functionKeyword.test(head) || /^\s*(?:=>|->)/.test(behind)) return true;
  if (/\bcatch\s*$/.test(head)) return true;
  return /^\s*(?::|(?:throws\b[^;{]*|const\s*|noexcept\s*|override\s*)?\{)/.test(behind) && !noFunction.test(head);
}

const memberBefore =
  /^\s*(?:(?:abstract|async|get|override|private|protected|public|readonly|set|static)\s+)*\*?$|[{,;]\s*$/;
const typeBody = /\b(?:class|enum|interface|type)\b[^{}();]*$/;

const bodyOfType = /\b(?:class|enum|impl|interface|object|record|struct|trait|type|union)\b[^{}();]*$/;

/** Whether it is declared in the body of a type, as one of its members. */
export function isTypeMember({ before, behind, brackets: [bracket] }: NamePlace): boolean {
  if (bracket?.token !== '{' || !bodyOfType.test(bracket.before)) return false;
  return memberBefore.test(before) ? /^\s*(?:[?!]?\s*[:;=,}(]|[\p{L}*[]|$)/u.test(behind) : typeBefore.test(before);
}

/** Whether it is the key of an object or the member of a type, which are no variables. */
export function isKey({ before, behind, brackets: [bracket] }: NamePlace, language: Language): boolean {
  if (!hasShorthand(language) || bracket?.token !== '{' || !memberBefore.test(before)) return false;
  if (typeBody.test(bracket.before)) return /^\s*(?:[?!]?\s*[:;=,}(]|\r?$)/.test(behind);
  return isValue.test(bracket.before) && /^\s*[:(]/.test(behind);
}

/** Whether `{ name }` is an object with the key of that name: in JavaScript and TypeScript, which have templates, too. */
export function hasShorthand({ quotes, needsLastComma }: Language): boolean {
  return quotes.includes('`') && !needsLastComma;
}
