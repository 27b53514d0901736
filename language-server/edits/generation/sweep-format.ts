// The formats of Sweep's next-edit models. The prompt has the last edits, the window before the last edit, and the
// current window. The model answers with the new text of the window:
//
//   <|file_sep|>PATH.diff⏎original:⏎…⏎updated:⏎…⏎             for each edit, the oldest first
//   <|file_sep|>original/PATH⏎WINDOW BEFORE THE LAST EDIT⏎
//   <|file_sep|>current/PATH⏎WINDOW⏎
//   <|file_sep|>updated/PATH⏎                                 and the answer ends with <|file_sep|> or the end of text
//
// Version 2 begins with <|file_sep|>PATH⏎ and up to 301 lines of the file, has :FIRST:LAST (the numbers of lines) after
// the paths of the windows, and <|cursor|> in the current window.
import { concatTokens, tokenizeText } from '../../prompt/fim-prompt.ts';
import type { EditFormat } from './edit-question.ts';
import { beforeLastEdit, lineNumbers, windowAround } from './edit-window.ts';
import { diffOf } from './past-edits.ts';

const linesAround = 10;
const linesOfFile = 150;
const maxEdits = { 1: 3, 2: 6 };
const maxLinesOfEdit = 40;
const marks = /<\|file_sep\|>|<\|cursor\|>|<\/s>/;

export function sweepFormat(version: 1 | 2): EditFormat {
  return {
    ask(engine, document) {
      const { text, cursor, path } = document;
      const window = windowAround(document, linesAround, linesAround);
      const { fileSep, endOfText } = engine.info.special;
      const history = document.history.slice(-maxEdits[version]);
      const past = beforeLastEdit(window, document);
      const file = version === 2 ? windowAround(document, linesOfFile, linesOfFile).text : '';
      const all = [window.text, past, file, ...history.flatMap(({ before, after }) => [before, after])];
      if (fileSep < 0 || cursor < 0 || all.some((part) => marks.test(part))) return undefined;

      const place = version === 2 ? `${path}:${lineNumbers(window, text).join(':')}` : path;
      const at = cursor - window.start;
      const current = version === 2 ? `${window.text.slice(0, at)}<|cursor|>${window.text.slice(at)}` : window.text;
      const parts = [
        ...(file === '' ? [] : [`${path}\n${file}`]),
        ...history.map((edit) => diffOf(edit, maxLinesOfEdit)),
        `original/${place}\n${past}`,
        `current/${place}\n${current}`,
        `updated/${place}\n`,
      ];
      const { bosToken } = engine.info;
      return {
        window,
        prompt: concatTokens(
          ...(bosToken < 0 ? [] : [bosToken]),
          ...parts.flatMap((part) => [fileSep, tokenizeText(engine, part)]),
        ),
        unchanged: concatTokens(tokenizeText(engine, window.text), fileSep),
        stopTokens: Uint32Array.of(fileSep, ...(endOfText < 0 ? [] : [endOfText])),
        names: new Map(),
        parse: (answer) => (answer.endsWith('\n') ? answer : `${answer}\n`),
      };
    },
  };
}
