import { FakeEngine } from '../fixtures/fake-engine.ts';
import type { GoldenCase } from './golden-cases.ts';

/** An engine that writes the text of the case's model. */
export function scripted({ model, isCutOff, probabilities }: GoldenCase): FakeEngine {
  return new FakeEngine({
    respond: () => (isCutOff ? `${model}zed and more` : model),
    logProbability: (index) => logProbabilityOf(probabilities.get(index)),
  });
}

/** Engines compute with 32 bits, so 0.05 is slightly below a gate of 0.05. */
export const logProbabilityOf = (probability = 1): number => Math.fround(Math.log(probability));

/** Where the case cuts the text off. */
export function maxTokensOf({ model, isCutOff }: GoldenCase): number {
  return isCutOff ? model.length : 1000;
}
