import { FakeEngine } from '../fixtures/fake-engine.ts';
import type { GoldenCase } from './golden-cases.ts';

/** Writes what the model of the case writes. */
export function scripted({ model, isCutOff, probabilities }: GoldenCase): FakeEngine {
  return new FakeEngine({
    respond: () => (isCutOff ? `${model}zed and more` : model),
    logProbability: (index) => Math.log(probabilities.get(index) ?? 1),
  });
}

/** Where the case is cut off. */
export function maxTokensOf({ model, isCutOff }: GoldenCase): number {
  return isCutOff ? model.length : 1000;
}
