// Divides past edits into changes: pairs of an old and a new line, and lines that were only added or removed.
import { similarity } from '../text/lines.ts';
import { commonEnds, type PastEdit } from '../text/text-edit.ts';

/** A line and the similar line that replaced it; or successive lines that were replaced, added or removed. */
export interface PastChange {
  path: string;
  before: string[];
  after: string[];
  /** How many edits came after this one. */
  age: number;
}

// Longer edits are not divided: if so much is rewritten, a pair of similar lines means nothing.
const maxLines = 40;
/** Lines at least this similar are an old line and its replacement. */
const minSimilarity = 0.6;

/** The changes in all edits, the newest edit first. */
export function pastChanges(history: readonly PastEdit[]): PastChange[] {
  const changes = history.toReversed().flatMap(({ path, before, after }, age) => {
    const [old, now] = [before, after].map((text) => (text === '' ? [] : text.split('\n')));
    if (!old || !now) return [];
    return piecesOf(old, now).map((piece) => ({ path, age, ...piece }));
  });
  return completed(changes);
}

/** The edits of several lines, each as one change. */
export function pastBlocks(history: readonly PastEdit[]): PastChange[] {
  return history
    .toReversed()
    .map(({ path, before, after }, age) => ({ path, age, before: before.split('\n'), after: after.split('\n') }))
    .filter(({ before, after }) => before.length > 1 && before.length <= maxLines && after.length <= maxLines)
    .map((block) => (block.after.join('') === '' ? { ...block, after: [] } : block));
}

/** Completes a change of the newest edit if it looks like the beginning of an earlier change. */
function completed(changes: PastChange[]): PastChange[] {
  return changes.map((change) => {
    if (change.age > 0) return change;
    const earlier = changes.find((other) => other.age > 0 && isBegun(change, other));
    return earlier ? { ...change, after: earlier.after } : change;
  });
}

/**
 * Whether the change is a half-typed repetition of the earlier one: both changed the same old line, and the new line
 * lacks only a part in the middle. "f(a)" begins "f(a, b)", for example.
 */
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

/**
 * Pairs of similar lines, as indices in both texts, in order. The sum of their similarities is the greatest possible.
 */
export function similarLines(before: string[], after: string[]): [number, number][] {
  const width = after.length + 1;
  const best = new Float64Array((before.length + 1) * width);
  const at = (i: number, j: number) => best[i * width + j] ?? 0;
  const like = before.map((old) => after.map((now) => (old === now ? 1 : similarity(old, now))));
  const pair = (i: number, j: number) => {
    const share = like[i]?.[j] ?? 0;
    return share < minSimilarity ? Number.NEGATIVE_INFINITY : share + at(i + 1, j + 1);
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
