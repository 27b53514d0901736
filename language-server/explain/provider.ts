// A streamed explanation. It runs at background priority: a completion asked for meanwhile goes first.
import type { Engine } from '../../native/index.ts';
import type { ExplainResult } from '../protocol.ts';
import { explainPrompt } from './chat-prompt.ts';

const maxExplanationTokens = 256;

export async function explain(
  engine: Engine,
  code: string,
  languageId: string,
  onText: (text: string) => void,
  signal?: AbortSignal,
): Promise<ExplainResult> {
  const tokens = explainPrompt(engine, code, languageId);
  const maxTokens = Math.min(maxExplanationTokens, engine.info.contextTokens - tokens.length);
  const { text, finishReason, timings } = await engine.generate(
    { tokens, maxTokens, priority: 'background' },
    onText,
    signal,
  );
  return { text, finishReason, timings };
}
