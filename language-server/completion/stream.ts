// The text as it is being written: what can be shown early, and when there is enough of it.
import type { Gate } from './confidence.ts';
import type { Place } from './place.ts';
import { type GhostText, toEarlyText, toGhostText } from './shape.ts';
import type { Suggestion } from './suggestion.ts';
import { beginningOf, type Written, withPiece } from './written.ts';

export class Stream {
  /** Nothing that may still come would be shown. */
  isEnough = false;
  private written: Written = { text: '', pieces: [], isEnded: false };
  private offered: Suggestion | null = null;

  constructor(
    private readonly place: Place,
    private readonly gate: Gate,
    private readonly onSuggestion?: (suggestion: Suggestion) => void,
  ) {}

  /** True once there is enough. */
  add(piece: string, logProbability: number): boolean {
    if (this.isEnough) return true;
    this.written = withPiece(this.written, piece, logProbability);
    const early = toEarlyText(this.written, this.place, this.gate);
    const before = this.offered?.text ?? '';
    if (early === 'enough') this.isEnough = true;
    else if (early && this.onSuggestion && early.text.length > before.length && early.text.startsWith(before)) {
      this.offered = early;
      this.onSuggestion(early);
    }
    return this.isEnough;
  }

  /**
   * The ghost text, once all is written. What the engine wrote before it heard that there was enough is left out: how much
   * that is depends on timing.
   */
  ghostText(whole: Written): GhostText {
    const written = this.isEnough ? beginningOf(whole, this.written.text.length) : whole;
    const ghost = toGhostText(written, this.place, this.gate);
    const { offered } = this;
    // What was offered stays, whatever the rules say of the whole.
    return !offered || ghost.suggestion?.text.startsWith(offered.text) ? ghost : { suggestion: offered, reason: null };
  }
}
