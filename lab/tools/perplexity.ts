// npm run tool -- perplexity FILES…: how well the model predicts files.

import {
  type Command,
  engineOptions,
  print,
  printJson,
  readText,
  UsageError,
  withEngine,
} from '../../language-server/cli/command.ts';
import type { Engine } from '../../native/index.ts';

interface Likelihood {
  nats: number;
  tokens: number;
  bytes: number;
}

export const perplexityCommand: Command = {
  summary: 'how well the model predicts files, in nats per token and per byte',
  operands: 'FILES…',
  options: engineOptions,
  async run(values, operands) {
    if (operands.length === 0) throw new UsageError('expected at least one file');
    const texts = operands.map(readText);
    await withEngine(values, async (engine) => {
      const total: Likelihood = { nats: 0, tokens: 0, bytes: 0 };
      for (const content of texts) await addLikelihood(engine, engine.tokenize(content), total);
      if (total.tokens === 0) throw new Error('the files are too short: two tokens are needed');
      const nllPerToken = total.nats / total.tokens;
      const nllPerByte = total.nats / total.bytes;
      if (values.json) printJson({ nllPerToken, nllPerByte, tokens: total.tokens });
      else {
        const perplexity = Math.exp(nllPerToken).toFixed(3);
        print(
          `${nllPerToken.toFixed(4)} nats per token (perplexity ${perplexity}), ${nllPerByte.toFixed(4)} nats per byte`,
        );
        print(`${total.tokens} tokens, ${total.bytes} bytes`);
      }
    });
  },
};

/**
 * Adds a text to the total. The text is cut into windows of the context's size; a window's first token does not count.
 */
async function addLikelihood(engine: Engine, tokens: Uint32Array, total: Likelihood): Promise<void> {
  const size = engine.info.contextTokens;
  for (let start = 0; start + 1 < tokens.length; start += size) {
    const window = tokens.subarray(start, start + size);
    for (const nats of await engine.score(window)) total.nats += nats;
    total.tokens += window.length - 1;
    for (const token of window.subarray(1)) total.bytes += engine.tokenBytes(token).length;
  }
}
