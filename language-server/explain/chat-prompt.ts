// The ChatML prompt of an explanation and of the questions that follow it. As for completion, what people and models
// wrote is tokenized without special tokens.
import { type Engine, EngineError } from '../../native/index.ts';
import { concatTokens, tokenizeText } from '../completion/fim-prompt.ts';
import type { ExplainParams, ExplainTurn } from '../protocol.ts';

/** At most this share of the context is selected code; a longer selection is cut at the end of a line. */
const selectionShare = 0.6;
// Ordinary code has three to four characters a token; nothing that a person selects has more than ten.
const maxCharsPerToken = 10;

export interface ExplainPrompt {
  tokens: Uint32Array;
  /** Of a selection that was cut. */
  linesRead?: number;
}

/**
 * The selection, the turns, and the beginning of the answer to the last one. Turns that do not fit are left out, the
 * oldest first; the selection always goes into the first turn that is kept.
 */
export function explainPrompt(
  engine: Engine,
  { text, languageId, turns }: Pick<ExplainParams, 'text' | 'languageId' | 'turns'>,
  maxPromptTokens: number,
): ExplainPrompt {
  requireChatTokens(engine);
  const whole = text.trimEnd();
  const code = head(engine, whole, Math.floor(engine.info.contextTokens * selectionShare));
  const fence = code.includes('```') ? '````' : '```';
  const block = `${fence}${languageId}\n${code}\n${fence}`;
  for (let first = 0; first < turns.length; first++) {
    const tokens = chatTokens(engine, block, turns.slice(first));
    if (tokens.length > maxPromptTokens) continue;
    return code === whole ? { tokens } : { tokens, linesRead: code.split('\n').length };
  }
  throw new Error("This no longer fits into the model's context. Select less code, or ask again from the start.");
}

function requireChatTokens({ info }: Engine): void {
  if (info.special.imStart >= 0 && info.special.imEnd >= 0) return;
  throw new EngineError(
    'model-unsupported',
    `${info.name} cannot explain code: it has no chat tokens. Choose an instruct model in "hearth.model.path".`,
  );
}

/** As many whole lines as fit; of a first line that is too long by itself, its beginning. */
function head(engine: Engine, text: string, maxTokens: number): string {
  let shown = text.slice(0, maxTokens * maxCharsPerToken);
  for (let tokens = tokenCount(engine, shown); tokens > maxTokens; tokens = tokenCount(engine, shown)) {
    // The rest of the text may be denser than its mean, so a little more is cut than seems needed.
    shown = shown.slice(0, Math.floor(((shown.length * maxTokens) / tokens) * 0.95));
  }
  const lineEnd = shown.lastIndexOf('\n');
  return shown.length < text.length && lineEnd > 0 ? shown.slice(0, lineEnd).trimEnd() : shown;
}

function tokenCount(engine: Engine, text: string): number {
  return tokenizeText(engine, text).length;
}

function chatTokens(engine: Engine, selection: string, turns: ExplainTurn[]): Uint32Array {
  const { imStart, imEnd } = engine.info.special;
  const ended = [imEnd, tokenizeText(engine, '\n')];
  const parts = turns.flatMap(({ question = 'Explain this code:', answer }, i) => [
    ...(i > 0 ? ended : []),
    imStart,
    tokenizeText(engine, `user\n${i === 0 ? `${question}\n${selection}` : question}`),
    ...ended,
    imStart,
    tokenizeText(engine, `assistant\n${answer}`),
  ]);
  return concatTokens(...parts);
}
