// How long to wait before asking for a next edit: longer if the user dismisses what is offered, shorter if they apply
// it.

const pauseMs = 800;
const minMs = 400;
const maxMs = 3000;
/** How long nothing is offered after Esc. */
const quietMs = 5000;
const rememberedMs = 10 * 60_000;
const factorOf = { dismissed: 1.5, applied: 0.8 };

export class Patience {
  private outcomes: { factor: number; ms: number }[] = [];
  private quietUntil = 0;

  constructor(private readonly now: () => number = () => performance.now()) {}

  note(outcome: keyof typeof factorOf): void {
    const ms = this.now();
    this.outcomes.push({ factor: factorOf[outcome], ms });
    if (outcome === 'dismissed') this.quietUntil = ms + quietMs;
  }

  /** How long it is still too soon to ask; 0 if it is not. */
  get quietMs(): number {
    return Math.max(0, this.quietUntil - this.now());
  }

  /** How long the user must pause. Older outcomes count less, and those older than ten minutes do not count. */
  get pauseMs(): number {
    const now = this.now();
    this.outcomes = this.outcomes.filter(({ ms }) => now - ms < rememberedMs);
    const factor = this.outcomes.reduce((all, { factor, ms }) => all * factor ** (1 - (now - ms) / rememberedMs), 1);
    return Math.max(this.quietMs, Math.min(maxMs, Math.max(minMs, pauseMs * factor)));
  }
}
