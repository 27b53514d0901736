// Cuts text that should not be there at all: behind a finished statement, where code never runs, made-up addresses and
// special tokens. shape.ts says in which order the rules apply.
import type { GeneratedText } from './generated-text.ts';
import { depthOf } from './indentation.ts';
import type { Place } from './place.ts';
import { endOf, endsIn, scannedChars } from './spanning.ts';

// How likely a line break must be where the cursor's line may already be finished.
const sureNewLine = 0.5;
const firstWord = /^\s*\w*$/;
const leaving = /^(?:return|break|continue|throw|raise)\b/;
const branch = /^\s*(?:\}\s*)?(?:else|elsif|elif|elseif)\b/;
const lastBranch = /^\s*(?:\}\s*)?else\b(?!\s+(?:if|do)\b)/;
const leavingEnds = /[;)\]}\w"'`]$/;

/** 0 if the line is finished but the text continues it, or if the model is not sure that another line follows. */
export function afterStatement(text: string, place: Place, generated: GeneratedText): number {
  const { linePrefix, lineSuffix } = place.around;
  if (linePrefix.trim() === '' || lineSuffix.trim() !== '' || place.within !== 'code') return text.length;
  const newLine = /^[ \t]*\n/.exec(text);
  if (newLine) return generated.probabilityTo(newLine[0].length) < sureNewLine ? 0 : text.length;
  const line = linePrefix.trimEnd();
  const isInParentheses = place.open.at(-1)?.token === '(';
  if (line.endsWith(';') && !isInParentheses) return 0;
  const goesOn = /^\s*(?:else|catch|finally|while|from|as|[;,)\].])/;
  const isBlock = /^\s*\}$|[;{]\s*\}$/.test(line) && place.language.family === 'brackets';
  const isOver = isBlock && !goesOn.test(text) && !(generated.mayGrow(text) && firstWord.test(text));
  return isOver ? 0 : text.length;
}

/** 0 where code would never run: at the depth of a `return` above, or as the last branch above another one. */
export function unreachable(text: string, { around, within, open }: Place, generated: GeneratedText): number {
  if (generated.mayGrow(text) && firstWord.test(text)) return text.length;
  const below = around.linesBelow.find((line) => depthOf(line) <= depthOf(around.linePrefix)) ?? '';
  if (lastBranch.test(around.linePrefix + text) && branch.test(below)) return 0;
  const [above = ''] = around.linesAbove;
  const isBelow = around.linePrefix.trim() === '' && depthOf(above) === depthOf(around.linePrefix);
  if (!isBelow || within !== 'code' || open.at(-1)?.token === '(') return text.length;
  const leaves = leaving.test(above.trim()) && leavingEnds.test(above);
  return leaves && !/^\s*(?:case\b|default\b|\}|\)|end\b|#|\/\/)/.test(text) ? 0 : text.length;
}

/**
 * Where the text leaves the comment or docstring around the cursor: behind what ends it, or before that if an end stands
 * below already. Code does not come out of a comment.
 */
export function commentEnd(text: string, { within, language, around, open, document }: Place): number {
  const token = open.at(-1)?.token ?? '';
  const ending = endOf(token, language);
  if (within !== 'comment' || ending === null || around.lineSuffix.trim() !== '') return text.length;
  const at = text.indexOf(ending);
  if (at === -1) return text.length;
  const below = document.text.slice(document.offset, document.offset + scannedChars);
  return endsIn(below, token, language) ? at : at + ending.length;
}

const address = /\b(?:https?:\/\/|www\.)\S*|(?<![\w.+-])[\w.+-]+@\w[\w-]*\.\w+/g;

/** Where the first address begins that does not occur in the document. */
export function inventedLink(text: string, { within, document }: Place): number {
  if (within !== 'comment') return text.length;
  const found = [...text.matchAll(address)];
  const known = found.length === 0 ? '' : document.text.toString();
  return found.find(([each]) => !known.includes(each))?.index ?? text.length;
}

// Generation ends at special tokens. This finds one that the model spells out in ordinary tokens.
export function specialToken(text: string): number {
  const at = text.search(/<\|(?:fim_\w+|endoftext|im_start|im_end|repo_name|file_sep|cursor)\|>/);
  return at === -1 ? text.length : at;
}
