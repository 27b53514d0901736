/** An error whose message is for the user, so no stack trace is printed. */
export class BenchError extends Error {}
