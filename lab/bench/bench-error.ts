/** An error whose message is for the user, so it is printed without a stack trace. */
export class BenchError extends Error {}
