// One attempt: requests the rest of a file, checks the response, and appends its bytes to the part file.
import { l10n } from 'vscode';
import type { RemoteFile } from '../../language-server/protocol/models.ts';
import type { Address } from './address.ts';
import { DownloadError, redirectError, responseError, signInPage } from './errors.ts';
import type { Origin, PartFile } from './part-file.ts';

/** A connection that brings fewer than minBytes in a period counts as broken, so no download takes forever. */
export interface MinSpeed {
  minBytes: number;
  periodMs: number;
}

export interface Transfer {
  address: Address;
  signal: AbortSignal;
  speed: MinSpeed;
  freeBytes: () => Promise<number>;
  onProgress: (receivedBytes: number, totalBytes: number) => void;
}

/** Resolves when the part file is complete, or longer than it should be. Otherwise rejects with a DownloadError. */
export async function receive(file: RemoteFile, part: PartFile, transfer: Transfer): Promise<void> {
  const { speed, onProgress } = transfer;
  const { url, host, headers } = transfer.address;
  const slow = new AbortController();
  const slowError = l10n.t('{0} stopped sending, or sends too slowly. What was downloaded so far is kept.', host);
  let periodBytes = 0;
  const timer = setInterval(() => {
    if (periodBytes < speed.minBytes) slow.abort(new DownloadError(slowError, true));
    periodBytes = 0;
  }, speed.periodMs);
  try {
    const signal = AbortSignal.any([transfer.signal, slow.signal]);
    // 'identity': with compression, byte ranges would be ranges of the compressed file.
    const requestHeaders = { ...headers, 'accept-encoding': 'identity', ...rangeHeaders(file, part) };
    const response = await fetch(url, { headers: requestHeaders, signal });
    const origin = await accept(response, file, part, transfer);
    const { minBytes, maxBytes } = file;
    // A response with status 200 begins at the file's first byte, so the part file must begin again, too.
    let mustRestart = response.status === 200;
    for await (const bytes of response.body ?? []) {
      periodBytes += bytes.length;
      if (mustRestart) {
        requireGguf(bytes, file, host);
        await part.restart(origin);
        mustRestart = false;
      }
      await part.append(bytes);
      onProgress(part.length, origin.totalBytes ?? maxBytes);
      if (part.length > (origin.totalBytes ?? maxBytes)) return;
    }
    if (mustRestart || part.length < (origin.totalBytes ?? minBytes))
      throw new DownloadError(
        l10n.t('The connection to {0} ended early. What was downloaded so far is kept.', host),
        true,
      );
  } finally {
    clearInterval(timer);
    // Closes the connection if the response was not read to its end.
    slow.abort();
  }
}

export const hasLength = ({ minBytes, maxBytes }: RemoteFile, bytes: number): boolean =>
  bytes >= minBytes && bytes <= maxBytes;

/**
 * The headers that ask for only the rest of the file. Empty if neither an ETag nor the digest of the whole file could
 * prove that the rest belongs to the bytes received before.
 */
function rangeHeaders({ sha256 }: RemoteFile, { length, origin }: PartFile): Record<string, string> {
  if (length === 0 || !origin || (origin.etag === null && sha256 === null)) return {};
  return { range: `bytes=${length}-`, ...(origin.etag !== null && { 'if-range': origin.etag }) };
}

/** Checks the response before any received bytes are discarded. Returns the origin of the response's bytes. */
async function accept(
  response: Response,
  file: RemoteFile,
  part: PartFile,
  { address: { url, host }, freeBytes }: Transfer,
): Promise<Origin> {
  const { status, headers } = response;
  const { protocol, origin: server } = new URL(response.url || url);
  if (url.startsWith('https:') && protocol !== 'https:') throw redirectError(host, server);
  const origin = originOf(response, file);
  if (status === 416 || (status === 206 && !continues(response, origin, file, part))) {
    await part.restart({ ...origin, etag: null, totalBytes: null });
    throw new DownloadError(
      l10n.t('{0} does not offer the rest of this file ({1}). The download starts again.', host, status),
      true,
    );
  }
  if (status !== 200 && status !== 206) throw responseError(response, host);
  if (headers.get('content-type')?.startsWith('text/html')) throw signInPage(host);
  const { totalBytes } = origin;
  if (totalBytes !== null && !hasLength(file, totalBytes)) {
    const { name, minBytes, maxBytes } = file;
    const expected = minBytes === maxBytes ? minBytes : `${minBytes}–${maxBytes}`;
    throw new DownloadError(
      l10n.t('{0} has another version of {1}: it has {2} bytes instead of {3}.', host, name, totalBytes, expected),
    );
  }
  // If the download starts again, the bytes received before are deleted first. Their space counts as free.
  const neededBytes = (totalBytes ?? file.minBytes) - part.length;
  const free = await freeBytes();
  if (neededBytes > free) {
    const gigabytes = (bytes: number) => (bytes / 1e9).toFixed(1);
    throw new DownloadError(
      l10n.t(
        'The disk has {0} GB free, and {1} needs {2} GB more.',
        gigabytes(free),
        file.name,
        gigabytes(neededBytes),
      ),
    );
  }
  return origin;
}

function originOf({ status, headers }: Response, { url }: RemoteFile): Origin {
  const etag = headers.get('etag');
  const total =
    status === 206 ? contentRange(headers)?.totalBytes : Number(headers.get('content-length') ?? Number.NaN);
  return {
    url,
    // Weak ETags, which begin with "W/", do not promise identical bytes.
    etag: etag?.startsWith('"') ? etag : null,
    totalBytes: total === undefined || Number.isNaN(total) ? null : total,
  };
}

/** Whether the response is from the same file as the received bytes, and begins where they end. */
function continues({ headers }: Response, from: Origin, { sha256 }: RemoteFile, { length, origin }: PartFile): boolean {
  const isSame = from.etag === null ? sha256 !== null : from.etag === origin?.etag;
  const isSameLength = !origin?.totalBytes || from.totalBytes === origin.totalBytes;
  return isSame && isSameLength && contentRange(headers)?.from === length;
}

function contentRange(headers: Headers): { from: number; totalBytes: number } | undefined {
  const match = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers.get('content-range') ?? '');
  return match ? { from: Number(match[1]), totalBytes: Number(match[2]) } : undefined;
}

function requireGguf(bytes: Uint8Array, { name }: RemoteFile, host: string): void {
  // The first chunk of a response can have fewer than four bytes.
  const head = Buffer.from(bytes.subarray(0, 4)).toString('latin1');
  if (head.startsWith('<')) throw signInPage(host);
  if (!'GGUF'.startsWith(head))
    throw new DownloadError(l10n.t('The file that {0} sent as {1} is not a GGUF file.', host, name));
}
