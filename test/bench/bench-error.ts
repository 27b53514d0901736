/** A message for people: printed without a stack. */
export class BenchError extends Error {}
