// How likely an edit must be to be offered: test/bench/results/next-edit.md says how often what is above a gate is right.
import type { Eagerness } from '../../protocol/next-edit.ts';

export const gates: Record<Exclude<Eagerness, 'off'>, number> = { calm: 0.86, balanced: 0.38, eager: 0.26 };

/** Deletions alone must be likelier: they are looked at less, and cost more when they are wrong. */
export const deletionGate = 0.85;

/** An edit that deletes more lines is never offered. */
export const maxDeletedLines = 3;
