// Combines a model and an adapter into one Completer that evaluates and generates everything with the adapter.
import type { Completer, Engine } from '../../native/index.ts';

/** adapter: the path of an adapter that was loaded with the model. Without one, returns the model itself. */
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
