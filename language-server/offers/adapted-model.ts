// A model with an adapter, as a model of its own: all of its prompts are read, and all of its text is written, with the
// adapter.
import type { Completer, Engine } from '../../native/index.ts';

/** adapter: the path of one that the model was loaded with; absent: the model itself. */
export function adaptedModel(model: Engine, adapter?: string): Completer {
  if (adapter === undefined) return model;
  return {
    get info() {
      return model.info;
    },
    tokenize: (text) => model.tokenize(text),
    tokenBytes: (token) => model.tokenBytes(token),
    generate: (request, onText, signal) => model.generate({ ...request, adapter }, onText, signal),
    prefill: (tokens, priority, signal) => model.prefill(tokens, priority, signal, adapter),
    pin: (id, tokens) => model.pin(id, tokens, adapter),
    learn: (tokens) => model.learn(tokens),
  };
}
