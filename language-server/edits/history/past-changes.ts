// Divides past edits into changes: which line became which, and which lines were only added or removed.
import { similarity } from '../text/lines.ts';
import { commonEnds, type PastEdit } from '../text/text-edit.ts';

/**
 * Lines that were replaced, added or removed together. A line and its replacement, if they are similar, are one change.
 */
export interface PastChange {
  path: string;
  before: string[];
  after: string[];
  /** How many edits were made since. */
  age: number;
}

// Longer edits are not divided: their text was rewritten, so which line became which says nothing.
const maxLines = 40;
/** The similarity from which on one line counts as the replacement of the other. */
const alike = 0.6;

/** The changes of all edits, those of the newest edit first. */
export function pastChanges(history: readonly PastEdit[]): PastChange[] {
  const changes = history.toReversed().flatMap(({ path, before, after }, age) => {
    const [old, now] = [before, after].map((text) => (text === '' ? [] : text.split('\n')));
    if (!old || !now) return [];
    return piecesOf(old, now).map((piece) => ({ path, age, ...piece }));
  });
  return completed(changes);
}

/** The edits that replaced several lines, undivided. */
export function pastBlocks(history: readonly PastEdit[]): PastChange[] {
  return history
    .toReversed()
    .map(({ path, before, after }, age) => ({ path, age, before: before.split('\n'), after: after.split('\n') }))
    .filter(({ before, after }) => before.length > 1 && before.length <= maxLines && after.length <= maxLines)
    .map((block) => (block.after.join('') === '' ? { ...block, after: [] } : block));
}

/** If the newest change looks like an earlier one half typed, it counts as if it were complete. */
function completed(changes: PastChange[]): PastChange[] {
  return changes.map((change) => {
    if (change.age > 0) return change;
    const earlier = changes.find((each) => each.age > 0 && isBegun(change, each));
    return earlier ? { ...change, after: earlier.after } : change;
  });
}

/** Whether both changed the same line, and the new line so far is a beginning and the end of the earlier new line. */
function isBegun({ before, after }: PastChange, earlier: PastChange): boolean {
  const [line, whole] = [after[0], earlier.after[0]];
  if (before.length !== 1 || earlier.before[0] !== before[0] || line === undefined || whole === undefined) return false;
  if (after.length !== 1 || earlier.after.length !== 1 || earlier.before.length !== 1) return false;
  const { head } = commonEnds(line, whole);
  return head > 0 && whole.length > line.length && whole.endsWith(line.slice(head));
}

interface Piece {
  before: string[];
  after: string[];
}

function piecesOf(before: string[], after: string[]): Piece[] {
  const isShort = before.length <= maxLines && after.length <= maxLines;
  if (before.length === 0 || after.length === 0 || !isShort) return [{ before, after }];
  const pieces: Piece[] = [];
  let [i, j] = [0, 0];
  const rest = (toI: number, toJ: number) => {
    if (toI > i || toJ > j) pieces.push({ before: before.slice(i, toI), after: after.slice(j, toJ) });
  };
  for (const [pairI, pairJ] of similarLines(before, after)) {
    rest(pairI, pairJ);
    if (before[pairI] !== after[pairJ])
      pieces.push({ before: before.slice(pairI, pairI + 1), after: after.slice(pairJ, pairJ + 1) });
    [i, j] = [pairI + 1, pairJ + 1];
  }
  rest(before.length, after.length);
  return pieces;
}

/** The pairs of indices of similar lines, in order, with the greatest total similarity. */
export function similarLines(before: string[], after: string[]): [number, number][] {
  const width = after.length + 1;
  const best = new Float64Array((before.length + 1) * width);
  const at = (i: number, j: number) => best[i * width + j] ?? 0;
  const like = before.map((old) => after.map((now) => (old === now ? 1 : similarity(old, now))));
  const pair = (i: number, j: number) => {
    const share = like[i]?.[j] ?? 0;
    return share < alike ? Number.NEGATIVE_INFINITY : share + at(i + 1, j + 1);
  };
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--) best[i * width + j] = Math.max(pair(i, j), at(i + 1, j), at(i, j + 1));
  const pairs: [number, number][] = [];
  for (let i = 0, j = 0; i < before.length && j < after.length; )
    if (at(i, j) === pair(i, j)) pairs.push([i++, j++]);
    else if (at(i, j) === at(i + 1, j)) i++;
    else j++;
  return pairs;
}
