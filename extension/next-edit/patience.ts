// Decides how long the user must pause before Hearth asks for a next edit: longer if the user dismisses edits, shorter
// if the user applies them.

const defaultPauseMs = 800;
const minPauseMs = 400;
const maxPauseMs = 3000;
/** For this long after Esc, Hearth does not ask. */
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

  /** The time until Hearth may ask again after Esc; 0 if it may ask now. */
  get quietMs(): number {
    return Math.max(0, this.quietUntil - this.now());
  }

  /** How long the user must pause. An outcome counts less and less as time passes, and not at all after ten minutes. */
  get pauseMs(): number {
    const now = this.now();
    this.outcomes = this.outcomes.filter(({ ms }) => now - ms < rememberedMs);
    const factor = this.outcomes.reduce((all, { factor, ms }) => all * factor ** (1 - (now - ms) / rememberedMs), 1);
    return Math.max(this.quietMs, Math.min(maxPauseMs, Math.max(minPauseMs, defaultPauseMs * factor)));
  }
}
