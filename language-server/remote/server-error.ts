// Explains to the user why a team's server did not answer: what happened and, if known, what to do.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

export type Response = IncomingMessage;
/** Makes a server's words fit for the log and the status. */
type Quote = (text: unknown) => string;

const maxErrorChars = 1024;
const maxRetryAfterMs = 3_600_000;

export class ServerError extends Error {
  constructor(
    message: string,
    /** The HTTP status, or the status that the server should have sent (see meanings); 0 if there was none. */
    readonly status = 0,
    /** How long to wait until the next request, as the server asks. */
    readonly retryAfterMs = 0,
  ) {
    super(message);
    this.name = 'ServerError';
  }
}

const unreachable = 'cannot be reached. Check the network, and the VPN or proxy if there is one.';
const unknownAuthority =
  "has a certificate of an authority that this machine does not know. If it is your company's, name its file in the environment variable NODE_EXTRA_CA_CERTS and restart the editor.";
const causes: Record<string, string> = {
  ECONNREFUSED: 'refuses the connection. Is the server running?',
  ECONNRESET: 'has closed the connection.',
  ENOTFOUND: 'cannot be found. Check "hearth.server.url", and the VPN or proxy if there is one.',
  EAI_AGAIN: unreachable,
  ENETUNREACH: unreachable,
  EHOSTUNREACH: unreachable,
  ETIMEDOUT: 'has not answered in time.',
  CERT_HAS_EXPIRED: 'has a certificate that has expired.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'has a certificate for another host.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownAuthority,
  EPROTO: 'does not speak https. Is the port right?',
  ERR_SSL_WRONG_VERSION_NUMBER: 'does not speak https. Is the port right?',
};

const statuses: Record<number, string> = {
  401: 'does not accept the token (401). "Hearth: Set Server Token" stores another.',
  403: 'does not allow this token to use the model (403).',
  404: 'has no /v1/completions, or no such model (404).',
  407: 'cannot be reached, since the proxy requires a sign-in (407).',
  429: 'has had too many requests (429).',
  503: 'is busy (503).',
};

/**
 * The HTTP status for an error's field "type" or "code". It is more reliable than the response's own status: LiteLLM
 * answers some of these errors with 400.
 */
const meanings = new Map<unknown, number>([
  ...[
    'invalid_api_key',
    'authentication_error',
    'auth_error',
    'expired_key',
    'token_not_found_in_db',
    // LiteLLM without a database answers this to a wrong token.
    'no_db_connection',
  ].map((code) => [code, 401] as const),
  ...['key', 'team', 'user', 'org', 'project'].map((owner) => [`${owner}_model_access_denied`, 403] as const),
]);

/** The sentence for an error of the connection. quoted: see Quote. */
export function errorOf(host: string, error: unknown, quoted: Quote): ServerError {
  if (error instanceof ServerError) return error;
  const { code, name, message } = error as NodeJS.ErrnoException;
  const why = causes[/^(Abort|Timeout)Error$/.test(name) ? 'ETIMEDOUT' : (code ?? '')];
  return new ServerError(why ? `${host} ${why}` : `${host}: ${quoted(message || code || error)}.`);
}

/** The error for a response that is no answer. Reads only the beginning of its body. */
export async function refusalOf(host: string, response: Response, quoted: Quote): Promise<ServerError> {
  const { statusCode = 0, headers } = response;
  const { message, means } = errorIn(await beginningOf(response, maxErrorChars));
  const status = (statusCode >= 400 && statusCode < 500 && means) || statusCode;
  const why = whatIsWrong(status, headers, quoted).replace(`(${status})`, `(${statusCode})`);
  return new ServerError(`${host} ${why} ${quoted(message)}`.trim(), status, retryAfter(headers));
}

function whatIsWrong(status: number, headers: IncomingHttpHeaders, quoted: Quote): string {
  const { location = 'nowhere', 'content-type': type = 'nothing' } = headers;
  if (status === 200 && type.startsWith('text/html'))
    return 'answers with a page instead of a completion. Perhaps a gateway wants you to sign in.';
  if (status === 200) return `answers with ${quoted(type)} instead of a completion.`;
  if (status < 300 || status >= 400) return statuses[status] ?? `answers with status ${status}.`;
  return `redirects to ${quoted(location)}. Code goes only where you have sent it: if this is right, set "hearth.server.url" to that address.`;
}

/** The first maxChars characters of a body. The rest is not read. */
export async function beginningOf(response: Response, maxChars: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const bytes of response) {
      text += decoder.decode(bytes, { stream: true });
      if (text.length >= maxChars) break;
    }
  } catch {
    // The part so far may be enough.
  }
  return text.slice(0, maxChars);
}

/**
 * The message in a body. Servers wrap it in JSON; proxies send pages without a message. means: the status by
 * `meanings`; 0 if there is none.
 */
function errorIn(text: string): { message: unknown; means: number } {
  if (/^\s*</.test(text)) return { message: '', means: 0 };
  try {
    const { error, message, detail } = JSON.parse(text);
    const means = meanings.get(error?.type) ?? meanings.get(error?.code) ?? 0;
    return { message: error?.message ?? message ?? textOf(detail) ?? error ?? '', means };
  } catch {
    return { message: text, means: 0 };
  }
}

/** FastAPI sends a list of the faults of a request and their places. */
function textOf(detail: unknown): unknown {
  if (!Array.isArray(detail)) return detail;
  return detail.map((each) => `${[each?.loc].flat().join('.')}: ${each?.msg}`).join('; ');
}

function retryAfter(headers: IncomingHttpHeaders): number {
  const value = headers['retry-after'] ?? '';
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Math.min(maxRetryAfterMs, Math.max(0, ms || 0));
}
