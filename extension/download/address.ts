// Finds the address for the download of a file: on its own host, or on a mirror with the same paths.
import querystring from 'node:querystring';
import { l10n } from 'vscode';
import { DownloadError } from './errors.ts';

export interface Address {
  url: string;
  /** The host that is contacted and that messages name: the file's own or the mirror. */
  host: string;
  headers: Record<string, string>;
}

/** mirror: the base URL that replaces "https://HOST". A user name and password in it are sent to the mirror only. */
export function addressOf(url: string, mirror = ''): Address {
  const original = new URL(url);
  if (mirror.trim() === '') return { url, host: original.host, headers: {} };
  if (!/^https?:/.test(mirror.trim()) || !URL.canParse(mirror.trim()))
    throw new DownloadError(
      l10n.t('"hearth.download.mirror" must be an address such as "https://models.example.com", not "{0}".', mirror),
    );
  const base = new URL(mirror.trim());
  const { username, password } = base;
  const mirrored = new URL(base.pathname.replace(/\/$/, '') + original.pathname + original.search, base.origin);
  const login = Buffer.from([username, password].map(querystring.unescape).join(':')).toString('base64');
  return { url: mirrored.href, host: base.host, headers: username === '' ? {} : { authorization: `Basic ${login}` } };
}
