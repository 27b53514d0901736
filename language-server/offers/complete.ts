// One completion, from the prompt to the ghost text; the stop rules run while text streams in. The server and the
// `hearth` command line use it.
import type { Engine, FinishReason, Priority, Timings } from '../../native/index.ts';
import type { Anchors } from '../prompt/anchors.ts';
import { canFillInTheMiddle } from '../prompt/fim-prompt.ts';
import type { CursorDocument } from '../prompt/text-window.ts';
import { noTimings, type Settings } from '../protocol/messages.ts';
import type { EmptyReason } from '../protocol/reasons.ts';
import { type Confidence, type Gate, gateFor } from '../rules/confidence.ts';
import { placeAt } from '../rules/place-at.ts';
import { distinct, type Suggestion } from '../rules/suggestion.ts';
import { fromTokens } from '../rules/written.ts';
import { Stream } from './stream.ts';

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
  reason: EmptyReason | null;
  finishReason: FinishReason;
  timings: Timings;
}

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
