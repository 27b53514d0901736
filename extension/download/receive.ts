// Makes one request for the rest of a file, checks the response and appends its bytes to the part file.
import { l10n } from 'vscode';
import type { RemoteFile } from '../../language-server/protocol/models.ts';
import type { Address } from './address.ts';
import { DownloadError, responseError, signInPage } from './errors.ts';
import type { Origin, PartFile } from './part-file.ts';

export interface Transfer {
  address: Address;
  signal: AbortSignal;
  stallMs: number;
  freeBytes: () => Promise<number>;
  laterBytes: number;
  onProgress: (receivedBytes: number, totalBytes: number | null) => void;
}

/** Resolves when the part file is complete, or longer than it should be; rejects with a DownloadError otherwise. */
export async function receive(file: RemoteFile, part: PartFile, transfer: Transfer): Promise<void> {
  const { url, host, headers } = transfer.address;
  const stall = new AbortController();
  const onStall = () =>
    stall.abort(new DownloadError(l10n.t('{0} stopped sending. What was downloaded so far is kept.', host), true));
  const timer = setTimeout(onStall, transfer.stallMs);
  try {
    const signal = AbortSignal.any([transfer.signal, stall.signal]);
    // No compression: byte ranges would then refer to the compressed file.
    const range = { ...headers, 'accept-encoding': 'identity', ...rangeHeaders(file, part) };
    const response = await fetch(url, { headers: range, signal });
    const origin = await accept(response, file, part, transfer);
    let isNew = response.status === 200;
    for await (const bytes of response.body ?? []) {
      timer.refresh();
      if (isNew) {
        requireGguf(bytes, file, host);
        await part.restart(origin);
        isNew = false;
      }
      await part.append(bytes);
      transfer.onProgress(part.length, origin.totalBytes);
      if (part.length > (origin.totalBytes ?? Number.POSITIVE_INFINITY)) return;
    }
    if (part.length < (origin.totalBytes ?? 0))
      throw new DownloadError(
        l10n.t('The connection to {0} ended early. What was downloaded so far is kept.', host),
        true,
      );
  } finally {
    clearTimeout(timer);
    // Closes the connection if the response has not been read to its end.
    stall.abort();
  }
}

/** Asks for the rest only if an ETag, or at last the digest, can show that it belongs to the bytes received before. */
function rangeHeaders({ sha256 }: RemoteFile, { length, origin }: PartFile): Record<string, string> {
  if (length === 0 || !origin || (origin.etag === null && sha256 === null)) return {};
  return { range: `bytes=${length}-`, ...(origin.etag !== null && { 'if-range': origin.etag }) };
}

/** Checks the response before anything already received is discarded, and returns what it says about the whole file. */
async function accept(
  response: Response,
  file: RemoteFile,
  part: PartFile,
  { address: { host }, freeBytes, laterBytes }: Transfer,
): Promise<Origin> {
  const { status, headers } = response;
  const origin = originOf(response, file);
  if (status === 416 || (status === 206 && !continues(response, part))) {
    await part.restart({ ...origin, etag: null, totalBytes: null });
    throw new DownloadError(
      l10n.t('{0} does not offer the rest of this file ({1}). The download starts again.', host, status),
      true,
    );
  }
  if (status !== 200 && status !== 206) throw responseError(response, host);
  if (headers.get('content-type')?.startsWith('text/html')) throw signInPage(host);
  const { totalBytes } = origin;
  if (file.bytes !== null && totalBytes !== null && totalBytes !== file.bytes)
    throw new DownloadError(
      l10n.t(
        '{0} has another version of {1}: it has {2} bytes instead of {3}.',
        host,
        file.name,
        totalBytes,
        file.bytes,
      ),
    );
  const neededBytes = (totalBytes ?? 0) - (status === 206 ? part.length : 0) + laterBytes;
  const free = await freeBytes();
  // A download that starts again frees the space of what it had received.
  if (neededBytes > free + (status === 200 ? part.length : 0)) {
    const [needed, there] = [neededBytes, free].map((bytes) => (bytes / 1e9).toFixed(1)) as [string, string];
    throw new DownloadError(
      laterBytes > 0
        ? l10n.t('The disk has {0} GB free, and {1} and the parts after it need {2} GB more.', there, file.name, needed)
        : l10n.t('The disk has {0} GB free, and {1} needs {2} GB more.', there, file.name, needed),
    );
  }
  return origin;
}

function originOf({ status, headers }: Response, { url, bytes }: RemoteFile): Origin {
  const etag = headers.get('etag');
  const total =
    status === 206 ? contentRange(headers)?.totalBytes : Number(headers.get('content-length') ?? Number.NaN);
  const totalBytes = total === undefined || Number.isNaN(total) ? bytes : total;
  // Weak ETags do not promise identical bytes.
  return { url, etag: etag?.startsWith('"') ? etag : null, totalBytes };
}

function continues({ headers }: Response, { length, origin }: PartFile): boolean {
  const range = contentRange(headers);
  return range?.from === length && (!origin?.totalBytes || range.totalBytes === origin.totalBytes);
}

function contentRange(headers: Headers): { from: number; totalBytes: number } | undefined {
  const match = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers.get('content-range') ?? '');
  return match ? { from: Number(match[1]), totalBytes: Number(match[2]) } : undefined;
}

function requireGguf(bytes: Uint8Array, { name }: RemoteFile, host: string): void {
  const head = Buffer.from(bytes.subarray(0, 4)).toString('latin1');
  if (head.startsWith('<')) throw signInPage(host);
  if (!'GGUF'.startsWith(head))
    throw new DownloadError(l10n.t('The file that {0} sent as {1} is not a GGUF file.', host, name));
}
