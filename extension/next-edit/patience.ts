// How long to wait before asking: longer for somebody who dismisses what is offered, shorter for one who applies it.

const pauseMs = 800;
const minMs = 400;
const maxMs = 3000;
/** After Esc, nothing is offered for so long. */
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

  /** How long nothing may be asked yet. */
  get quietMs(): number {
    return Math.max(0, this.quietUntil - this.now());
  }

  /** How long a pause must be. An outcome counts less the longer ago it was, and nothing after ten minutes. */
  get pauseMs(): number {
    const now = this.now();
    this.outcomes = this.outcomes.filter(({ ms }) => now - ms < rememberedMs);
    const factor = this.outcomes.reduce((all, { factor, ms }) => all * factor ** (1 - (now - ms) / rememberedMs), 1);
    return Math.max(this.quietMs, Math.min(maxMs, Math.max(minMs, pauseMs * factor)));
  }
}
