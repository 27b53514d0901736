// A fingerprint of the engine's results, which have the same bits on every system, processor and CPU variant. So one
// line shows whether Hearth computes correctly on a machine that its authors have never seen.
import { createHash } from 'node:crypto';
import type { Engine, LoadOptions } from '../../native/index.ts';
import type { LoadModel } from '../engine/engine-host.ts';
import { bundledModelPath } from '../engine/load-model.ts';

/**
 * The fingerprint of the bundled model. It changes with the model, and with any change of the kernels that rounds
 * differently.
 */
export const knownFingerprint = '707d99873280d28b656fe154e5fd921f6a20d86b048c40185c84ecddf259f933';

const prompt = `// Größe und Breite: 12 × 34 → "日本" 🙂
export interface Shape { readonly width: number; readonly height: number }

export function area(shapes: readonly Shape[]): number {
  let sum = 0;
  for (const { width, height } of shapes) sum += width * height;
  return sum;
}

/** The shapes that are at least as large as the limit, the largest first. */
export function largest(shapes: readonly Shape[], limit = 0.25e-3): Shape[] {
  return shapes.filter((shape) => `;
const answerTokens = 24;
const sampling = { temperature: 0.8, topK: 40, topP: 0.95, minP: 0.01, seed: 7 };

/**
 * SHA-256 over the logits of a fixed prompt, and over the tokens and log-probabilities of a greedy and a sampled
 * answer.
 */
export async function fingerprint(engine: Engine): Promise<string> {
  const hash = createHash('sha256');
  const add = (values: Float32Array | Uint32Array) =>
    hash.update(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  const tokens = engine.tokenize(prompt);
  add(tokens);
  add(await engine.logits(tokens));
  for (const options of [{}, { sampling }]) {
    const answer = await engine.generate({ tokens, maxTokens: answerTokens, ...options });
    add(answer.tokens);
    add(answer.logProbabilities);
  }
  return hash.digest('hex');
}

/**
 * Loads the bundled model on the CPU, in addition to any other model. Throws if its fingerprint is not the known one.
 */
export async function compareBits(loadModel: LoadModel, options: Pick<LoadOptions, 'variant' | 'threads'> = {}) {
  const { engine } = await loadModel({ ...options, modelPath: bundledModelPath(), backend: 'cpu', contextTokens: 512 });
  try {
    const sum = await fingerprint(engine);
    if (sum === knownFingerprint)
      return `sha256 ${sum} (${engine.info.backend}), as on every system where Hearth was tested`;
    throw new Error(
      `sha256 ${sum} (${engine.info.backend}), not ${knownFingerprint}: this machine computes different values ` +
        'from the machines that Hearth was tested on, so answers may be worse. Please report this line.',
    );
  } finally {
    await engine.close();
  }
}
