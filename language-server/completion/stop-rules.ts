// Where a completion ends, when the model itself goes on. The rules look at whole lines only, so they give the same
// answer for streamed text as for the finished one: what they would cut need not be generated.
import type { Settings } from '../protocol.ts';
import { closers, closingIndex } from './closing-bracket.ts';
import type { Surroundings } from './text-window.ts';

const maxLines = 12;

export function allowsSeveralLines(
  around: Surroundings,
  languageId: string,
  setting: Settings['completion.multiline'],
): boolean {
  if (setting === 'never' || around.lineSuffix.trim() !== '') return false;
  return setting === 'always' || around.linePrefix.trim() === '' || opensBlock(around.linePrefix, languageId);
}

/** Index in the text at which the completion ends; the text's length if no rule has ended it. */
export function completionEnd(text: string, around: Surroundings, languageId: string, severalLines: boolean): number {
  const end = severalLines ? severalLinesEnd(text, around, languageId) : oneLineEnd(text, around);
  return Math.min(end, specialTokenStart(text), repetitionStart(text));
}

function opensBlock(linePrefix: string, languageId: string): boolean {
  const code = linePrefix.trimEnd();
  return /[{[(]$/.test(code) || (languageId === 'python' && code.endsWith(':'));
}

// At a line's end the model may begin with a line break and write the next line; right of the cursor nothing may stand.
function oneLineEnd(text: string, around: Surroundings): number {
  const begin = around.lineSuffix === '' ? text.search(/\S/) : 0;
  const newline = begin === -1 ? -1 : text.indexOf('\n', begin);
  const closer = around.lineSuffix.trim().charAt(0);
  const closed = closer !== '' && closers.includes(closer) ? closingIndex(text, closer) : -1;
  return Math.min(newline === -1 ? text.length : newline, closed === -1 ? text.length : closed);
}

function severalLinesEnd(text: string, around: Surroundings, languageId: string): number {
  const base = indentation(around.linePrefix);
  const isInBlock = opensBlock(around.linePrefix, languageId);
  const lines = text.split('\n');
  let at = 0;
  for (const [i, line] of lines.entries()) {
    const end = Math.max(0, at - 1);
    if (i === maxLines) return end;
    const isComplete = i < lines.length - 1;
    if (i > 0 && line.trim() !== '') {
      const depth = indentation(line);
      // A closing bracket belongs to the block that the cursor's line opened, and ends it.
      if (isInBlock && depth === base && /^\s*[)\]}]/.test(line)) return isComplete ? at + line.length : text.length;
      if (depth < base || (isInBlock && depth === base)) return end;
    }
    const isBlank = line.trim() === '';
    if (isComplete && isBlank && text.slice(0, at).trim() !== '') return end;
    at += line.length + 1;
  }
  return text.length;
}

function indentation(line: string): number {
  return line.length - line.trimStart().length;
}

// The engine ends at special tokens; this is for a model that spells one out in ordinary ones.
function specialTokenStart(text: string): number {
  const at = text.search(/<\|(?:fim_\w+|endoftext|im_start|im_end|repo_name|file_sep|cursor)\|>/);
  return at === -1 ? text.length : at;
}

/** End of the first copy of what repeats: a line three times over, or words within a line four times over. */
function repetitionStart(text: string): number {
  const line = /(?:^|\n)([^\n]*\S[^\n]*)(?:\n\1){2}(?=\n|$)/.exec(text);
  const lineEnd = line ? line.index + line[0].length - 2 * ((line[1] ?? '').length + 1) : text.length;
  const words = /([^\n]{4,40}?)\1{3}/.exec(text);
  const isProse = words !== null && /\p{L}/u.test(words[1] ?? '');
  return Math.min(lineEnd, isProse ? words.index + (words[1] ?? '').length : text.length);
}
