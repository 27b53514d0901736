// The number of attempts: few with the other tests (short form), all with `npm run test:reliability` (full form).

export const isFull = process.env.HEARTH_RELIABILITY === 'full';

export function tries(short: number, full: number): number {
  return isFull ? full : short;
}

/** In full, tests may take as long as they need. The short form takes seconds on an idle machine. */
export const patienceMs = isFull ? 2 * 3_600_000 : 600_000;
