// Whether lines are statements: none is half of one, and none takes what stands below.
import { openTag } from './closers.ts';
import { isHalfEntry, lacksComma, lacksLastComma } from './commas.ts';
import { depthOf } from './indentation.ts';
import { hasPatterns, opensBlock } from './languages.ts';
import { lacksHeredocEnd, lacksOperand, lacksSemicolon, lastLine } from './line-ends.ts';
import { filledBelow, isInBody, type Place } from './place.ts';
import { scan } from './scanner.ts';

// A line that begins so says nothing until it is whole. Some of the words are names in other languages.
const wholeOnly =
  /^(?:export\s+)?(?:(?:async\s+)?(?:def|fn|fun|func|function)|case|catch|class|default|do|elif|else|elseif|elsif|ensure|enum|except|extension|finally|for|from|if|impl|import|interface|is|match|package|protocol|rescue|struct|switch|trait|try|type|unless|until|use|using|when|while|with)\b(?!\s*=(?![=>])|\.)/;
// What stands before the type of a declaration.
const modifiersOnly =
  /^\s*(?:(?:abstract|async|const|final|internal|override|private|protected|public|readonly|sealed|static|virtual|volatile)\s+)+$/;
// An import without its names, and a label without its colon.
const halfLine = /^(?:import|from(?:\s+[\w.]+)?)$/;
const halfLabel = /^case\s(?:[^:]|::)*$/;
const typeOnly = /^[\w.:]+(?:<[^<>]*>)?[\][*&?]*\s*$/;
// The head of a function whose body begins on the next line.
const functionHead =
  /^(?:(?:abstract|final|private|protected|public|static)\s+)*function\s+\w+\s*\([^;{]*\)(?:\s*:\s*[\w?|\\]+)?$/;
// The head of a block whose body may be a single statement.
const bracketHead = /^(?:\}\s*)?(?:(?:else\s+)?if|for|foreach|switch|while)\b.*\)$|^(?:\}\s*)?(?:do|else|finally|try)$/;
// Its body stands in braces, whatever is below.
const bracesOnly = /^(?:\}\s*)?(?:finally|try)$/;
// Where a class needs a body, that stands in braces, too.
const classHead =
  /^(?:(?:abstract|data|declare|default|export|final|internal|open|partial|private|protected|pub|public|readonly|sealed|static)\s+)*(?:class|enum|impl|interface|namespace|record|struct|trait|union)\s[^;{}=*]*$/;
// How a class goes on in the line below.
const restOfClass = /^(?:[{:,<(]|(?:extends|implements|permits|where)\b)/;

/**
 * Whether the document is sound without the text, because no statement has been begun; it must be so with it. Where only
 * single lines are wanted, the head of a block is one.
 */
export function beginsStatement(place: Place): boolean {
  const { around, open, language, extent } = place;
  if (around.linePrefix.trim() !== '') return false;
  const bracket = open.at(-1)?.token;
  const isInStatements = bracket === undefined || bracket === '{' || isInBody(place);
  return language.family === 'data' || (extent !== 'line' && isInStatements);
}

/**
 * Whether a declaration would lack its name behind the type or what follows the name, a field its value, or a statement its
 * end where half a word, which is an expression, stood.
 */
export function isHalfDeclaration(text: string, place: Place): boolean {
  const { around, language, open } = place;
  const { linePrefix } = around;
  if (lacksLastComma(text, place) || isHalfEntry(linePrefix + text, place)) return true;
  if (modifiersOnly.test(linePrefix)) return typeOnly.test(text);
  // A parameter that is a field has modifiers, too.
  const [, type = ''] = /^\s*(?:\w+\s+)+(\S+)$/.exec(text) ?? [];
  if (language.hasTypedNames && type !== '' && modifiersOnly.test(text.slice(0, -type.length)))
    return typeOnly.test(type);
  const isInStatements = open.length === 0 || open.at(-1)?.token === '{';
  if (isInStatements && language.beforeName?.test(linePrefix)) return /^[\w.]+$/.test(text);
  // The letters of a keyword may begin another one, but a label is whole with its colon.
  const isKeyword = wholeOnly.test(linePrefix.trim()) && !/^\w+\b(?!:)/.test(text);
  if (!/^\s*\w+$/.test(linePrefix) || isKeyword || language.family === 'data') return false;
  const line = linePrefix + text;
  return language.valueless.test(line.trim()) || (language.endsWithLine && !mayStandAlone(line, place));
}

/** Whether the beginning of a line can be a statement of its own. */
export function mayStandAlone(text: string, place: Place): boolean {
  const { language } = place;
  const line = text.trim();
  if (!language.endsWithLine || takesLinesBelow(text, place)) return false;
  if (language.family === 'data') return isEntry(line, place);
  return !wholeOnly.test(line) && !language.valueless.test(line) && !opensBlock(line, language);
}

/** Whether a line of data has its value. Between brackets, it has no key. */
function isEntry(line: string, { language, open }: Place): boolean {
  return open.length > 0 || (language.entry?.test(line) ?? true);
}

/**
 * Whether the lines below, which are deeper, would belong to the last line of the text although that is no head. It is so
 * where blocks are known by their indentation.
 */
function takesLinesBelow(text: string, place: Place): boolean {
  const { language, around } = place;
  if (!language.parent || !/^[\s-]*$/.test(around.linePrefix)) return false;
  const line = lastLine(text, place);
  const dashes = /^\s*((?:- )*)/.exec(line)?.[1]?.length ?? 0;
  const content = depthOf(line) + dashes;
  const below = depthOf(around.linesBelow[0] ?? '');
  // What stands below as deep as an item's text goes on with it, so that both must be keys.
  if (dashes > 0 && below === content) return !/:(?:\s|$)/.test(line);
  return below > content && !language.parent.test(line);
}

/** Whether a text that leaves nothing open says too little, or takes lines from what stands below. */
export function isUnfinished(text: string, place: Place): boolean {
  const isOwnLine = beginsStatement(place) || text.trimEnd().includes('\n');
  if (isOwnLine && (endsWithHead(text, place) || lacksSemicolon(text, place) || isHalfLine(text, place))) return true;
  const isOpen = endsInTag(text, place) || lacksOperand(text, place) || lacksHeredocEnd(text, place);
  return isOpen || takesLinesBelow(text, place) || lacksComma(text, place) || endsBlock(text, place);
}

/** Whether a tag would have no end; its attributes may stand on the lines below, which are deeper. */
function endsInTag(text: string, place: Place): boolean {
  const [below = ''] = place.around.linesBelow;
  const hasAttributes = depthOf(below) > depthOf(lastLine(text, place)) && !/^\s*</.test(below);
  return !hasAttributes && openTag(text, place) !== -1;
}

function isHalfLine(text: string, place: Place): boolean {
  const { family, hasObjects, statementEnd } = place.language;
  const line = lastLine(text, place).trim();
  if (family === 'data') return !isEntry(line, place);
  const isHalf = (statementEnd === '' && halfLine.test(line)) || (hasObjects && halfLabel.test(line));
  return place.within === 'code' && isHalf;
}

/** Whether the text ends with the last statement of a block that goes on below. */
function endsBlock(text: string, place: Place): boolean {
  const [below = ''] = place.around.linesBelow;
  const last = lastLine(text, place);
  const isEnded = /^(?:\W|(?:else|elseif|end|until)\b|$)/.test(below.trim()) || depthOf(below) < depthOf(last);
  return !isEnded && (place.language.lastStatement?.test(last.trim()) ?? false);
}

/** Whether the text ends with a statement of its own line that is the head of a block, and the block is not there. */
function endsWithHead(text: string, place: Place): boolean {
  const { language, around } = place;
  const last = lastLine(text, place);
  const line = last.trim();
  const isPlain = bracketHead.test(line) && (!line.endsWith(')') || endsFirstBracket(line, place));
  // Behind a mark such as an arrow, the body is known by its indentation.
  const isIndented = opensBlock(line, language) && !/[({[]$/.test(line) && language.terminatorOf(line) === null;
  const isBranch = hasPatterns(language) && opensBlock(line, language) && (language.branch?.test(line) ?? false);
  const isKnown = isPlain || functionHead.test(line) || (language.bareHead?.test(line) ?? false);
  const isHead = isIndented || isBranch || (language.family !== 'indentation' && isKnown);
  const below = around.linesBelow[0] ?? '';
  if (bracesOnly.test(line) && language.family === 'brackets' && !isIndented) return !below.trim().startsWith('{');
  if (language.family === 'brackets' && !language.hasBareClasses && classHead.test(line))
    return !restOfClass.test(below.trim());
  return isHead && !isBodyBelow(last, place);
}

/** Whether a line's last bracket closes its first parenthesis; otherwise a statement stands behind the condition. */
function endsFirstBracket(line: string, { language }: Place): boolean {
  return scan(line.slice(0, -1), language).open[0]?.at === line.indexOf('(');
}

/** Whether the deeper lines below can be the body of a head: where indentation counts, all are as deep as the first. */
function isBodyBelow(head: string, place: Place): boolean {
  const depth = depthOf(place.around.linesBelow[0] ?? '');
  if (depth <= depthOf(head) || place.language.family !== 'indentation') return depth > depthOf(head);
  const after = filledBelow(place).find((line) => depthOf(line) < depth) ?? '';
  return depthOf(after) <= depthOf(head);
}
