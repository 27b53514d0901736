// Tries a claim about a parser on many inputs made by fast-check. When run as part of `npm test`, it uses the same few
// inputs each time, so that a failure comes from a change and not from chance; `npm run test:reliability -- fuzz-ts
// --minutes N` tries new ones for N minutes per claim. A failure names the smallest input that was found.
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';

const minutes = Number(process.env.HEARTH_FUZZ_MINUTES ?? 0);
const shortForm = { seed: 1, numRuns: 300 };
const longForm = {
  numRuns: Number.POSITIVE_INFINITY,
  interruptAfterTimeLimit: minutes * 60_000,
  markInterruptAsFailure: false,
};
/** The time for one input. A parser that does not return fails. */
const maxMs = 120_000;

/** Vitest options for a test that calls holds(). */
export const fuzzTestOptions = { timeout: minutes * 60_000 + 600_000 };

export async function holds<T>(inputs: fc.Arbitrary<T>, claim: (input: T) => unknown): Promise<void> {
  const property = fc.asyncProperty(inputs, async (input) => {
    await setImmediate(); // lets Vitest's own messages through
    await claim(input);
  });
  const result = await fc.check(property, { ...(minutes > 0 ? longForm : shortForm), timeout: maxMs });
  if (result.failed) throw new Error(report(result), { cause: result.errorInstance });
  if (minutes > 0) console.log(`${result.numRuns} inputs in ${minutes} minutes`);
}

function report<T>({ numRuns, seed, counterexamplePath, counterexample, errorInstance }: fc.RunDetails<T>): string {
  const input = JSON.stringify(counterexample, (_, value) =>
    value?.type === 'Buffer' ? Buffer.from(value.data).toString('latin1') : value,
  );
  return `input ${numRuns} of seed ${seed}, made smaller (${counterexamplePath}): ${input}\n${errorInstance}`;
}

/** Valid inputs with a few parts removed, repeated, or replaced by one of `words` or by a few random bytes. */
export function damaged(seeds: string[], words: string[]): fc.Arbitrary<Buffer> {
  const insert = fc.oneof(
    fc.constantFrom(...words).map((word) => Buffer.from(word)),
    fc.uint8Array({ maxLength: 4 }).map((bytes) => Buffer.from(bytes)),
    fc.nat(200), // the number of bytes taken from the input itself
  );
  const change = fc.record({ at: fc.nat(), remove: fc.nat(20), insert });
  return fc
    .tuple(fc.constantFrom(...seeds), fc.array(change, { maxLength: 8 }))
    .map(([seed, changes]) => changes.reduce(applyChange, Buffer.from(seed)));
}

function applyChange(
  bytes: Buffer,
  { at, remove, insert }: { at: number; remove: number; insert: Buffer | number },
): Buffer {
  const from = at % (bytes.length + 1);
  const added = typeof insert === 'number' ? bytes.subarray(from, from + insert) : insert;
  return Buffer.concat([bytes.subarray(0, from), added, bytes.subarray(from + remove)]);
}

/** The bytes in pieces, as a connection might deliver them. */
export function inPieces(inputs: fc.Arbitrary<Buffer>): fc.Arbitrary<Buffer[]> {
  return fc.tuple(inputs, fc.array(fc.nat(), { maxLength: 6 })).map(([bytes, cuts]) => {
    const ends = cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b);
    return [...ends, bytes.length].map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end));
  });
}
