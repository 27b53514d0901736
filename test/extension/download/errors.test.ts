import { expect, test } from 'vitest';
import { errorFrom } from '../../../extension/download/errors.ts';

/** An error of fetch(). */
const failed = (cause: Error & { code?: string }) => new TypeError('fetch failed', { cause });

/** The error of undici's ProxyAgent about a proxy's answer. */
const abortedBy = (message: string) => new Error('Request was cancelled.', { cause: new Error(message) });

const withCode = (code: string, message = 'no') => Object.assign(new Error(message), { code });

test.each([
  [failed(withCode('SELF_SIGNED_CERT_IN_CHAIN')), 'The certificate of example.com is not trusted'],
  [failed(withCode('UNABLE_TO_VERIFY_LEAF_SIGNATURE')), 'The certificate of example.com is not trusted'],
  [failed(withCode('ERR_TLS_CERT_ALTNAME_INVALID')), 'The certificate of example.com is not trusted'],
  [failed(abortedBy('Proxy response (407) !== 200 when HTTP Tunneling')), 'The proxy requires a sign-in (407)'],
  [failed(new Error('Proxy Authentication Required (407)')), 'The proxy requires a sign-in (407)'],
  [withCode('EACCES', 'open /a'), 'cannot write to the folder for models (open /a)'],
  [failed(new Error('redirect count exceeded')), 'redirects to an address that cannot be used'],
  [withCode('ENOSPC'), 'The disk is full'],
])('an error that another attempt would not change is reported at once: %#', (error, words) => {
  const problem = errorFrom(error, 'example.com');
  expect(problem.message).toContain(words);
  expect(problem.isTemporary).toBe(false);
});

test.each([
  [failed(withCode('EAI_AGAIN')), 'example.com cannot be found'],
  [failed(withCode('ENETUNREACH')), 'example.com cannot be reached (ENETUNREACH)'],
  [failed(withCode('ECONNRESET')), 'The connection to example.com was lost (ECONNRESET)'],
  [failed(new Error('other side closed')), 'The connection to example.com was lost (other side closed)'],
  [new TypeError('terminated'), 'The connection to example.com was lost (terminated)'],
])('an error that might pass is worth another attempt: %#', (error, words) => {
  const problem = errorFrom(error, 'example.com');
  expect(problem.message).toContain(words);
  expect(problem.isTemporary).toBe(true);
});
