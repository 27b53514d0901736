// The tokenizer against @huggingface/tokenizers, an implementation of its own, built from the same GGUF's vocabulary.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gguf } from '@huggingface/gguf';
import { Tokenizer } from '@huggingface/tokenizers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Engine, loadEngine } from '../../native/index.ts';

const root = join(import.meta.dirname, '../..');
const models = ['models/starter.gguf', 'test/fixtures/reference/tiny-mixed.gguf'];

// Tokens of Qwen2's tokenizer.json, less its NFC normalizer, which neither llama.cpp nor Hearth applies.
const pattern =
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

interface Oracle {
  asText: Tokenizer;
  parsing: Tokenizer;
}

async function loadOracle(path: string): Promise<Oracle> {
  const { metadata: typed } = await gguf(path, { allowLocalFile: true });
  const metadata: Record<string, unknown> = { ...typed };
  const tokens = metadata['tokenizer.ggml.tokens'] as string[];
  const types = metadata['tokenizer.ggml.token_type'] as number[];
  const isSpecial = (id: number) => types[id] === 3 || types[id] === 4;
  const ordinary = tokens.map((token, id) => [token, id] as const).filter(([, id]) => types[id] === 1);
  const split = { type: 'Split', pattern: { Regex: pattern }, behavior: 'Isolated', invert: false };
  const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false };
  const make = (special: number[]) =>
    new Tokenizer(
      {
        model: { type: 'BPE', vocab: Object.fromEntries(ordinary), merges: metadata['tokenizer.ggml.merges'] },
        pre_tokenizer: { type: 'Sequence', pretokenizers: [split, byteLevel] },
        decoder: { type: 'ByteLevel' },
        normalizer: null,
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

// A small generator of our own, so that a failure can be run again (mulberry32).
function randomNumbers(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) % below;
  };
}

// Where the other implementation departs from the pattern: JavaScript's \s counts U+FEFF and leaves out U+0085.
const isComparable = (text: string) => !/[\u0085\ufeff]/.test(text);

const words = [
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

function randomText(random: (below: number) => number): string {
  const parts = Array.from({ length: 1 + random(30) }, () =>
    random(4) === 0 ? String.fromCodePoint(randomScalar(random)) : (words[random(words.length)] ?? ''),
  );
  return parts.join('');
}

/** Any code point but a surrogate; every plane and ASCII about as often. */
function randomScalar(random: (below: number) => number): number {
  const limit = [0x80, 0x800, 0x3000, 0x10000, 0x20000, 0x110000][random(6)] ?? 0x80;
  const codePoint = random(limit);
  return codePoint >= 0xd800 && codePoint < 0xe000 ? 0x41 : codePoint;
}

describe.each(models)('%s', (path) => {
  let engine: Engine;
  let oracle: Oracle;
  beforeAll(async () => {
    engine = await loadEngine({ modelPath: join(root, path) });
    oracle = await loadOracle(join(root, path));
  });
  afterAll(() => engine.close());

  function check(text: string) {
    const message = JSON.stringify(text);
    expect([...engine.tokenize(text)], message).toEqual(oracle.asText.encode(text).ids);
    expect([...engine.tokenize(text, true)], message).toEqual(oracle.parsing.encode(text).ids);
    expect(engine.detokenize(engine.tokenize(text)), message).toBe(text);
  }

  test('gives the ids of the other implementation for each hostile word alone and doubled', () => {
    for (const word of words) {
      check(word);
      check(word + word);
      check(` ${word}\n`);
    }
  });

  test('gives the ids of the other implementation for fifteen hundred random texts', () => {
    const random = randomNumbers(1);
    let compared = 0;
    while (compared < 1500) {
      const text = randomText(random);
      if (!isComparable(text)) continue;
      check(text);
      compared++;
    }
  });

  test('gives the ids of the other implementation for source files', () => {
    for (const file of ['native/tokenizer.cc', 'native/index.ts', 'test/native/tokenizer.test.ts', 'package.json']) {
      const source = readFileSync(join(root, file), 'utf8');
      if (isComparable(source)) check(source);
    }
  });

  test('reads lone surrogates as U+FFFD', () => {
    const check = (text: string, expected: string) => expect(engine.tokenize(text)).toEqual(engine.tokenize(expected));
    check('a\ud800b', 'a\ufffdb');
    check('\udc00', '\ufffd');
    check('x\udfff\ud83ey', 'x\ufffd\ufffdy');
  });
});
