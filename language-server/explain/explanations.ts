// Explains selected code, or answers a question about it, as a stream of text. Completions go first: in the same
// engine, explanations have background priority; if completions use another engine, explanations wait while that is
// busy.
import type { Sampling } from '../../native/index.ts';
import type { Explainer } from '../engine/shared-engine.ts';
import type { ExplainParams, ExplainResult } from '../protocol/messages.ts';
import { holdsSecrets } from '../secrets/secrets.ts';
import { type Explained, explainPrompt } from './chat-prompt.ts';
import { generateInPauses } from './pauses.ts';

/** qwen2.5-coder's explanations often have more than 256 tokens. The user can continue an answer that is cut off. */
const maxAnswerTokens = 512;
/** In a small context, the answer gets at most this share, and the prompt the rest. */
const maxAnswerShare = 0.3;

/** Rejects with a message for the user if no explanation is possible. */
export async function explain(
  { engine, traits, mustWait }: Explainer,
  request: Explained & Pick<ExplainParams, 'uri' | 'attempt'>,
  onText: (text: string) => void,
  signal: AbortSignal = new AbortController().signal,
): Promise<ExplainResult> {
  if (holdsSecrets(request.uri, request.text)) {
    throw new Error('This code is not explained, because it seems to hold a password or a key.');
  }
  const { uri, around = null } = request;
  const safeAround = around !== null && holdsSecrets(uri, around) ? null : around;
  const { contextTokens } = engine.info;
  const maxTokens = Math.min(maxAnswerTokens, Math.floor(contextTokens * maxAnswerShare));
  const { tokens, linesRead } = await explainPrompt(
    { engine, traits },
    { ...request, around: safeAround },
    contextTokens - maxTokens,
  );
  const generation = {
    tokens,
    maxTokens,
    priority: 'background' as const,
    ...(request.attempt > 0 && { sampling: sampling(request.attempt) }),
  };
  const { text, finishReason, timings } = mustWait
    ? await generateInPauses(engine, generation, mustWait, onText, signal)
    : await engine.generate(generation, onText, signal);
  return { text, finishReason, timings, ...(linesRead !== undefined && { linesRead }) };
}

/** A further attempt samples: greedy, it would give the same answer. The makers of qwen2.5 recommend these values. */
function sampling(seed: number): Sampling {
  return { temperature: 0.7, topK: 20, topP: 0.8, minP: 0, seed };
}
