// What can go wrong in a download, as sentences for people: what happened, and what to do.

export class DownloadError extends Error {
  constructor(
    message: string,
    /** Another attempt may succeed. */
    readonly isTemporary = false,
    /** The server said how long to wait. */
    readonly retryAfterMs?: number,
  ) {
    super(message);
  }
}

const temporary = (message: string, retryAfterMs?: number) => new DownloadError(message, true, retryAfterMs);

export function responseError({ status, headers }: Response, host: string): DownloadError {
  if (status === 401) return new DownloadError(`${host} requires a sign-in for this file (401). Try another mirror.`);
  if (status === 403)
    return new DownloadError(`${host} refuses this file (403). A proxy or a firewall may be the reason.`);
  if (status === 404)
    return new DownloadError(`${host} does not have this file (404). Update Hearth or try another mirror.`);
  if (status === 429)
    return temporary(
      `${host} has received too many requests (429). Try again later.`,
      retryAfter(headers.get('retry-after')),
    );
  if (status === 511) return signInPage(host);
  if (status >= 500) {
    const message = `${host} has a server error (${status}). Try again later.`;
    return temporary(message, retryAfter(headers.get('retry-after')));
  }
  return new DownloadError(`${host} sent an unexpected answer (status ${status}).`);
}

/** A network that wants a sign-in, as in a hotel, answers every request with a page of its own. */
export const signInPage = (host: string): DownloadError =>
  new DownloadError(
    `${host} sent a web page instead of the file. If this network requires a sign-in, sign in with a browser first.`,
  );

/** Seconds or a date. */
function retryAfter(value: string | null): number | undefined {
  if (!value) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

const certificateCodes = /CERT|SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)|ERR_TLS/;

/** What a failed write says; undefined for anything else. */
export function diskError(error: unknown): DownloadError | undefined {
  const code = codeOf(error) ?? '';
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new DownloadError(
      'The disk is full. What was downloaded so far is kept: free some space and download again.',
    );
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return new DownloadError(`Hearth cannot write to the folder for models (${code}).`);
  return undefined;
}

/** A failed fetch has its reason in its cause, or in the cause of that one. */
export function errorFrom(error: unknown, host: string): DownloadError {
  const known = error instanceof DownloadError ? error : diskError(error);
  if (known) return known;
  const causes = [...causesOf(error)];
  const code = causes.map(codeOf).findLast((code) => code !== undefined) ?? '';
  const reason = causes.findLast(({ message }) => message !== '')?.message ?? code;
  // There is no response with this status: the tunnel through the proxy was never there.
  if (/proxy .*\(407\)/i.test(reason))
    return new DownloadError('The proxy requires a sign-in (407). See the setting "http.proxyAuthorization".');
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return temporary(`${host} cannot be found. Is this machine online?`);
  if (code === 'ECONNREFUSED' || code === 'EHOSTUNREACH' || code === 'ENETUNREACH')
    return temporary(`${host} cannot be reached (${code}). Is this machine online, and is a proxy needed?`);
  if (certificateCodes.test(code))
    return new DownloadError(
      `The certificate of ${host} is not trusted (${code}). If you use a proxy, install its certificate.`,
    );
  return temporary(`The connection to ${host} was lost (${code || reason}). What was downloaded so far is kept.`);
}

function* causesOf(error: unknown): Generator<Error> {
  for (let cause = error; cause instanceof Error; cause = cause.cause) yield cause;
}

function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}
