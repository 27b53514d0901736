// A candidate: a possible next edit, and why it is proposed.
import type { PastChange } from '../history/past-changes.ts';
import type { TextEdit } from '../text/text-edit.ts';
import type { Substitution } from './substitutions.ts';

export const finders = ['substitution', 'analogy', 'context'] as const;
export type Finder = (typeof finders)[number];

export interface Candidate extends TextEdit {
  finder: Finder;
  /** All candidates of a group make the same change, each in another place. */
  group: string;
  /** The past changes that the candidate repeats, the newest first. */
  changes: readonly PastChange[];
  /** The replaced words, if the finder replaces words. */
  substitution?: Substitution;
  /** How many words differ from those of the repeated change. */
  differingWords: number;
  /** How many finders and groups propose the same edit; absent means 1. */
  votes?: number;
}
