// Converts a prompt from token ids to text for a server. Servers parse special tokens by name, so text of a document
// that looks like one is changed slightly.
import type { Engine } from '../../native/index.ts';

export interface Tokens {
  info: Pick<Engine['info'], 'special'>;
  tokenBytes: Engine['tokenBytes'];
}

/**
 * heal: the bytes that the answer must begin with. A server cannot be constrained, so they are appended to the prompt.
 */
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
