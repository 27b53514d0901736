// Follows a text while it is generated: decides what can be shown early, and when generation can stop.
import type { Gate } from '../rules/confidence.ts';
import type { Place } from '../rules/place.ts';
import { type GhostText, toEarlyText, toGhostText } from '../rules/shape.ts';
import type { Suggestion } from '../rules/suggestion.ts';
import { beginningOf, type Written, withPiece } from '../rules/written.ts';

export class Stream {
  /** Whether nothing that follows could be shown. */
  isEnough = false;
  private written: Written = { text: '', pieces: [], isEnded: false };
  private offered: Suggestion | null = null;

  constructor(
    private readonly place: Place,
    private readonly gate: Gate,
    private readonly onSuggestion?: (suggestion: Suggestion) => void,
  ) {}

  /** Returns isEnough. */
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
   * The final ghost text. Text that the engine generated after isEnough is dropped, since how much there is depends on
   * timing.
   */
  ghostText(whole: Written): GhostText {
    const written = this.isEnough ? beginningOf(whole, this.written.text.length) : whole;
    const ghost = toGhostText(written, this.place, this.gate);
    const { offered } = this;
    // Text that was already shown stays, even if the rules cut the whole text before its end.
    return !offered || ghost.suggestion?.text.startsWith(offered.text) ? ghost : { suggestion: offered, reason: null };
  }
}
