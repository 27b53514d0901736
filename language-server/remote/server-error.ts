// Why a team's server did not answer.

/** Its message is a sentence for people: what happened and, where that is known, what to do. */
export class ServerError extends Error {
  constructor(
    message: string,
    /** The HTTP status; 0 if there was none. */
    readonly status = 0,
    /** How long the server wants to be left alone. */
    readonly retryAfterMs = 0,
  ) {
    super(message);
    this.name = 'ServerError';
  }

  static of(error: unknown): ServerError {
    return error instanceof ServerError ? error : new ServerError(error instanceof Error ? error.message : String(error));
  }
}
