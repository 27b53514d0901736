// The model of a tool that completes, with the adapter that --adapter names.
import { engineOptions, type Options, text, type Values, withEngine } from '../../language-server/cli/command.ts';
import { adaptedModel } from '../../language-server/offers/adapted-model.ts';
import type { Completer } from '../../native/index.ts';

export const completerOptions = {
  ...engineOptions,
  adapter: { type: 'string', value: 'FILE', help: 'LoRA adapter with which the model completes, a GGUF file' },
} satisfies Options;

export function withCompleter(values: Values, use: (model: Completer) => Promise<void>): Promise<void> {
  return withEngine(values, (engine) => use(adaptedModel(engine, text(values, 'adapter'))));
}
