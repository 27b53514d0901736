// Follows a text while it is generated: decides what can be shown early, and when generation can stop.
import { cleanText } from '../rules/clean-text.ts';
import type { Gate } from '../rules/confidence.ts';
import { GeneratedText } from '../rules/generated-text.ts';
import type { Place } from '../rules/place.ts';
import { type GhostText, toEarlyText, toGhostText } from '../rules/shape.ts';
import type { Suggestion } from '../rules/suggestion.ts';

// No model writes longer tokens than this on average. What a server sends beyond it is ignored.
const charsPerToken = 16;
/** An invisible character is kept in the text only if the document has one this near to the cursor. */
const charsAround = 10_000;

export class GrowingText {
  /** Whether nothing that follows could be shown. */
  isEnough = false;
  private readonly generated = new GeneratedText();
  private offered: Suggestion | null = null;
  private readonly around: string;

  constructor(
    private readonly place: Place,
    private readonly gate: Gate,
    private readonly maxTokens: number,
    /** Whether it is shown while it grows. */
    private readonly isShown: boolean,
  ) {
    const { text, offset } = place.document;
    this.around = text.slice(Math.max(0, offset - charsAround), offset + charsAround);
  }

  /** Returns what can be shown now, if that has grown. */
  add(piece: string, logProbability: number): Suggestion | null {
    if (this.isEnough) return null;
    if (this.generated.text.length + piece.length > this.maxTokens * charsPerToken) {
      this.isEnough = true;
      return null;
    }
    this.generated.append(cleanText(piece, this.around), logProbability);
    const early = toEarlyText(this.generated, this.place, this.gate);
    const before = this.offered?.text ?? '';
    if (early === 'enough') {
      this.isEnough = true;
      return null;
    }
    if (!this.isShown || !early || early.text.length <= before.length || !early.text.startsWith(before)) return null;
    this.offered = early;
    return early;
  }

  /**
   * The final ghost text. isEnded: whether the model itself has ended the text. Text that it generated after isEnough is
   * dropped, since how much there is depends on timing.
   */
  ghostText(isEnded: boolean): GhostText {
    this.generated.isEnded = isEnded && !this.isEnough;
    const ghost = toGhostText(this.generated, this.place, this.gate);
    const { offered } = this;
    // Text that was already shown stays, even if the rules cut the whole text before its end.
    return !offered || ghost.suggestion?.text.startsWith(offered.text) ? ghost : { suggestion: offered, reason: null };
  }
}
