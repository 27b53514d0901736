// Caches generations and plays them back, since gates and rules differ only in where they end the same text.
import type { Completion, Engine, GenerateRequest, OnText } from '../../native/index.ts';

export interface Generation {
  pieces: { text: string; logProbability: number }[];
  completion: Completion;
}

/**
 * An engine that answers a request again from memory. The first asker of each request must be the one that reads
 * furthest.
 */
export function remembered(engine: Engine, memory = new Map<string, Generation>()): Engine {
  const generate = async (request: GenerateRequest, onText?: OnText): Promise<Completion> => {
    const key = JSON.stringify([[...request.tokens], [...(request.heal ?? [])], request.maxTokens]);
    const known = memory.get(key);
    if (known) {
      known.pieces.some(({ text, logProbability }) => onText?.(text, logProbability, 0) === true);
      return known.completion;
    }
    const pieces: Generation['pieces'] = [];
    const completion = await engine.generate(request, (text, logProbability, answer) => {
      pieces.push({ text, logProbability });
      return onText?.(text, logProbability, answer);
    });
    memory.set(key, { pieces, completion });
    return completion;
  };
  return new Proxy(engine, {
    get(target, name) {
      if (name === 'generate') return generate;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
