// The ChatML prompt of an explanation. As for completion, the selection is tokenized without special tokens.
import { type Engine, EngineError } from '../../native/index.ts';
import { concatTokens, tokenizeText } from '../completion/fim-prompt.ts';

/** At most this share of the context is the question; a longer selection is cut at its end. */
const questionShare = 0.6;
// Ordinary code has three to four characters a token; nothing that a person selects has more than ten.
const maxCharsPerToken = 10;

export function explainPrompt(engine: Engine, code: string, languageId: string): Uint32Array {
  const { imStart, imEnd } = engine.info.special;
  if (imStart < 0 || imEnd < 0) {
    throw new EngineError(
      'model-unsupported',
      `${engine.info.name} cannot explain code: it has no chat tokens. Choose an instruct model in "hearth.model.path".`,
    );
  }
  return concatTokens(
    imStart,
    questionTokens(engine, code, languageId),
    imEnd,
    tokenizeText(engine, '\n'),
    imStart,
    tokenizeText(engine, 'assistant\n'),
  );
}

function questionTokens(engine: Engine, code: string, languageId: string): Uint32Array {
  const limit = Math.floor(engine.info.contextTokens * questionShare);
  const fence = code.includes('```') ? '````' : '```';
  let shown = code.slice(0, limit * maxCharsPerToken).trimEnd();
  for (;;) {
    const tokens = tokenizeText(engine, `user\nExplain this code:\n${fence}${languageId}\n${shown}\n${fence}`);
    if (tokens.length <= limit || shown === '') return tokens;
    // The rest of the text may be denser than its mean, so a little more is cut than seems needed.
    shown = shown.slice(0, Math.floor(((shown.length * limit) / tokens.length) * 0.95));
  }
}
