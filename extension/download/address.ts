// Where a file is asked for: at its own host, or at a mirror that has the same paths.
import { l10n } from 'vscode';
import { DownloadError } from './errors.ts';

export interface Address {
  url: string;
  /** What is in place of the file's own host, for messages. */
  host: string;
  headers: Record<string, string>;
}

/** mirror: the base address that replaces "https://HOST"; a name and a password in it are sent to the mirror alone. */
export function addressOf(url: string, mirror = ''): Address {
  const own = new URL(url);
  if (mirror.trim() === '') return { url, host: own.host, headers: {} };
  if (!/^https?:/.test(mirror.trim()) || !URL.canParse(mirror.trim()))
    throw new DownloadError(
      l10n.t('"hearth.download.mirror" must be an address such as "https://models.example.com", not "{0}".', mirror),
    );
  const base = new URL(mirror.trim());
  const { username, password } = base;
  const place = new URL(base.pathname.replace(/\/$/, '') + own.pathname + own.search, base.origin);
  const login = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  return { url: place.href, host: base.host, headers: username === '' ? {} : { authorization: `Basic ${login}` } };
}
