// The text as it is being written: what can be shown early, and when there is enough of it.
import type { Gate } from './confidence.ts';
import type { Place } from './place.ts';
import { isPastRest } from './rest-of-line.ts';
import { type GhostText, ruledEnd, toEarlyText } from './shape.ts';
import type { Suggestion } from './suggestion.ts';
import { probabilityTo, type Written, withPiece } from './written.ts';

export class Stream {
  private readonly controller = new AbortController();
  private written: Written = { text: '', pieces: [], isEnded: false };
  private offered: Suggestion | null = null;
  private piecesAtEnd = Number.POSITIVE_INFINITY;

  /** alternatives: others are decoded beside the first and may be longer; they get as many tokens again. */
  constructor(
    private readonly place: Place,
    private readonly gate: Gate,
    private readonly alternatives: number,
    private readonly onSuggestion?: (suggestion: Suggestion) => void,
  ) {}

  /** Aborted once nothing that is still to come could be shown. */
  get enough(): AbortSignal {
    return this.controller.signal;
  }

  add(piece: string, logProbability: number): void {
    this.written = withPiece(this.written, piece, logProbability);
    const { text, pieces } = this.written;
    if (this.isOver(text)) this.piecesAtEnd = Math.min(this.piecesAtEnd, pieces.length);
    const room = this.alternatives > 1 ? 2 : 1;
    if (pieces.length >= room * this.piecesAtEnd) this.controller.abort();
    else this.offer();
  }

  /** What was offered stays, whatever the rules say of the whole. */
  whole(ghost: GhostText): GhostText {
    const { offered } = this;
    if (!offered || ghost.suggestion?.text.startsWith(offered.text)) return ghost;
    return { suggestion: offered, reason: null };
  }

  private isOver(text: string): boolean {
    const isRuled = text.trim() !== '' && ruledEnd(this.written, this.place).end < text.length;
    // Where others are wanted beside it, an unlikely answer is no reason to end theirs.
    const isHopeless = this.alternatives === 1 && probabilityTo(this.written, text.length) < this.gate.line;
    return isRuled || isPastRest(text, this.place) || isHopeless;
  }

  private offer(): void {
    if (!this.onSuggestion) return;
    const early = toEarlyText(this.written, this.place, this.gate);
    const before = this.offered?.text ?? '';
    if (!early || early.text.length <= before.length || !early.text.startsWith(before)) return;
    this.offered = early;
    this.onSuggestion(early);
  }
}
