// A claim must hold for any bytes that reach a parser. fast-check tries each claim in `npm test`; Jazzer.js tries it
// guided by coverage (test/fuzz/ts/guided.mjs).
export interface Claim {
  /** A sentence, which is the title of the claim's test. */
  title: string;
  /** Valid inputs. */
  seeds: string[];
  /** Words of the input's grammar. */
  words: string[];
  /** Rejects or throws if the claim does not hold. A connection delivers the pieces one by one. */
  check(pieces: Buffer[]): Promise<void> | void;
}

const maxCuts = 3;

/** Turns a fuzzer's bytes into pieces: the first three bytes choose where the connection cuts the others. */
export function cut(bytes: Buffer): Buffer[] {
  const input = bytes.subarray(maxCuts);
  const ends = [...bytes.subarray(0, maxCuts)].map((at) => at % (input.length + 1)).sort((a, b) => a - b);
  return [...ends, input.length].map((end, i) => input.subarray(ends[i - 1] ?? 0, end));
}
