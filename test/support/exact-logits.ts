// Logits in exact arithmetic, as in test/fixtures/reference, and the distance of an engine's logits from them.
import { readFileSync } from 'node:fs';

export function floats(path: string): Float32Array {
  const bytes = readFileSync(path);
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

export function argmax(row: Float32Array): number {
  return row.indexOf(row.reduce((greatest, value) => Math.max(greatest, value)));
}

/** The energy of the error relative to that of the exact logits. */
export function nmse(ours: Float32Array, exact: Float32Array): number {
  let error = 0;
  let energy = 0;
  for (const [i, value] of exact.entries()) {
    error += ((ours[i] ?? Number.NaN) - value) ** 2;
    energy += value ** 2;
  }
  return error / energy;
}
