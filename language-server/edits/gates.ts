// How likely an edit must be to be offered.
import type { Eagerness } from '../protocol/next-edit.ts';

export const gates: Record<Exclude<Eagerness, 'off'>, number> = { calm: 0.8, balanced: 0.5, eager: 0.25 };

/** Deletions alone must be likelier: they are looked at less, and cost more when they are wrong. */
export const deletionGate = 0.85;
