// Converts a prompt from token ids to text. Servers recognize special tokens by their names, so document text that
// looks like such a name gets a space after its first character.
import type { FimTokens } from '../models/model-traits.ts';

/** Names of special tokens with bars, plain or full-width. They hardly occur in code, so they are always changed. */
const withBars = /<(?=\|[\w-]+\|>|｜[^\s｜]+｜>)/g;
/**
 * Names of special tokens without bars. They occur in code, so they are changed only for models that have such tokens.
 */
const withoutBars =
  /<(?=(?:fim_(?:prefix|middle|suffix|pad)|filename|reponame|repo_name|file_sep|gh_stars|issue_\w+|jupyter_\w+|commit_\w+|empty_output|PRE|SUF|MID|EOT|\/?s|unk|pad|bos|eos)>|\[[\w-]+\]>)|▁(?=<(?:PRE|SUF|MID|EOT)>)|\[(?=\/?(?:PREFIX|SUFFIX|MIDDLE|INST|TOOL_\w+)\])/g;

export interface Vocabulary {
  /** Ids from this number on are special tokens. */
  size: number;
  /** The names of the special tokens, in the order of their ids. */
  special: string[];
  tokenBytes(token: number): Uint8Array;
}

/** heal: the bytes with which the answer must begin. A server cannot be constrained, so they are the prompt's end. */
export function promptText(vocabulary: Vocabulary, fim: FimTokens, tokens: Uint32Array, heal?: Uint8Array): string {
  const plain = (bytes: Uint8Array[]) => {
    const text = Buffer.concat(bytes).toString('utf8').replace(withBars, '< ');
    return /[|｜]/.test(fim.prefix) ? text : text.replace(withoutBars, '$& ');
  };
  let text = '';
  let bytes: Uint8Array[] = [];
  for (const token of tokens) {
    const name = vocabulary.special[token - vocabulary.size];
    if (name === undefined) {
      bytes.push(vocabulary.tokenBytes(token));
    } else {
      text += plain(bytes) + name;
      bytes = [];
    }
  }
  return text + plain(heal ? [...bytes, heal] : bytes);
}
