// A piece is a beginning of the model's text that may be shown. It is tried in the document, alone and with closers.
import { badness } from '../syntax/faults.ts';
import type { SyntaxTree } from '../syntax/syntax-tree.ts';
import { closersOf } from './closers.ts';
import { misfitOf } from './fits.ts';
import { reindented } from './indentation.ts';
import type { Place } from './place.ts';
import { Trial } from './trial.ts';

const maxTrials = 16;

export interface Wanted {
  piece: string;
  /** What is inserted after the piece. */
  tail: string;
  /** How many characters after the cursor are replaced. */
  replaces: number;
  /**
   * Whether the whole generated text passes the gate for the beginning of a line, so that the gate cuts nothing off.
   */
  isAllLikely: boolean;
  /** Whether closers may be added for the blocks that the piece leaves open. */
  mayClose?: boolean;
  isLine: boolean;
}

/**
 * The text to show for a piece. exceeds: it is more than the place allows, but makes a broken document sound. 'many': it
 * is more than the place allows; 'no-time': parsing took too long; 'unfit': it does not fit.
 */
export type Outcome = { shown: string; exceeds: boolean } | 'many' | 'no-time' | 'unfit';

/** Whether the piece fits, with a tail that is not shown. */
export function fitsWith(place: Place, base: SyntaxTree, piece: string, tail: string, isLine: boolean): boolean {
  const outcome = tryPiece(place, base, { piece, tail, replaces: 0, isAllLikely: true, isLine });
  return typeof outcome !== 'string' && !outcome.exceeds;
}

export function tryPiece(place: Place, base: SyntaxTree, wanted: Wanted): Outcome {
  const body = bodyOf(wanted.piece, place);
  // An unclosed comment or long string takes up the rest of the document, so its tree tells nothing.
  const { textAround } = place;
  if (textAround.closer.length > 1 && !textAround.isClosed) return { shown: body, exceeds: false };
  const first = tryWith(place, base, wanted, body, '');
  const element = /<([\w.:-]+)(?:\s[^<>]*)?>[^<>\n]+$/.exec(body)?.[1];
  if (first.outcome === 'unfit' && wanted.isAllLikely && base.grammar.elements && element)
    return tryWith(place, base, wanted, body, `</${element}>`).outcome;
  if (first.outcome !== 'unfit' || !wanted.mayClose || !first.isOpen) return first.outcome;
  return tryClosed(place, base, wanted, body);
}

/**
 * Tries the piece with closers for the blocks that it leaves open: first for the outermost one, then for one more each
 * time.
 */
function tryClosed(place: Place, base: SyntaxTree, wanted: Wanted, body: string): Outcome {
  const blocks = closersOf(place, wanted.piece, base.grammar);
  let trials = 0;
  for (let count = 1; count <= blocks.length; count++) {
    let closers = '';
    for (const choices of blocks.slice(blocks.length - count)) {
      const all = choices.map((choice) => ({ choice, ...tryWith(place, base, wanted, body, closers + choice) }));
      const fit = all.find(({ outcome }) => outcome !== 'unfit');
      trials += all.length;
      if (fit || trials > maxTrials) return fit?.outcome ?? 'unfit';
      closers += all.reduce((a, b) => (b.badness < a.badness ? b : a), {
        choice: '',
        badness: Number.POSITIVE_INFINITY,
      }).choice;
    }
  }
  return 'unfit';
}

/** The piece as it is inserted: with the place's line break in front, and indented in the document's unit. */
export function bodyOf(piece: string, { lineBreak, unit }: Place): string {
  return lineBreak + reindented(lineBreak === '' ? piece : piece.replace(/^\s*\n\s*/, ''), unit);
}

interface Tried {
  outcome: Outcome;
  isWorse: boolean;
  /** Whether it might fit with more closers. */
  isOpen: boolean;
  badness: number;
}

const unfit: Tried = { outcome: 'unfit', isWorse: true, isOpen: true, badness: Number.POSITIVE_INFINITY };
const noTime: Tried = { outcome: 'no-time', isWorse: false, isOpen: false, badness: 0 };

/** Tries the piece with these closers, and with each text that may follow in a mended document, until one adds no fault. */
function tryWith(place: Place, base: SyntaxTree, wanted: Wanted, body: string, closers: string): Tried {
  const { replaces, isLine } = wanted;
  const shown = body + closers + wanted.tail;
  const start = place.source.offset - place.code.start;
  const isOwnLine = place.around.linePrefix.trim() === '';
  const isLineEnd = place.around.lineSuffix.trim() === '';
  const { mend } = place.code;
  const oldEnd = start + Math.max(replaces, mend?.rest.length ?? 0);
  let last = unfit;
  for (const now of mend?.restsAfter(shown, replaces) ?? ['']) {
    const tree = base.withText(start, oldEnd, shown + now);
    if (!tree) return noTime;
    try {
      const trial = new Trial(base, tree, start, shown, body.length, oldEnd);
      const isWorse = trial.isWorse(isLine || !isOwnLine, isLineEnd);
      const misfit = isWorse ? null : misfitOf(trial, place, isLine);
      const exceeds = misfit === 'many';
      const fits = !isWorse && (misfit === null || (exceeds && trial.isBetter && !tree.root.hasError));
      const outcome = fits ? { shown, exceeds } : exceeds ? 'many' : 'unfit';
      last = { outcome, isWorse, isOpen: isWorse || misfit === 'half', badness: badness(tree) };
    } finally {
      tree.delete();
    }
    if (!last.isWorse) break;
  }
  return last;
}
