// The way to a team's server: a proxy or none, and the certificates to trust. It is Node's own client with a small agent
// for proxies: undici would make the server's program larger by 40 %, and does not repeat a POST whose kept connection
// the server has just closed.
import { readFileSync } from 'node:fs';
import * as http from 'node:http';
import * as https from 'node:https';
import * as tls from 'node:tls';
import { HttpsProxyAgent } from 'https-proxy-agent';
import type { NetworkSettings } from '../protocol/messages.ts';
import { ServerError } from './server-error.ts';

/** Between two keys a person may think; servers close idle connections themselves. */
const idleMs = 60_000;

export const isLoopback = ({ hostname }: URL): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);

/**
 * Options for every request to the server. Connections are kept alive, so that a completion does not wait for a
 * handshake. The certificates are parsed once, which takes tens of milliseconds, and not for each connection.
 */
export function wayTo(server: URL, network: NetworkSettings) {
  const proxy = proxyFor(server, network);
  const isEncrypted = [server, proxy].some((each) => each?.protocol === 'https:');
  const trust = {
    rejectUnauthorized: network.strictTls ?? true,
    ...(isEncrypted && { secureContext: tls.createSecureContext({ ca: certificates() }) }),
  };
  const options = { keepAlive: true, timeout: idleMs };
  const direct = server.protocol === 'https:' ? https : http;
  // A proxy may have a certificate of its own.
  const agent = proxy ? new ProxyAgent(proxy.href, { ...options, ...trust }) : new direct.Agent(options);
  return { agent, ...trust };
}

/** An event of a request, for who connects: Node has none for a request that has no connection yet. */
export const cancelled = 'cancelled';

/** Closes the connection to a proxy that has not answered when the request is cancelled. */
class ProxyAgent extends HttpsProxyAgent<string> {
  override async connect(...[request, options]: Parameters<HttpsProxyAgent<string>['connect']>) {
    const connecting = new AbortController();
    const stop = () => connecting.abort();
    request.once(cancelled, stop);
    Object.assign(this.connectOpts, { signal: connecting.signal });
    try {
      return await super.connect(request, options);
    } finally {
      request.off(cancelled, stop);
    }
  }
}

/** The editor's proxy, or else that of the environment variables; null for this machine and for excepted hosts. */
export function proxyFor(server: URL, { proxy, noProxy = [] }: NetworkSettings): URL | null {
  const environment = (name: string) => process.env[name] || process.env[name.toLowerCase()] || '';
  const exceptions = [...noProxy, ...environment('NO_PROXY').split(/[\s,]+/)].map((name) => name.replace(/^\*?\./, ''));
  const { hostname, host } = server;
  const isExcepted = exceptions.some(
    (name) => name !== '' && (name === '*' || name === host || hostname === name || hostname.endsWith(`.${name}`)),
  );
  if (isLoopback(server) || isExcepted) return null;
  const address = proxy || environment(server.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY');
  if (address === '') return null;
  const whole = address.includes('://') ? address : `http://${address}`;
  if (URL.canParse(whole)) return new URL(whole);
  throw new ServerError('The address of the proxy is not valid: see "http.proxy" or HTTPS_PROXY.');
}

/** Those of Node, of the system where Node can read them, and of the company's file. */
function certificates(): string[] {
  const inStore: unknown = Reflect.get(tls, 'getCACertificates');
  const ofSystem = typeof inStore === 'function' ? [...inStore('default'), ...inStore('system')] : tls.rootCertificates;
  const file = process.env.NODE_EXTRA_CA_CERTS;
  try {
    return file ? [...ofSystem, readFileSync(file, 'utf8')] : [...ofSystem];
  } catch {
    throw new ServerError(`NODE_EXTRA_CA_CERTS names ${file}, which cannot be read.`);
  }
}
