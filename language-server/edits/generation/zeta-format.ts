// The format of Zeta 2.1. The window is divided into blocks, with a marker before each block and one after the last
// block. The model answers with two of the markers, and between them the lines that replace the blocks between them:
//
//   <[fim-suffix]>⏎TEXT BELOW<[fim-prefix]><filename>edit_history⏎UNIFIED DIFFS⏎
//   <filename>PATH⏎TEXT ABOVE<<<<<<< CURRENT⏎<|marker_1|>⏎BLOCK<|marker_2|>⏎BLOCK<|marker_3|>⏎=======⏎<[fim-middle]>
//   -> <|marker_1|>⏎NEW LINES⏎<|marker_2|>
//
// An answer with the same marker twice changes nothing.
import type { Engine } from '../../../native/index.ts';
import { concatTokens, tokenizeText } from '../../prompt/fim-prompt.ts';
import type { EditedDocument, PastEdit } from '../text/text-edit.ts';
import type { EditFormat } from './edit-question.ts';
import { windowAround } from './edit-window.ts';

const linesAround = 20;
const charsAround = 2000;
const maxEdits = 6;
const shortestBlock = 6;
const longestBlock = 16;
const marks = /<\|marker_\d+\|>|<\|user_cursor\|>|<\[fim-|<filename>|^(<<<<<<< CURRENT|=======|>>>>>>> UPDATED)$/m;
const answered = /^\s*<\|marker_(\d+)\|>\n?([\s\S]*?)\n?<\|marker_(\d+)\|>\s*$/;

export const zetaFormat: EditFormat = {
  ask(engine, document) {
    const { text, cursor, path } = document;
    const window = windowAround(document, linesAround, linesAround);
    const above = text.slice(Math.max(0, window.start - charsAround), window.start);
    const below = text.slice(window.end, window.end + charsAround);
    const history = document.history.slice(-maxEdits);
    const all = [above, window.text, below, ...history.flatMap(({ before, after }) => [before, after])];
    if (cursor < 0 || all.some((part) => marks.test(part))) return undefined;

    const blocks = blocksOf(window.text);
    const markers = [...blocks, ''].map((_, i) => `<|marker_${i + 1}|>`);
    const special = (name: string) => engine.tokenize(name, true);
    const plain = (part: string) => tokenizeText(engine, part);
    const at = cursor - window.start;
    const starts = blocks.map((_, i) => blocks.slice(0, i).join('').length);
    const region = blocks.flatMap((block, i) => {
      const offset = at - (starts[i] ?? 0);
      const isHere = offset >= 0 && offset < block.length;
      const lines = isHere
        ? [plain(block.slice(0, offset)), special('<|user_cursor|>'), plain(block.slice(offset))]
        : [plain(block)];
      return [special(markers[i] ?? ''), plain('\n'), ...lines];
    });
    const { bosToken } = engine.info;
    const prompt = concatTokens(
      ...(bosToken < 0 ? [] : [bosToken]),
      ...[special('<[fim-suffix]>'), plain(`\n${below}`), special('<[fim-prefix]>')],
      ...[special('<filename>'), plain(`edit_history\n${history.map((edit) => diffOf(edit, document)).join('')}\n`)],
      ...[special('<filename>'), plain(`${path}\n${above}<<<<<<< CURRENT\n`)],
      ...[...region, special(markers.at(-1) ?? ''), plain('\n=======\n'), special('<[fim-middle]>')],
    );
    const { endOfText } = engine.info.special;
    return {
      ...{ window, prompt, unchanged: new Uint32Array() },
      stopTokens: Uint32Array.of(...(endOfText < 0 ? [] : [endOfText])),
      names: namesOf(engine, markers),
      parse: (answer) => replaced(blocks, answer),
    };
  },
};

function namesOf(engine: Engine, markers: string[]): Map<number, string> {
  return new Map(
    markers.flatMap((marker): [number, string][] => {
      const [token, ...more] = engine.tokenize(marker, true);
      return token !== undefined && more.length === 0 ? [[token, marker]] : [];
    }),
  );
}

/** Divides the text into blocks of 6 to 16 lines. If possible, a block ends with an empty line. */
function blocksOf(text: string): string[] {
  const lines = text.match(/[^\n]*\n/g) ?? [];
  const blocks: string[] = [];
  for (let from = 0; from < lines.length; ) {
    const blank = lines.findIndex((line, i) => i + 1 - from >= shortestBlock && line.trim() === '');
    const isNear = blank !== -1 && blank + 1 - from <= longestBlock && lines.length - blank - 1 >= shortestBlock;
    const rest = lines.length - from;
    const to = isNear ? blank + 1 : rest <= longestBlock ? lines.length : from + longestBlock - shortestBlock;
    blocks.push(lines.slice(from, to).join(''));
    from = to;
  }
  return blocks;
}

/**
 * The new text of the window; undefined if the answer does not have the format. Markers between the first and the last
 * one say where the old blocks began, and are dropped.
 */
function replaced(blocks: string[], answer: string): string | undefined {
  const [, from, lines = '', to] = answered.exec(answer) ?? [];
  const [first, last] = [Number(from) - 1, Number(to) - 1];
  if (!(first >= 0 && first <= last && last <= blocks.length)) return undefined;
  const now = lines.replace(/<\|marker_\d+\|>\n?/g, '');
  const written = first === last ? '' : now === '' || now.endsWith('\n') ? now : `${now}\n`;
  return [...blocks.slice(0, first), written, ...blocks.slice(last)].join('');
}

function diffOf({ path, before, after }: PastEdit, document: EditedDocument): string {
  const at = path === document.path && after !== '' ? document.text.indexOf(after) : -1;
  const line = at === -1 ? 1 : document.text.slice(0, at).split('\n').length;
  const [old, now] = [before, after].map((text) => (text === '' ? [] : text.split('\n')));
  const header = `@@ -${line},${old?.length ?? 0} +${line},${now?.length ?? 0} @@\n`;
  const changed = [...(old ?? []).map((row) => `-${row}\n`), ...(now ?? []).map((row) => `+${row}\n`)].join('');
  return `--- a/${path}\n+++ b/${path}\n${header}${changed}`;
}
