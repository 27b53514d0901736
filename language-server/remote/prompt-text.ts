// A prompt of token ids as the text that a server reads. Servers read special tokens in it by name, so that only those
// which the prompt has as tokens may look like one.
import type { Engine } from '../../native/index.ts';

export interface Tokens {
  info: Pick<Engine['info'], 'special'>;
  tokenBytes: Engine['tokenBytes'];
}

/** heal: what the answer must begin with. A server cannot be held to it, so it is told that the answer begins so. */
export function promptText({ info, tokenBytes }: Tokens, tokens: Uint32Array, heal?: Uint8Array): string {
  const special = new Set(Object.values(info.special));
  let text = '';
  let bytes: Uint8Array[] = [];
  const flush = () => {
    text += Buffer.concat(bytes)
      .toString('utf8')
      .replace(/<\|(?=\w+\|>)/g, '< |');
    bytes = [];
  };
  for (const token of tokens) {
    if (special.has(token)) {
      flush();
      text += Buffer.from(tokenBytes(token)).toString('utf8');
    } else bytes.push(tokenBytes(token));
  }
  if (heal) bytes.push(heal);
  flush();
  return text;
}
