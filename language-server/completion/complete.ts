// One completion, from the prompt to the ghost text; the stop rules run while text streams in. The server and the
// `hearth` command line use it.
import type { Engine, FinishReason, Priority, Timings } from '../../native/index.ts';
import type { Settings } from '../protocol.ts';
import type { Anchors } from './anchors.ts';
import { type Confidence, type Gate, gateFor } from './confidence.ts';
import { canFillInTheMiddle } from './fim-prompt.ts';
import { placeAt } from './place.ts';
import type { EmptyReason } from './shape.ts';
import { Stream } from './stream.ts';
import { distinct, type Suggestion } from './suggestion.ts';
import type { CursorDocument } from './text-window.ts';
import { fromTokens } from './written.ts';

export interface CompletionOptions {
  maxTokens: number;
  multiline: Settings['completion.multiline'];
  /** How likely the text must be to be shown. Default: balanced. */
  confidence?: Confidence;
  /** Replaces the gate fitted to the model. */
  gate?: Gate;
  /** The number of alternatives to generate, the most likely one first. Default: 1. */
  alternatives?: number;
  /** Background if nobody waits for it yet. Default: foreground. */
  priority?: Priority;
}

export interface GhostCompletion {
  /** Best first. More than one only if alternatives were requested. */
  suggestions: Suggestion[];
  /** Why there are no suggestions. */
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

/**
 * Calls onSuggestion each time the text that can be shown has grown; it is always a beginning of the final suggestion.
 */
export async function complete(
  engine: Engine,
  anchors: Anchors,
  document: CursorDocument,
  options: CompletionOptions,
  signal?: AbortSignal,
  onSuggestion?: (suggestion: Suggestion) => void,
): Promise<GhostCompletion> {
  if (!canFillInTheMiddle(engine))
    return { suggestions: [], reason: 'model-cannot-fill-in', finishReason: 'stop', timings: noTimings };
  const place = placeAt(document, options.multiline);
  const gate = options.gate ?? gateFor(engine.info, options.confidence ?? 'balanced');
  const alternatives = options.alternatives ?? 1;
  const streams = Array.from(
    { length: alternatives },
    (_, i) => new Stream(place, gate, i === 0 && !signal?.aborted ? onSuggestion : undefined),
  );
  const priority = options.priority ?? 'foreground';
  const prompt = priority === 'foreground' ? anchors.prompt(place.document) : anchors.promptAhead(place.document);
  const maxTokens = Math.min(options.maxTokens, engine.info.contextTokens - prompt.tokens.length);
  const completion = await engine.generate(
    { ...prompt, maxTokens, priority, alternatives, streamAlternatives: alternatives > 1 },
    (text, logProbability, answer) => !signal?.aborted && streams[answer]?.add(text, logProbability),
    signal,
  );
  const { timings, finishReason } = completion;
  if (signal?.aborted || finishReason === 'cancelled')
    return { suggestions: [], reason: 'cancelled', finishReason: 'cancelled', timings };
  const healed = prompt.heal?.length ?? 0;
  const answers = [completion, ...completion.alternatives.slice(1)];
  const ghostTexts = answers.map((answer, i) => {
    const isEnded = i === 0 ? finishReason === 'stop' : answer.tokens.length < maxTokens;
    return streams[i]!.ghostText(fromTokens(engine, answer, healed, isEnded));
  });
  const suggestions = distinct(ghostTexts.flatMap(({ suggestion }) => suggestion ?? []));
  const reason = suggestions.length > 0 ? null : ghostTexts[0]!.reason;
  return { suggestions, reason, finishReason: streams[0]?.isEnough ? 'stop' : finishReason, timings };
}
