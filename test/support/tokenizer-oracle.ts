// An independent tokenizer, @huggingface/tokenizers, with which ours is compared, and texts for the comparison.
import { Tokenizer } from '@huggingface/tokenizers';
import type { Random } from './random.ts';

export interface Vocabulary {
  tokens: string[];
  /** Token types in GGUF: 1 ordinary, 3 control, 4 user-defined, 6 byte. */
  types: number[];
  merges: string[];
}

export type PreTokenizer = Record<string, unknown>;

export const split = (regex: string): PreTokenizer => ({
  type: 'Split',
  pattern: { Regex: regex },
  behavior: 'Isolated',
  invert: false,
});

export const byteLevel = (usesRegex: boolean): PreTokenizer => ({
  type: 'ByteLevel',
  add_prefix_space: false,
  trim_offsets: false,
  use_regex: usesRegex,
});

export interface Oracle {
  /** Reads the names of special tokens as ordinary text. */
  asText: Tokenizer;
  /** Turns the names of special tokens into these tokens. */
  parsing: Tokenizer;
}

/** model: further fields of the "model" object in tokenizer.json, besides vocabulary and merges. */
export function makeOracle({ tokens, types, merges }: Vocabulary, pretokenizers: PreTokenizer[], model = {}): Oracle {
  const ordinary = tokens
    .map((token, id) => [token, id] as const)
    .filter(([, id]) => types[id] === 1 || types[id] === 6);
  const isSpecial = (id: number) => types[id] === 3 || types[id] === 4;
  const make = (special: number[]) =>
    new Tokenizer(
      {
        model: { type: 'BPE', vocab: Object.fromEntries(ordinary), merges, ...model },
        pre_tokenizer: pretokenizers.length > 0 ? { type: 'Sequence', pretokenizers } : null,
        decoder: { type: 'ByteLevel' },
        normalizer: pretokenizers.length > 0 ? null : { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
        post_processor: null,
        added_tokens: special.map((id) => ({
          id,
          content: tokens[id],
          special: true,
          lstrip: false,
          rstrip: false,
          normalized: false,
          single_word: false,
        })),
      },
      {},
    );
  return { asText: make([]), parsing: make([...tokens.keys()].filter(isSpecial)) };
}

// The other implementation uses JavaScript's \s, which includes U+FEFF and excludes U+0085, unlike the models'
// patterns.
export const isComparable = (text: string) => !/[\u0085\ufeff]/.test(text);

export const words = [
  ...[
    "'s",
    "'T",
    "'ll",
    "'VE",
    "'",
    "'ſ",
    'don',
    'İ',
    'ﬁ',
    'é',
    'e\u0301',
    'naïve',
    'Ωmega',
    'нещо',
    '漢字',
    'かな',
    'ไทย',
    'हिन्दी',
  ],
  ...['0', '42', '١٢', '½', 'Ⅷ', '²', '1_000', '0xFF', '3.14e-10', '_', '__init__', 'camelCase', 'SCREAMING_CASE'],
  ...[' ', '  ', '    ', '\t', '\t\t', '\n', '\n\n', '\r\n', '\r', '\v', '\f', '\u00a0', '\u2003', '\u2028', '\u3000'],
  ...['(', ')', '{}', '[];', '=>', '!==', '/*', '*/', '//', '#!', '"', '`', '\\n', '\\', '$', '€', '\u0000', '\u007f'],
  ...[
    '🦙',
    '👩‍👩‍👧',
    '🏳️‍🌈',
    '\u200d',
    '\u200b',
    '\u202e',
    '\uffff',
    '\u{10ffff}',
    '\u{e0001}',
    '\ufffd',
    '=====',
    '-----',
  ],
  ...[
    '<|endoftext|>',
    '<|fim_prefix|>',
    '<|fim_middle',
    '<|',
    '|>',
    '<|<|im_start|>',
    '<tool_call>',
    '[PAD1]',
    'Ġ',
    'Ċ',
    'Âł',
  ],
  ...['return', ' function', 'const ', 'import os\n', 'self.', '<div>', 'SELECT *', '\n    if (x) {\n'],
];

export function randomText(r: Random): string {
  const parts = Array.from({ length: 1 + r.below(30) }, () =>
    r.below(4) === 0 ? String.fromCodePoint(randomScalar(r)) : r.pick(words),
  );
  return parts.join('');
}

/** Any code point except surrogates. Small ones are more frequent: ASCII is about as frequent as a whole plane. */
function randomScalar(r: Random): number {
  const codePoint = r.below(r.pick([0x80, 0x800, 0x3000, 0x10000, 0x20000, 0x110000]));
  return codePoint >= 0xd800 && codePoint < 0xe000 ? 0x41 : codePoint;
}
