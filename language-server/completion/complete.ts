// One completion: prompt, generation with stop rules on the stream, ghost text. Used by the server and by `hearth`.
import type { Engine, FinishReason, Priority, Timings } from '../../native/index.ts';
import type { Settings } from '../protocol.ts';
import type { Anchors } from './anchors.ts';
import { canFillInTheMiddle } from './fim-prompt.ts';
import { type EmptyReason, toGhostText } from './postprocess.ts';
import { allowsSeveralLines, completionEnd } from './stop-rules.ts';
import type { Suggestion } from './suggestion.ts';
import { type CursorDocument, surroundings } from './text-window.ts';

export interface CompletionOptions {
  maxTokens: number;
  multiline: Settings['completion.multiline'];
  /** Answers wanted, the most likely one first; default 1. */
  alternatives?: number;
  /** Background is for a state that the document may come to. Default foreground. */
  priority?: Priority;
}

export interface GhostCompletion {
  /** The best one first; further ones only if several were asked for. */
  suggestions: Suggestion[];
  /** Why there are none. */
  reason: EmptyReason | 'cancelled' | 'model-cannot-fill-in' | null;
  finishReason: FinishReason;
  timings: Timings;
}

export const noTimings: Timings = {
  promptTokens: 0,
  cachedTokens: 0,
  prefillMs: 0,
  completionTokens: 0,
  decodeMs: 0,
  ttftMs: 0,
  decodePasses: 0,
};

/** onSuggestion gets what can be shown so far, each time that it has grown. */
export async function complete(
  engine: Engine,
  anchors: Anchors,
  document: CursorDocument,
  options: CompletionOptions,
  signal?: AbortSignal,
  onSuggestion?: (suggestion: Suggestion) => void,
): Promise<GhostCompletion> {
  if (!canFillInTheMiddle(engine)) {
    return { ...noText('model-cannot-fill-in', 'stop'), timings: noTimings };
  }
  const around = surroundings(document.text, document.offset);
  const severalLines = allowsSeveralLines(around, document.languageId, options.multiline);
  const enough = new AbortController();
  const toGhost = (raw: string) => toGhostText(raw, around, document.languageId, options.multiline);
  // The others are decoded beside the first and may be longer: they get as many tokens again.
  const alternatives = options.alternatives ?? 1;
  const room = alternatives > 1 ? 2 : 1;
  let pieces = 0;
  let piecesAtEnd = Number.POSITIVE_INFINITY;
  let streamed = '';
  let shown: string | null = null;
  const watch = (text: string) => {
    streamed += text;
    pieces++;
    const isEnded = completionEnd(streamed, around, document.languageId, severalLines) < streamed.length;
    if (isEnded) piecesAtEnd = Math.min(piecesAtEnd, pieces);
    if (pieces >= room * piecesAtEnd) enough.abort();
    const showable = onSuggestion && !signal?.aborted ? toGhost(streamed).text : null;
    if (showable === null || showable === shown) return;
    shown = showable;
    onSuggestion?.(toSuggestion(showable));
  };

  const priority = options.priority ?? 'foreground';
  const prompt = priority === 'foreground' ? anchors.prompt(document) : anchors.promptAhead(document);
  const left = engine.info.contextTokens - prompt.tokens.length;
  const completion = await engine.generate(
    { ...prompt, maxTokens: Math.min(options.maxTokens, left), priority, alternatives },
    watch,
    signal ? AbortSignal.any([signal, enough.signal]) : enough.signal,
  );
  const { timings } = completion;
  if (signal?.aborted) return { ...noText('cancelled', 'cancelled'), timings };
  const finishReason = enough.signal.aborted ? 'stop' : completion.finishReason;
  if (finishReason === 'cancelled') return { ...noText('cancelled', finishReason), timings };
  const main = toGhost(completion.text);
  const others = completion.alternatives.flatMap((alternative) => toGhost(alternative.text).text ?? []);
  const texts = [...(main.text === null ? [] : [main.text]), ...unlike(main.text, others)];
  const reason = texts.length > 0 ? null : main.reason;
  return { suggestions: texts.map(toSuggestion), reason, finishReason, timings };
}

function toSuggestion(text: string): Suggestion {
  return { text, replaces: 0, probability: 1 };
}

/** The texts that differ from the first one and from each other in more than white space. */
export function unlike(first: string | null, texts: string[]): string[] {
  const essence = (text: string) => text.replace(/\s/g, '');
  const known = new Set(first === null ? [] : [essence(first)]);
  return texts.filter((text) => {
    const isNew = !known.has(essence(text));
    known.add(essence(text));
    return isNew;
  });
}

export function noText(reason: NonNullable<GhostCompletion['reason']>, finishReason: FinishReason) {
  return { suggestions: [], reason, finishReason };
}
