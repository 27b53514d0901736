// The way to a team's server: through a proxy or directly, and with which certificates. The client is Node's own, with
// a small agent for proxies. undici would make the server's program 40 % larger, and it does not repeat a POST if the
// server has just closed the connection that was kept alive.
import { readFileSync } from 'node:fs';
import * as http from 'node:http';
import * as https from 'node:https';
import * as tls from 'node:tls';
import { HttpsProxyAgent } from 'https-proxy-agent';
import type { NetworkSettings } from '../protocol/messages.ts';
import { ServerError } from './server-error.ts';

/** How long to keep an unused connection: a person may think between two keys. Servers also close idle connections. */
const idleMs = 60_000;

export const isLoopback = ({ hostname }: URL): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);

/**
 * Options for every request to the server. Connections are kept alive, so that a completion does not wait for a
 * handshake. Certificates are parsed only once: that takes tens of milliseconds.
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
  // A proxy may have its own certificate, so the agent must also know the certificates to trust.
  const agent = proxy ? new ProxyAgent(proxy.href, { ...options, ...trust }) : new direct.Agent(options);
  return { agent, ...trust };
}

/** The event of a cancelled request. Node itself emits none if the request has no connection yet. */
export const cancelled = 'cancelled';

/** If a request is cancelled before the proxy has answered, closes the connection to the proxy. */
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

/**
 * The editor's proxy or, if it has none, the proxy of the environment variables. Null for this machine and for hosts
 * that are reached without a proxy.
 */
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

/** The certificates of Node, of the system if Node can read them, and of the file that NODE_EXTRA_CA_CERTS names. */
function certificates(): string[] {
  const read: unknown = Reflect.get(tls, 'getCACertificates');
  const known = typeof read === 'function' ? [...read('default'), ...read('system')] : tls.rootCertificates;
  const file = process.env.NODE_EXTRA_CA_CERTS;
  try {
    return file ? [...known, readFileSync(file, 'utf8')] : [...known];
  } catch {
    throw new ServerError(`NODE_EXTRA_CA_CERTS names ${file}, which cannot be read.`);
  }
}
