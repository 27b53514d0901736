// npm run tool -- catalogue [--mirror URL]: compares the list of downloadable models with the files of a mirror. No
// model is downloaded: Git LFS servers such as Hugging Face give a file's length and digest in headers or in a pointer
// file.
import { type Command, print, printJson, text, UsageError } from '../../language-server/cli/command.ts';
import { catalogue } from '../../language-server/models/catalogue.ts';
import type { RemoteFile } from '../../language-server/protocol/models.ts';

/** A mirror's facts about a file; null for facts that the mirror does not give. */
interface Found {
  bytes: number | null;
  sha256: string | null;
  etag: string | null;
}

export interface Comparison extends Found {
  name: string;
  /** The digest in our list; null if it has none. */
  listed: string | null;
  /** Sentences about problems; empty if nothing is wrong. */
  problems: string[];
}

const ownHost = 'https://huggingface.co';
const timeoutMs = 30_000;

export const catalogueCommand: Command = {
  summary: 'compare the models that can be downloaded with the files of a mirror',
  operands: '',
  options: { mirror: { type: 'string', value: 'URL', help: `the address of the mirror; default: ${ownHost}` } },
  async run(values) {
    const mirror = text(values, 'mirror') ?? ownHost;
    if (!/^https?:/.test(mirror) || !URL.canParse(mirror))
      throw new UsageError(`--mirror must be an address such as ${ownHost}, not "${mirror}"`);
    const results: Comparison[] = [];
    for (const { file } of catalogue) results.push(await compare(file, mirror.replace(/\/$/, '')));
    if (values.json) printJson(results);
    else for (const result of results) print(lineOf(result));
    const wrong = results.filter(({ problems }) => problems.length > 0).length;
    if (wrong > 0) throw new Error(`${wrong} of ${results.length} files are not as the list says`);
  },
};

async function compare(file: RemoteFile, mirror: string): Promise<Comparison> {
  const found: Found = { bytes: null, sha256: null, etag: null };
  const problems: string[] = [];
  const url = mirror + new URL(file.url).pathname;
  try {
    const head = await request(url, 'HEAD', {}, 'manual');
    const start = await request(url, 'GET', { range: 'bytes=0-3' });
    if (start.status !== 206)
      throw new Error(start.ok ? 'The mirror does not support ranges.' : `Status ${start.status}.`);
    found.etag = start.headers.get('etag');
    found.bytes = Number(/^bytes 0-3\/(\d+)$/.exec(start.headers.get('content-range') ?? '')?.[1] ?? 0);
    found.sha256 = digestIn(head, start) ?? (await digestInPointer(url.replace('/resolve/', '/raw/')));
    if ((await start.text()) !== 'GGUF') problems.push('It is not a GGUF file.');
    if (found.bytes < file.minBytes || found.bytes > file.maxBytes)
      problems.push(`It has ${found.bytes} bytes instead of ${file.minBytes} to ${file.maxBytes}.`);
    if (file.sha256 !== null && found.sha256 !== null && found.sha256 !== file.sha256)
      problems.push(`Its SHA-256 digest is ${found.sha256} instead of ${file.sha256}.`);
    if (!(await canResume(url, found.etag)))
      problems.push('A download cannot be resumed: the mirror gives no lasting ETag.');
  } catch (error) {
    problems.push(reasonOf(error));
  }
  return { name: file.name, listed: file.sha256, ...found, problems };
}

async function request(url: string, method: string, headers: Record<string, string>, redirect?: 'manual') {
  const signal = AbortSignal.timeout(timeoutMs);
  const options = { method, headers: { 'accept-encoding': 'identity', ...headers }, signal };
  const response = await fetch(url, redirect ? { ...options, redirect } : options);
  // A server that ignores the range would send the whole file of several gigabytes.
  if (method === 'GET' && !(Number(response.headers.get('content-length')) < 1000)) await response.body?.cancel();
  return response;
}

/** The digest in the responses' headers. Hugging Face redirects to another server, where the ETag is the digest. */
const digestIn = (...responses: Response[]): string | null =>
  responses
    .flatMap(({ headers }) => [headers.get('x-linked-etag'), headers.get('etag')])
    .map((etag) => /^"([0-9a-f]{64})"$/.exec(etag ?? '')?.[1])
    .find((digest) => digest !== undefined) ?? null;

/** The digest in a file's Git LFS pointer, a short text with the line "oid sha256:DIGEST"; null if there is none. */
async function digestInPointer(url: string): Promise<string | null> {
  const response = await request(url, 'GET', {});
  if (!response.ok || response.bodyUsed) return null;
  return /^oid sha256:([0-9a-f]{64})$/m.exec(await response.text())?.[1] ?? null;
}

/** Whether a download can be resumed: whether the server sends the rest of a file that still has this ETag. */
async function canResume(url: string, etag: string | null): Promise<boolean> {
  if (!etag?.startsWith('"')) return false;
  const { status, headers } = await request(url, 'GET', { range: 'bytes=4-7', 'if-range': etag });
  return status === 206 && headers.get('etag') === etag;
}

function lineOf({ name, bytes, sha256, listed, problems }: Comparison): string {
  const digest = listed === null ? `no digest is listed; the mirror has ${sha256 ?? 'none'}` : 'the digest is right';
  const good = sha256 === null && listed !== null ? 'the mirror gives no digest' : digest;
  return `${name}: ${problems.length > 0 ? problems.join(' ') : `${bytes} bytes, ${good}`}`;
}

function reasonOf(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}
