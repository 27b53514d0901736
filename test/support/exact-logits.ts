// Reads logits that were computed in exact arithmetic (test/fixtures/reference), and compares an engine's logits with
// them.
import { readFileSync } from 'node:fs';

export function floats(path: string): Float32Array {
  const bytes = readFileSync(path);
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

export function argmax(row: Float32Array): number {
  return row.indexOf(row.reduce((greatest, value) => Math.max(greatest, value)));
}

/** The normalized mean squared error: the sum of the squared errors, divided by the sum of the squared exact logits. */
export function nmse(ours: Float32Array, exact: Float32Array): number {
  let error = 0;
  let energy = 0;
  for (const [i, value] of exact.entries()) {
    error += ((ours[i] ?? Number.NaN) - value) ** 2;
    energy += value ** 2;
  }
  return error / energy;
}
