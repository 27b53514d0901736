// Wraps a model and an adapter into one Completer, which evaluates all prompts and generates all text with the adapter.
import type { Completer, Engine } from '../../native/index.ts';

/** adapter: the path of an adapter with which the model was loaded. Absent: returns the model itself. */
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
