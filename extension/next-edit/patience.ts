// Decides how long the user must pause before we ask for a next edit: longer if the user dismisses the edits that we
// offer, shorter if the user applies them.

const usualPauseMs = 800;
const minPauseMs = 400;
const maxPauseMs = 3000;
/** How long we do not ask after Esc. */
const quietAfterEscMs = 5000;
const rememberedMs = 10 * 60_000;
/** The factors by which an outcome changes the pause. */
const factorOf = { dismissed: 1.5, applied: 0.8 };

export class Patience {
  private outcomes: { factor: number; ms: number }[] = [];
  private quietUntil = 0;

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Call when the user has dismissed or applied an edit. */
  note(outcome: keyof typeof factorOf): void {
    const ms = this.now();
    this.outcomes.push({ factor: factorOf[outcome], ms });
    if (outcome === 'dismissed') this.quietUntil = ms + quietAfterEscMs;
  }

  /** For how much longer it is too soon to ask, because the user has just pressed Esc; 0 if it is not. */
  get quietMs(): number {
    return Math.max(0, this.quietUntil - this.now());
  }

  /** How long the user must pause. The older an outcome is, the less it counts; after ten minutes it does not count. */
  get pauseMs(): number {
    const now = this.now();
    this.outcomes = this.outcomes.filter(({ ms }) => now - ms < rememberedMs);
    const factor = this.outcomes.reduce((all, { factor, ms }) => all * factor ** (1 - (now - ms) / rememberedMs), 1);
    return Math.max(this.quietMs, Math.min(maxPauseMs, Math.max(minPauseMs, usualPauseMs * factor)));
  }
}
