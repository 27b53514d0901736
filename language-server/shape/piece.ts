// A piece of the model's text as it is shown: with what closes it.
import { badness } from '../syntax/faults.ts';
import type { SyntaxTree } from '../syntax/syntax-tree.ts';
import { type Closers, closersOf } from './closers.ts';
import { misfitOf } from './fits.ts';
import { reindented } from './indentation.ts';
import type { Place } from './place.ts';
import { type Rest, Trial } from './trial.ts';

const maxTrials = 16;

export interface Wanted {
  piece: string;
  /** What is inserted behind the piece, and how many characters after the cursor are replaced. */
  tail: string;
  replaces: number;
  /** Whether the text is likely to its end, so that nothing is missing that the gate has cut off. */
  isWhole: boolean;
  /** Whether the blocks may be closed that the piece leaves open. */
  mayClose: boolean;
  isLine: boolean;
  isInWord: boolean;
  /** Whether a text that makes the document sound may be more than the place allows. */
  mayMend: boolean;
}

export type Outcome = { shown: string } | 'many' | 'no-time' | null;

/** The piece as it is shown; null if it does not fit, 'many' if it is more than the place allows, 'no-time' if that cannot be told. */
export function fitted(place: Place, base: SyntaxTree, wanted: Wanted): Outcome {
  const body = bodyOf(wanted.piece, place);
  // Where the end of a comment is missing, all of the document is one.
  const { within, textAround } = place;
  if (within !== 'code' && textAround.closer.length > 1 && !textAround.isClosed) return { shown: body };
  const first = tried(place, base, wanted, body, '');
  const element = /<([\w.:-]+)(?:\s[^<>]*)?>[^<>\n]+$/.exec(body)?.[1];
  if (first.outcome === null && wanted.isWhole && base.grammar.elements && element)
    return tried(place, base, wanted, body, `</${element}>`).outcome;
  if (first.outcome !== null || !wanted.mayClose || !first.isOpen) return first.outcome;
  const blocks = closersOf(place, wanted.piece, base.grammar);
  const plain = blocks.filter(({ isBranch }) => !isBranch);
  const outcome = closed(place, base, wanted, body, plain);
  return outcome === null && plain.length < blocks.length ? closed(place, base, wanted, body, blocks) : outcome;
}

/** The piece with what closes the outermost blocks that it leaves open, as many as needed. */
function closed(place: Place, base: SyntaxTree, wanted: Wanted, body: string, blocks: readonly Closers[]): Outcome {
  let trials = 0;
  for (let count = 1; count <= blocks.length; count++) {
    let closers = '';
    for (const { choices } of blocks.slice(blocks.length - count)) {
      const all = choices.map((choice) => ({ choice, ...tried(place, base, wanted, body, closers + choice) }));
      const fit = all.find(({ outcome }) => outcome !== null);
      trials += all.length;
      if (fit || trials > maxTrials) return fit?.outcome ?? null;
      closers += all.reduce((a, b) => (b.badness < a.badness ? b : a), {
        choice: '',
        badness: Number.POSITIVE_INFINITY,
      }).choice;
    }
  }
  return null;
}

/** The piece as a text of the document: behind a line break where one is inserted, and in the document's indentation. */
export function bodyOf(piece: string, { lineBreak, unit }: Place): string {
  return lineBreak + reindented(lineBreak === '' ? piece : piece.replace(/^\s*\n\s*/, ''), unit);
}

interface Tried {
  outcome: Outcome;
  isWorse: boolean;
  /** Whether it may fit once what it leaves open is closed. */
  isOpen: boolean;
  badness: number;
}

/** What may stand behind a text where the document was mended, before and after; nothing if the text leaves a sign open. */
function restsBehind({ mended, within }: Place, shown: string, replaces: number): Rest[] {
  if (!mended) return [{ old: '', now: '' }];
  const { mend } = mended;
  const old = mend.rest.slice(replaces);
  const rests = within === 'comment' ? [old] : mend.restsBehind(shown, replaces);
  return rests.map((now) => ({ old, now }));
}

const worse: Tried = { outcome: null, isWorse: true, isOpen: true, badness: Number.POSITIVE_INFINITY };

function tried(place: Place, base: SyntaxTree, wanted: Wanted, body: string, closers: string): Tried {
  const shown = body + closers + wanted.tail;
  let last = worse;
  for (const rest of restsBehind(place, shown, wanted.replaces)) {
    last = triedBefore(rest, place, base, wanted, body, shown);
    if (!last.isWorse) break;
  }
  return last;
}

function triedBefore(rest: Rest, place: Place, base: SyntaxTree, wanted: Wanted, body: string, shown: string): Tried {
  const start = place.source.offset - place.code.start;
  const trial = Trial.of(base, start, shown, body.length, wanted.replaces, rest);
  if (!trial) return { outcome: 'no-time', isWorse: false, isOpen: false, badness: 0 };
  try {
    const isOwnLine = place.around.linePrefix.trim() === '';
    const isWorse = trial.isWorse(wanted.isLine || !isOwnLine, place.around.lineSuffix.trim() === '');
    const misfit = isWorse ? null : misfitOf(trial, place, wanted.isLine, wanted.isInWord);
    const isTooMuch = misfit === 'many' && !(wanted.mayMend && trial.mendsAll);
    const fits = !isWorse && (misfit === null || misfit === 'many');
    const outcome = isTooMuch ? 'many' : fits ? { shown } : null;
    return { outcome, isWorse, isOpen: isWorse || misfit === 'half', badness: badness(trial.tree) };
  } finally {
    trial.delete();
  }
}
