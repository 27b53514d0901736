// What the last edits say about an edit that may follow from them.
import { isRename, occurrencesOf, type Substitution, wordBefore, wordBehind } from './substitutions.ts';
import type { PastEdit } from './text-edit.ts';

export interface Evidence {
  /** The lines read as those did that were changed, not only some of their words. */
  sameLines: boolean;
  /** How often the same was done. */
  times: number;
  /** In how many places it could be done. */
  places: number;
  /** The length of the words that would go. */
  length: number;
  /** The words before and behind are those of a place where it was done. */
  sameLeft: boolean;
  sameRight: boolean;
  /** It is what the user did last, and did up to the cursor. */
  isNewest: boolean;
  isJustTyped: boolean;
  /** A past edit left the words where they were. */
  staysElsewhere: boolean;
  isRename: boolean;
}

/** Of the lines that have the words of a substitution. */
export function evidenceOf(
  substitution: Substitution,
  line: string,
  lines: number,
  beforeCursor: string,
  history: readonly PastEdit[],
): Evidence {
  const { old, now, places, isNewest } = substitution;
  const around = occurrencesOf(substitution, line).map((at) => ({
    left: wordBefore(line.slice(0, at)),
    right: wordBehind(line.slice(at + old.length)),
  }));
  const isSame = (side: 'left' | 'right') =>
    around.some((here) => here[side] !== '' && places.some((there) => there[side].trim() === here[side].trim()));
  return {
    sameLines: false,
    times: places.length,
    places: lines,
    length: old.length,
    sameLeft: isSame('left'),
    sameRight: isSame('right'),
    isNewest,
    isJustTyped: isNewest && now !== '' && beforeCursor.endsWith(now),
    staysElsewhere: history.some(({ after }) => after.includes(old)),
    isRename: isRename(substitution),
  };
}

/** Of lines that read as others did that were changed. */
export function evidenceOfSameLines(lines: string, times: number, places: number, isNewest: boolean): Evidence {
  const { length } = lines;
  return {
    ...{ sameLines: true, times, places, length, isNewest },
    ...{ sameLeft: false, sameRight: false, isJustTyped: false, staysElsewhere: false, isRename: false },
  };
}
