// The format of Hearth's own adapters (models/training/next-edit). The prompt has the last edits, the code around some
// lines, and these lines. The model answers with the new text of the lines:
//
//   <|file_sep|>PATH.diff⏎original:⏎…⏎updated:⏎…⏎             for each edit, the oldest first
//   <|file_sep|>PATH⏎THE LINES WITH THE CODE AROUND THEM⏎
//   <|file_sep|>PATH.diff⏎original:⏎THE LINES⏎updated:⏎       and the answer ends with <|file_sep|> or the end of text
import type { Engine } from '../../../native/index.ts';
import { concatTokens, tokenizeText } from '../../prompt/fim-prompt.ts';
import { type Line, lineAt, linesOf } from '../text/lines.ts';
import { applyEdit, commonEnds, type EditedDocument, type LineRange, type TextEdit } from '../text/text-edit.ts';
import type { EditQuestion } from './edit-question.ts';
import { diffOf } from './past-edits.ts';

const maxEdits = 6;
const maxLinesOfEdit = 24;
const linesAround = 20;
/** The number of lines in a window. The code around a window is linesAround / 2 lines on each side. */
const windowLines = 21;
/** If the document has the same lines elsewhere, the question includes up to this many lines above them. */
const maxLinesAbove = 3;
/** Adapters are trained with questions of at most 2,048 tokens: about this many characters. */
const maxChars = 12_000;
const marks = /<\|file_sep\|>|<\|cursor\|>|<\/s>/;

/** Returns undefined if the text is too long or contains marks of the prompt's format. */
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
  const texts = [near, ...edits.flatMap(({ before, after }) => [before, after])];
  const chars = texts.reduce((sum, text) => sum + text.length, old.length);
  if (fileSep < 0 || chars > maxChars || texts.some((text) => marks.test(text))) return undefined;
  const parts = [
    ...edits.map((edit) => diffOf(edit, maxLinesOfEdit)),
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

/** Asks about the window around the cursor. Returns undefined also if the cursor is in another document. */
export function askAroundCursor(engine: Engine, document: EditedDocument): EditQuestion | undefined {
  if (document.cursor < 0) return undefined;
  const lines = linesOf(document.text);
  const middle = lineAt(lines, document.cursor) - (windowLines - 1) / 2;
  const first = Math.max(0, Math.min(middle, lines.length - windowLines));
  const window = { first, end: Math.min(lines.length, first + windowLines) };
  return askAboutLines(engine, document, window, linesAround / 2);
}

/**
 * The lines that an edit changes. If the edit only adds or removes lines, the line above is included. If the document
 * has the same lines elsewhere, up to three lines above are included, so that the question says which are meant.
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
