// An edit that may follow, and why it is proposed.
import type { PastChange } from '../history/past-changes.ts';
import type { TextEdit } from '../text/text-edit.ts';
import type { Substitution } from './substitutions.ts';

export const finders = ['substitution', 'analogy', 'context'] as const;
export type Finder = (typeof finders)[number];

export interface Candidate extends TextEdit {
  finder: Finder;
  /** Candidates of one group are the same thing done in several places. */
  group: string;
  /** The past changes that it repeats, the newest first. */
  changes: readonly PastChange[];
  /** What is replaced, where the finder looks for words. */
  substitution?: Substitution;
  /** How many words differ from those of the change that is repeated. */
  otherWords: number;
  /** How many finders and groups propose the same; 1 if absent. */
  votes?: number;
}
