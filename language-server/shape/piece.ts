// A piece is a beginning of the model's text that may be shown. It is tried in the document, alone and with closers.
import { badness } from '../syntax/faults.ts';
import type { Grammar } from '../syntax/grammars.ts';
import type { SyntaxTree } from '../syntax/syntax-tree.ts';
import { OpenDelimiters } from './delimiters.ts';
import { type Verdict, verdictOn } from './fits.ts';
import { depthOf, filledLines, headsAbove, indentationOf, reindented } from './indentation.ts';
import type { Place } from './place.ts';
import { Trial } from './trial.ts';

const maxTrials = 16;

export interface Piece {
  text: string;
  /** Whether it ends where a line of the model's text ends. */
  isLine: boolean;
  /** What is inserted after the piece. */
  tail: string;
  /** How many characters after the cursor are replaced. */
  replaces: number;
}

/** What was inserted at the cursor to try a piece. */
export interface Tried {
  /** How well it fits. 'repeats-line': its line is above or below already; 'no-time': parsing took too long. */
  verdict: Exclude<Verdict, 'open'> | 'repeats-line' | 'no-time';
  text: string;
  /** How many characters after the cursor it replaces. */
  replaces: number;
}

/** isOpen: whether it may fit with more closers. badness: that of the document with the piece. */
type Measured = Tried & { isOpen: boolean; badness: number };

export function tryPiece(place: Place, base: SyntaxTree, piece: Piece, mayClose = false): Tried {
  // An unclosed comment or long string takes up the rest of the document, so its tree tells nothing.
  if (place.closer.length > 1 && !place.isClosed)
    return { verdict: 'fits', text: bodyOf(piece.text, place), replaces: piece.replaces };
  const tried = tryWith(place, base, piece, '');
  return (tried.isOpen && mayClose && tryClosed(place, base, piece)) || tried;
}

/**
 * Tries the piece with closers for the blocks that it leaves open: first for the outermost one, then for one more each
 * time. null: none of them fit.
 */
function tryClosed(place: Place, base: SyntaxTree, piece: Piece): Tried | null {
  const blocks = closersOf(place, piece.text, base.grammar);
  let trials = 0;
  for (let count = 1; count <= blocks.length; count++) {
    let closers = '';
    for (const choices of blocks.slice(blocks.length - count)) {
      const all = choices.map((choice) => ({ choice, ...tryWith(place, base, piece, closers + choice) }));
      const fit = all.find(({ verdict }) => verdict !== 'unfit');
      trials += all.length;
      if (fit || trials > maxTrials) return fit ?? null;
      closers += all.sort((a, b) => a.badness - b.badness)[0]?.choice ?? '';
    }
  }
  return null;
}

/**
 * For each line of the text with deeper lines below it, the closers that its block might need: each is a line break
 * with a line. The innermost block comes first.
 */
function closersOf({ around, lineBreak }: Place, text: string, grammar: Grammar): string[][] {
  const written = lineBreak === '' ? around.linePrefix + text : lineBreak.slice(1) + text.trimStart();
  const [last = '', ...above] = filledLines(written)
    .reverse()
    .map((line) => line.text);
  const [, element] = /<([\w.:-]+)(?:\s[^<>]*)?>[^<>\n]+$/.exec(last) ?? [];
  const closers = headsAbove(above, depthOf(last)).map(({ head }) =>
    closersOfHead(head.trimEnd(), grammar).map((closer) => `\n${indentationOf(head)}${closer}`),
  );
  return element && grammar.elements ? [[`</${element}>`], ...closers] : closers;
}

function closersOfHead(head: string, { closers }: Grammar): readonly string[] {
  const [, name] = /<([\w.:-]+)(?:\s[^<>]*)?>$/.exec(head) ?? [];
  if (name !== undefined) return [`</${name}>`];
  return /[{([]$/.test(head) ? [OpenDelimiters.in(head).brackets] : closers;
}

/** The piece as it is inserted: with the place's line break in front, and indented in the document's unit. */
export function bodyOf(text: string, { lineBreak, unit }: Place): string {
  return lineBreak + reindented(lineBreak === '' ? text : text.replace(/^\s*\n\s*/, ''), unit);
}

/**
 * Tries the piece with these closers, and with each text that may follow in a mended document, until the verdict is not
 * 'unfit'.
 */
function tryWith(place: Place, base: SyntaxTree, piece: Piece, closers: string): Measured {
  const { isLine, tail, replaces } = piece;
  const body = bodyOf(piece.text, place);
  const text = body + closers + tail;
  const { mend, offset: start } = place.code;
  const end = start + Math.max(replaces, mend?.rest.length ?? 0);
  let tried: Measured = { verdict: 'unfit', isOpen: true, text, replaces, badness: Number.POSITIVE_INFINITY };
  for (const rest of mend?.restsAfter(text, replaces) ?? ['']) {
    const tree = base.withText(start, end, text + rest);
    if (!tree) return { ...tried, verdict: 'no-time', isOpen: false };
    try {
      const trial = new Trial(place, base, tree, text, body.length, end, isLine);
      const verdict = verdictOn(trial);
      const isOpen = verdict === 'open';
      tried = { ...tried, verdict: isOpen ? 'unfit' : verdict, isOpen, badness: badness(tree) };
    } finally {
      tree.delete();
    }
    if (tried.verdict !== 'unfit') break;
  }
  return tried;
}
