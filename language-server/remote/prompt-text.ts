// A prompt of token ids as the text that a server reads. Servers read special tokens in it by name, so that only those
// which the prompt has as tokens may look like one.
import type { Engine, SpecialTokens } from '../../native/index.ts';

const names: Record<keyof SpecialTokens, string> = {
  fimPrefix: 'fim_prefix',
  fimMiddle: 'fim_middle',
  fimSuffix: 'fim_suffix',
  fileSep: 'file_sep',
  repoName: 'repo_name',
  imStart: 'im_start',
  imEnd: 'im_end',
  endOfText: 'endoftext',
};

/** heal: what the answer must begin with. A server cannot be held to it, so it is told that the answer begins so. */
export function promptText({ info, tokenBytes }: Tokens, tokens: Uint32Array, heal?: Uint8Array): string {
  const special = new Map(
    Object.entries(names).map(([key, name]) => [info.special[key as keyof SpecialTokens], `<|${name}|>`]),
  );
  let text = '';
  let bytes: Uint8Array[] = [];
  const flush = () => {
    text += Buffer.concat(bytes)
      .toString('utf8')
      .replace(/<\|(?=\w+\|>)/g, '< |');
    bytes = [];
  };
  for (const token of tokens) {
    const name = special.get(token);
    if (name === undefined) {
      bytes.push(tokenBytes(token));
      continue;
    }
    flush();
    text += name;
  }
  if (heal) bytes.push(heal);
  flush();
  return text;
}

export interface Tokens {
  info: Pick<Engine['info'], 'special'>;
  tokenBytes: Engine['tokenBytes'];
}
