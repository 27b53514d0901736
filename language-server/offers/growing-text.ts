// A text while a model generates it. Decides how much of it can be shown, and when generation can stop.
import type { Gate } from '../shape/confidence.ts';
import { cleanText, GeneratedText } from '../shape/generated-text.ts';
import type { Place } from '../shape/place.ts';
import { endsStatement, type GhostText, type Suggestion, toEarlyText, toGhostText } from '../shape/shape.ts';
import { minFirstProbability } from './fork.ts';

// No model's tokens are longer than this on average. If a server sends more text, the rest is ignored.
const charsPerToken = 16;
/** The text may contain an invisible character only if the document has it within this distance of the cursor. */
const charsAround = 10_000;

export class GrowingText {
  /** Whether generation can stop because no further text could be shown. */
  isEnough = false;
  private readonly generated = new GeneratedText();
  /** The last suggestion that add() returned. */
  private shownEarly: Suggestion | null = null;
  private readonly tried = new Set<number>();
  private readonly around: string;

  /** begun: the text's beginning, if it was generated before. */
  constructor(
    private readonly place: Place,
    private readonly gate: Gate,
    private readonly maxTokens: number,
    begun?: { text: string; logProbability: number },
  ) {
    const { text, offset } = place.document;
    this.around = text.slice(Math.max(0, offset - charsAround), offset + charsAround);
    if (begun) this.generated.append(begun.text, begun.logProbability);
  }

  /** Adds a generated piece. Returns the text that can be shown if it has grown. */
  add(piece: string, logProbability: number): Suggestion | null {
    if (this.isEnough) return null;
    if (this.generated.text.length + piece.length > this.maxTokens * charsPerToken) {
      this.isEnough = true;
      return null;
    }
    this.generated.append(cleanText(piece, this.around), logProbability);
    const early = toEarlyText(this.generated, this.place, this.gate, this.tried);
    if (early === 'enough') {
      this.isEnough = true;
      return null;
    }
    if (early && endsStatement(this.generated, this.place, early)) this.isEnough = true;
    return early && this.grow(early);
  }

  /**
   * The final ghost text. isEnded: whether the model itself has ended the text. Text that came after isEnough was set
   * is dropped, because its length depends on timing.
   */
  ghostText(isEnded: boolean): GhostText {
    this.generated.isEnded = isEnded && !this.isEnough;
    const ghost = toGhostText(this.generated, this.place, this.gate);
    const { shownEarly } = this;
    // Text that was shown stays, even if the rules allow less of the whole text.
    const isContinued = shownEarly === null || ghost.suggestion?.text.startsWith(shownEarly.text);
    return isContinued ? ghost : { suggestion: shownEarly, reason: null };
  }

  protected grow(early: Suggestion): Suggestion | null {
    const before = this.shownEarly?.text ?? '';
    if (early.text.length <= before.length || !early.text.startsWith(before)) return null;
    this.shownEarly = early;
    return early;
  }
}

/**
 * Another text than the likeliest one. The piece at which it leaves that one is unlikely by design, so the gate does not
 * count this piece. Nothing of the text is shown before it is finished.
 */
export class AlternativeText extends GrowingText {
  /** The probability of that piece, if the gate leaves it out. */
  private leftOut: number | null = null;

  override add(piece: string, logProbability: number): null {
    const isLeftOut = this.leftOut === null && logProbability >= Math.log(minFirstProbability);
    this.leftOut ??= isLeftOut ? Math.exp(logProbability) : 1;
    super.add(piece, isLeftOut ? 0 : logProbability);
    return null;
  }

  override ghostText(isEnded: boolean): GhostText {
    const ghost = super.ghostText(isEnded);
    if (ghost.suggestion) ghost.suggestion.probability *= this.leftOut ?? 1;
    return ghost;
  }

  protected override grow(): null {
    return null;
  }
}
