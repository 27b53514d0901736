// A possible next edit, and why it is proposed.
import type { PastChange } from '../history/past-changes.ts';
import type { TextEdit } from '../text/text-edit.ts';
import type { Substitution } from './substitutions.ts';

export const finders = ['substitution', 'analogy', 'context'] as const;
export type Finder = (typeof finders)[number];

export interface Candidate extends TextEdit {
  finder: Finder;
  /** Candidates with the same group make the same change in different places. */
  group: string;
  /** The past changes that it repeats, the newest first. */
  changes: readonly PastChange[];
  /** The replaced words, if the finder works by words. */
  substitution?: Substitution;
  /** How many words differ from those of the change that is repeated. In the evidence: `differingWords`. */
  differingWords: number;
  /** How many finders and groups propose this same edit; absent means 1. */
  votes?: number;
}
