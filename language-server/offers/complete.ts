// Makes one completion, from the prompt to the ghost text. While the text streams in, it decides how much of it can be
// shown already, and when to stop. Both the server and the `hearth` command line use this file.
import type { Completed, Completer, FinishReason, Priority, Timings } from '../../native/index.ts';
import type { Anchors } from '../prompt/anchors.ts';
import { canFillInTheMiddle, type FimPrompt } from '../prompt/fim-prompt.ts';
import type { CursorDocument } from '../prompt/text-window.ts';
import { noTimings, type Settings } from '../protocol/messages.ts';
import type { EmptyReason } from '../protocol/reasons.ts';
import { type Gate, gateFor, type Level, situationOf } from '../shape/confidence.ts';
import { grammarFor, type Place, placeAt } from '../shape/place.ts';
import { distinct, type Suggestion } from '../shape/shape.ts';
import { type Fork, forkOf } from './fork.ts';
import { AlternativeText, GrowingText } from './growing-text.ts';

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
  const write = (from: FimPrompt, texts: GrowingText[], limit: number) =>
    engine.generate(
      {
        ...from,
        ...(isLineOnly(place) && { stopBefore: '\n' }),
        maxTokens: limit,
        priority,
        alternatives: texts.length,
        streamAlternatives: texts.length > 1,
      },
      (piece, logProbability, answer) => {
        const text = texts[answer];
        if (signal.aborted || text === undefined) return false;
        const suggestion = text.add(piece, logProbability);
        if (suggestion) onGrowth(suggestion);
        return text.isEnough;
      },
      signal,
    );
  const likeliest = new GrowingText(place, gate, maxTokens);
  const others = (count: number, fork?: Fork) =>
    Array.from({ length: count }, () => new AlternativeText(place, gate, maxTokens, fork));
  const texts = [likeliest, ...others(alternatives - 1)];
  const completion = await write(prompt, texts, maxTokens);
  const { timings, finishReason } = completion;
  if (signal.aborted || finishReason === 'cancelled') return empty('cancelled', 'cancelled', timings);
  const best = likeliest.ghostText(finishReason === 'stop');
  const found = othersOf(completion, texts, maxTokens);
  const [written] = completion.alternatives;
  const fork = written && best.suggestion && forkOf(engine, prompt, written, best.suggestion.text);
  if (fork) {
    const left = maxTokens - fork.common;
    const forked = others(alternatives, fork);
    // If this fails, the likeliest text can be shown all the same.
    const more = await write(fork.prompt, forked, left).catch(() => null);
    if (signal.aborted) return empty('cancelled', 'cancelled', timings);
    if (more && more.finishReason !== 'cancelled') found.push(...othersOf(more, forked, left));
  }
  found.sort((a, b) => b.probability - a.probability);
  const suggestions = distinct([...(best.suggestion ? [best.suggestion] : []), ...found]).slice(0, alternatives);
  const reason = suggestions.length > 0 ? null : best.reason;
  return { suggestions, reason, finishReason: likeliest.isEnough ? 'stop' : finishReason, timings };
}

/** What can be shown of all texts but the first, which is the likeliest one. */
function othersOf({ alternatives }: Completed, texts: GrowingText[], maxTokens: number): Suggestion[] {
  return texts.slice(1).flatMap((text, i) => {
    const isEnded = (alternatives[i + 1]?.tokens.length ?? 0) < maxTokens;
    return text.ghostText(isEnded).suggestion ?? [];
  });
}

/** Whether nothing after the first line break could be shown. */
const isLineOnly = ({ extent, around }: Place) => extent === 'line' && around.lineSuffix !== '';
