// One completion: prompt, generation with stop rules on the stream, ghost text. Used by the server and by `hearth`.
import type { Engine, FinishReason, Priority, Timings } from '../../native/index.ts';
import type { Settings } from '../protocol.ts';
import type { Anchors } from './anchor.ts';
import { canFillInTheMiddle } from './fim-prompt.ts';
import { type EmptyReason, toGhostText } from './postprocess.ts';
import { allowsSeveralLines, completionEnd } from './stop-rules.ts';
import { type CursorDocument, surroundings } from './text-window.ts';

export interface CompletionOptions {
  maxTokens: number;
  multiline: Settings['completion.multiline'];
  /** Background is for a state that the document may come to. Default foreground. */
  priority?: Priority;
}

export interface GhostCompletion {
  text: string | null;
  /** Why the text is null. */
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

/** onFirstText gets what can be shown first, once, while the rest is written. */
export async function complete(
  engine: Engine,
  anchors: Anchors,
  document: CursorDocument,
  options: CompletionOptions,
  signal?: AbortSignal,
  onFirstText?: (text: string) => void,
): Promise<GhostCompletion> {
  if (!canFillInTheMiddle(engine)) {
    return { text: null, reason: 'model-cannot-fill-in', finishReason: 'stop', timings: noTimings };
  }
  const around = surroundings(document.text, document.offset);
  const severalLines = allowsSeveralLines(around, document.languageId, options.multiline);
  const enough = new AbortController();
  const toGhost = (raw: string) => toGhostText(raw, around, document.languageId, options.multiline);
  let streamed = '';
  let isToldFirst = onFirstText === undefined;
  const watch = (text: string) => {
    streamed += text;
    if (completionEnd(streamed, around, document.languageId, severalLines) < streamed.length) enough.abort();
    const first = isToldFirst || signal?.aborted ? null : toGhost(streamed).text;
    if (first === null) return;
    isToldFirst = true;
    onFirstText?.(first);
  };

  const priority = options.priority ?? 'foreground';
  const prompt = priority === 'foreground' ? anchors.prompt(document) : anchors.promptAhead(document);
  const room = engine.info.contextTokens - prompt.tokens.length;
  const completion = await engine.generate(
    { ...prompt, maxTokens: Math.min(options.maxTokens, room), priority },
    watch,
    signal ? AbortSignal.any([signal, enough.signal]) : enough.signal,
  );
  const { timings } = completion;
  if (signal?.aborted) return { text: null, reason: 'cancelled', finishReason: 'cancelled', timings };
  const finishReason = enough.signal.aborted ? 'stop' : completion.finishReason;
  if (finishReason === 'cancelled') return { text: null, reason: 'cancelled', finishReason, timings };
  return { ...toGhost(completion.text), finishReason, timings };
}
