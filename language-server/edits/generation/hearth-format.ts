// The format of Hearth's own adapters (models/training/next-edit). The model gets the last edits and the code around
// some lines, and writes these lines as they will be:
//
//   <|file_sep|>PATH.diff⏎original:⏎…⏎updated:⏎…⏎             for each edit, the oldest first
//   <|file_sep|>PATH⏎THE LINES AND THOSE AROUND THEM⏎
//   <|file_sep|>PATH.diff⏎original:⏎THE LINES⏎updated:⏎       and the answer ends with <|file_sep|> or the end of text
import type { Engine } from '../../../native/index.ts';
import { concatTokens, tokenizeText } from '../../prompt/fim-prompt.ts';
import { type Line, lineAt, linesOf } from '../text/lines.ts';
import { applyEdit, commonEnds, type EditedDocument, type LineRange, type TextEdit } from '../text/text-edit.ts';
import type { EditQuestion } from './edit-question.ts';
import { diffOf } from './past-edits.ts';

const maxEdits = 6;
/** The maximum number of lines of each text in a past edit. */
const longest = 24;
const linesAround = 20;
/** A window has this many lines, and half as much code around it. */
const windowLines = 21;
/** If the document has the same lines elsewhere, too, up to this many lines above them are asked about as well. */
const maxLinesAbove = 3;
/** An adapter has seen questions of at most 2,048 tokens, which have at most about this many characters. */
const maxChars = 12_000;
const marks = /<\|file_sep\|>|<\|cursor\|>|<\/s>/;

/** Undefined if the text contains marks of the prompt's format, or is too long. */
export function askAboutLines(
  engine: Engine,
  { text, path, history }: EditedDocument,
  { first, end }: LineRange,
  around = linesAround,
): EditQuestion | undefined {
  const { fileSep, endOfText } = engine.info.special;
  const lines = text.split('\n');
  const old = lines.slice(first, end).join('\n');
  const near = lines.slice(Math.max(0, first - around), end + around).join('\n');
  const edits = history.slice(-maxEdits);
  const all = [near, ...edits.flatMap(({ before, after }) => [before, after])];
  const chars = all.reduce((sum, each) => sum + each.length, old.length);
  if (fileSep < 0 || chars > maxChars || all.some((each) => marks.test(each))) return undefined;
  const parts = [
    ...edits.map((edit) => diffOf(edit, longest)),
    `${path}\n${near}\n`,
    `${path}.diff\noriginal:\n${old}\nupdated:\n`,
  ];
  const { bosToken } = engine.info;
  const start = lines.slice(0, first).reduce((sum, line) => sum + line.length + 1, 0);
  return {
    window: { start, end: Math.min(text.length, start + old.length + 1), text: `${old}\n` },
    prompt: concatTokens(
      ...(bosToken < 0 ? [] : [bosToken]),
      ...parts.flatMap((part) => [fileSep, tokenizeText(engine, part)]),
    ),
    unchanged: concatTokens(tokenizeText(engine, `${old}\n`), fileSep),
    stopTokens: Uint32Array.of(fileSep, ...(endOfText < 0 ? [] : [endOfText])),
    names: new Map(),
    parse: (answer) => (answer.endsWith('\n') ? answer : `${answer}\n`),
  };
}

/** Like askAboutLines(), for the window around the cursor. Undefined also if the cursor is in another document. */
export function askAroundCursor(engine: Engine, document: EditedDocument): EditQuestion | undefined {
  if (document.cursor < 0) return undefined;
  const lines = linesOf(document.text);
  const middle = lineAt(lines, document.cursor) - (windowLines - 1) / 2;
  const first = Math.max(0, Math.min(middle, lines.length - windowLines));
  const window = { first, end: Math.min(lines.length, first + windowLines) };
  return askAboutLines(engine, document, window, linesAround / 2);
}

/**
 * The lines that an edit changes. If it only adds or removes lines, the line above is included. If the document has the
 * same lines elsewhere, too, up to three lines above are included.
 */
export function linesChangedBy(edit: TextEdit, text: string): LineRange {
  const [old, now] = [text.split('\n'), applyEdit(text, edit).split('\n')];
  const { head, tail } = commonEnds(old, now);
  let [first, end] = [head, old.length - tail];
  if (first === end || head === now.length - tail) {
    if (first > 0) first--;
    else end++;
  }
  const lines = linesOf(text);
  while (first > Math.max(0, head - maxLinesAbove) && isElsewhere(lines, { first, end })) first--;
  return { first, end };
}

function isElsewhere(lines: readonly Line[], { first, end }: LineRange): boolean {
  const isAt = (at: number) => lines.slice(first, end).every(({ text }, i) => lines[at + i]?.text === text);
  return lines.some((_, at) => at !== first && isAt(at));
}
