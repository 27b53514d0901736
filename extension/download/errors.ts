// Errors of downloads. Their messages tell the user what happened and what to do.
import { l10n } from 'vscode';

export class DownloadError extends Error {
  constructor(
    message: string,
    /** Whether another attempt might succeed. */
    readonly isTemporary = false,
    /** How long the server asks to wait; absent if it says nothing. */
    readonly retryAfterMs?: number,
  ) {
    super(message);
  }
}

const temporary = (message: string, retryAfterMs?: number) => new DownloadError(message, true, retryAfterMs);

export function responseError({ status, headers }: Response, host: string): DownloadError {
  const retryAfterMs = parseRetryAfter(headers.get('retry-after'));
  if (status === 401)
    return new DownloadError(l10n.t('{0} requires a sign-in for this file (401). Try another mirror.', host));
  if (status === 403)
    return new DownloadError(l10n.t('{0} refuses this file (403). A proxy or a firewall may be the reason.', host));
  if (status === 404)
    return new DownloadError(l10n.t('{0} does not have this file (404). Update Hearth or try another mirror.', host));
  if (status === 429)
    return temporary(l10n.t('{0} has received too many requests (429). Try again later.', host), retryAfterMs);
  if (status === 511) return signInPage(host);
  if (status >= 500)
    return temporary(l10n.t('{0} has a server error ({1}). Try again later.', host, status), retryAfterMs);
  return new DownloadError(l10n.t('{0} sent an unexpected answer (status {1}).', host, status));
}

/** The error behind a captive portal, such as a hotel's, which answers every request with its sign-in page. */
export const signInPage = (host: string): DownloadError =>
  new DownloadError(
    l10n.t(
      '{0} sent a web page instead of the file. If this network requires a sign-in, sign in with a browser first.',
      host,
    ),
  );

export const redirectError = (host: string, reason: string): DownloadError =>
  new DownloadError(l10n.t('{0} redirects to an address that cannot be used ({1}). Try another mirror.', host, reason));

/** The milliseconds to wait according to a Retry-After header, which has a number of seconds or a date. */
function parseRetryAfter(value: string | null): number | undefined {
  if (!value) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

const certificateCodes = /CERT|SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)|ERR_TLS/;

/** The message for an error of the file system; undefined for any other error. */
export function diskError(error: unknown): DownloadError | undefined {
  const code = codeOf(error) ?? '';
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new DownloadError(
      l10n.t('The disk is full. What was downloaded so far is kept: free some space and download again.'),
    );
  if (/^E(ACCES|PERM|ROFS|EXIST|ISDIR|NOTDIR|NOTEMPTY|LOOP)$/.test(code))
    return new DownloadError(l10n.t('Hearth cannot write to the folder for models ({0}).', messageOf(error)));
  if (code === 'ENOENT')
    return new DownloadError(
      l10n.t('The unfinished file or its folder was deleted during the download. Download it again.'),
    );
  return undefined;
}

/** The message for any error. If fetch() failed, the reason is in the error's cause, or in the cause of its cause. */
export function errorFrom(error: unknown, host: string): DownloadError {
  const known = error instanceof DownloadError ? error : diskError(error);
  if (known) return known;
  const causes = [...causesOf(error)];
  const code = causes.map(codeOf).findLast((code) => code !== undefined) ?? '';
  const reason = causes.findLast(({ message }) => message !== '')?.message ?? code;
  // If the proxy refuses to open a tunnel, there is no response with this status, only an error.
  if (/proxy .*\(407\)/i.test(reason))
    return new DownloadError(l10n.t('The proxy requires a sign-in (407). See the setting "http.proxyAuthorization".'));
  if (/redirect|scheme/.test(reason)) return redirectError(host, reason);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return temporary(l10n.t('{0} cannot be found. Is this machine online?', host));
  if (code === 'ECONNREFUSED' || code === 'EHOSTUNREACH' || code === 'ENETUNREACH')
    return temporary(l10n.t('{0} cannot be reached ({1}). Is this machine online, and is a proxy needed?', host, code));
  if (certificateCodes.test(code))
    return new DownloadError(
      l10n.t('The certificate of {0} is not trusted ({1}). If you use a proxy, install its certificate.', host, code),
    );
  return temporary(
    l10n.t('The connection to {0} was lost ({1}). What was downloaded so far is kept.', host, code || reason),
  );
}

function* causesOf(error: unknown): Generator<Error> {
  for (let cause = error; cause instanceof Error; cause = cause.cause) yield cause;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}
