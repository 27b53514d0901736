// A streamed explanation of selected code, or the answer to a question about it. Completions go first: in the same engine
// because it runs at background priority, beside another one because it waits while that is busy.
import type { Sampling } from '../../native/index.ts';
import { holdsSecrets } from '../completion/secrets.ts';
import type { Model } from '../models/model-traits.ts';
import type { ExplainParams, ExplainResult } from '../protocol.ts';
import { explainPrompt } from './chat-prompt.ts';
import { generateInTurns } from './turns.ts';

/** qwen2.5-coder's explanation of a function often takes more than 256. What ends here can be continued. */
const maxAnswerTokens = 512;
/** A small context is shared between the prompt and the answer. */
const maxAnswerShare = 0.3;

export interface Explainer extends Model {
  /** Something more urgent is using the machine. */
  mustWait: () => boolean;
}

/** Rejects with a sentence for people when there is nothing to be had. */
export async function explain(
  { engine, traits, mustWait }: Explainer,
  request: Omit<ExplainParams, 'id'>,
  onText: (text: string) => void,
  signal: AbortSignal = new AbortController().signal,
): Promise<ExplainResult> {
  if (holdsSecrets(request.uri, request.text)) {
    throw new Error('This code is not explained, because it seems to hold a password or a key.');
  }
  const { contextTokens } = engine.info;
  const maxTokens = Math.min(maxAnswerTokens, Math.floor(contextTokens * maxAnswerShare));
  const { tokens, linesRead } = await explainPrompt({ engine, traits }, request, contextTokens - maxTokens);
  const generation = {
    tokens,
    maxTokens,
    priority: 'background' as const,
    ...(request.attempt > 0 && { sampling: sampling(request.attempt) }),
  };
  const { text, finishReason, timings } = await generateInTurns(engine, generation, mustWait, onText, signal);
  return { text, finishReason, timings, ...(linesRead !== undefined && { linesRead }) };
}

/** As the makers of qwen2.5 recommend; the likeliest words would be the same again. */
function sampling(seed: number): Sampling {
  return { temperature: 0.7, topK: 20, topP: 0.8, minP: 0, seed };
}
