// Makes one completion, from the prompt to the ghost text. While the text streams in, it decides how much of it can be
// shown already, and when to stop. Both the server and the `hearth` command line use this file.
import type { Completer, FinishReason, Priority, Timings } from '../../native/index.ts';
import type { Anchors } from '../prompt/anchors.ts';
import { canFillInTheMiddle } from '../prompt/fim-prompt.ts';
import type { CursorDocument } from '../prompt/text-window.ts';
import { noTimings, type Settings } from '../protocol/messages.ts';
import type { EmptyReason } from '../protocol/reasons.ts';
import { type Gate, gateFor, type Level, situationOf } from '../shape/confidence.ts';
import { cleanText, GeneratedText } from '../shape/generated-text.ts';
import { grammarFor, type Place, placeAt } from '../shape/place.ts';
import { distinct, endsStatement, type GhostText, type Suggestion, toEarlyText, toGhostText } from '../shape/shape.ts';

export interface CompletionOptions {
  maxTokens: number;
  multiline: Settings['completion.multiline'];
  /** How likely the text must be to be shown. Default: balanced. */
  confidence?: Level;
  /** Replaces the gate that was fitted for the model. */
  gate?: Gate;
  /** How many alternatives to generate. Default: 1. */
  alternatives?: number;
  /** 'background' if nobody waits for the text yet. Default: 'foreground'. */
  priority?: Priority;
}

export interface GhostCompletion {
  /** Best first. More than one only if alternatives were requested. */
  suggestions: Suggestion[];
  /** Why there are no suggestions. */
  reason: EmptyReason | null;
  finishReason: FinishReason;
  timings: Timings;
}

/** Called each time the text that can be shown has grown. The text is always a beginning of the final suggestion. */
export type OnGrowth = (suggestion: Suggestion) => void;

/** Generates a text. Once the signal is aborted, the function no longer calls onGrowth and returns soon. */
export type Generate = (onGrowth: OnGrowth, signal: AbortSignal) => Promise<GhostCompletion>;

// No model's tokens are longer than this on average. If a server sends more text, the rest is ignored.
const charsPerToken = 16;
/** The text may contain an invisible character only if the document has it within this distance of the cursor. */
const charsAround = 10_000;
const never = new AbortController().signal;

export async function generate(
  engine: Completer,
  anchors: Anchors,
  document: CursorDocument,
  options: CompletionOptions,
  onGrowth: OnGrowth = () => {},
  signal: AbortSignal = never,
): Promise<GhostCompletion> {
  const empty = (reason: EmptyReason, finishReason: FinishReason, timings = noTimings): GhostCompletion => ({
    suggestions: [],
    reason,
    finishReason,
    timings,
  });
  if (!canFillInTheMiddle(engine)) return empty('model-cannot-fill-in', 'stop');
  // This waits only for the first completion in a language.
  const loading = grammarFor(document);
  if (loading !== null) await loading;
  const place = placeAt(document, options.multiline);
  const gate = options.gate ?? gateFor(engine.info, options.confidence ?? 'balanced', situationOf(place));
  const { alternatives = 1, priority = 'foreground' } = options;
  const prompt = priority === 'foreground' ? anchors.prompt(place.document) : anchors.promptAhead(place.document);
  const maxTokens = Math.min(options.maxTokens, engine.info.contextTokens - prompt.tokens.length);
  if (maxTokens <= 0) return empty('cut-off', 'length');
  const texts = Array.from({ length: alternatives }, (_, i) => new GrowingText(place, gate, maxTokens, i === 0));
  const stopBefore = isLineOnly(place) ? { stopBefore: '\n' } : {};
  const completion = await engine.generate(
    { ...prompt, ...stopBefore, maxTokens, priority, alternatives, streamAlternatives: alternatives > 1 },
    (piece, logProbability, answer) => {
      const text = texts[answer];
      if (signal.aborted || text === undefined) return false;
      const suggestion = text.add(piece, logProbability);
      if (suggestion) onGrowth(suggestion);
      return text.isEnough;
    },
    signal,
  );
  const { timings, finishReason } = completion;
  if (signal.aborted || finishReason === 'cancelled') return empty('cancelled', 'cancelled', timings);
  const isEnded = (i: number) => (completion.alternatives[i]?.tokens.length ?? 0) < maxTokens;
  const ghostTexts = texts.map((text, i) => text.ghostText(i === 0 ? finishReason === 'stop' : isEnded(i)));
  const suggestions = distinct(ghostTexts.flatMap(({ suggestion }) => suggestion ?? []));
  const reason = suggestions.length > 0 ? null : ghostTexts[0]!.reason;
  return { suggestions, reason, finishReason: texts[0]?.isEnough ? 'stop' : finishReason, timings };
}

/** A text during its generation. Decides how much of it can be shown, and when generation can stop. */
export class GrowingText {
  /** Whether generation can stop because no further text could be shown. */
  isEnough = false;
  private readonly generated = new GeneratedText();
  /** The last suggestion that add() returned. */
  private shownEarly: Suggestion | null = null;
  private readonly tried = new Set<number>();
  private readonly around: string;

  constructor(
    private readonly place: Place,
    private readonly gate: Gate,
    private readonly maxTokens: number,
    private readonly reportsGrowth: boolean,
  ) {
    const { text, offset } = place.document;
    this.around = text.slice(Math.max(0, offset - charsAround), offset + charsAround);
  }

  /** Adds a generated piece. Returns the text that can be shown if it has grown and reportsGrowth is true. */
  add(piece: string, logProbability: number): Suggestion | null {
    if (this.isEnough) return null;
    if (this.generated.text.length + piece.length > this.maxTokens * charsPerToken) {
      this.isEnough = true;
      return null;
    }
    this.generated.append(cleanText(piece, this.around), logProbability);
    const early = toEarlyText(this.generated, this.place, this.gate, this.tried);
    const before = this.shownEarly?.text ?? '';
    if (early === 'enough') {
      this.isEnough = true;
      return null;
    }
    if (early && endsStatement(this.generated, this.place, early)) this.isEnough = true;
    if (!this.reportsGrowth || !early || early.text.length <= before.length || !early.text.startsWith(before))
      return null;
    this.shownEarly = early;
    return early;
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
}

/** Whether nothing after the first line break could be shown. */
const isLineOnly = ({ extent, around }: Place) => extent === 'line' && around.lineSuffix !== '';
