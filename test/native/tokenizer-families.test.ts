// Compares the tokenizers of families other than qwen2 with another implementation, which uses the patterns in the
// models' tokenizer.json files. The vocabulary is that of the starter model.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gguf } from '@huggingface/gguf';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Engine, loadEngine } from '../../native/index.ts';
import { type GgufValue, writeGguf } from '../support/gguf-writer.ts';
import { random } from '../support/random.ts';
import { shapes, syntheticModel } from '../support/synthetic-model.ts';
import {
  byteLevel,
  isComparable,
  makeOracle,
  type PreTokenizer,
  randomText,
  split,
  type Vocabulary,
  words,
} from '../support/tokenizer-oracle.ts';

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'hearth-tokenizers-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function starterVocabulary(): Promise<Vocabulary> {
  const path = join(root, 'models/starter.gguf');
  const { metadata: typed } = await gguf(path, { allowLocalFile: true });
  const metadata: Record<string, unknown> = { ...typed };
  return {
    tokens: metadata['tokenizer.ggml.tokens'] as string[],
    types: metadata['tokenizer.ggml.token_type'] as number[],
    merges: metadata['tokenizer.ggml.merges'] as string[],
  };
}

/** Loads a model with this vocabulary. Its weights do not matter. */
async function loadWith(
  { tokens, types, merges }: Vocabulary,
  keys: Record<string, GgufValue>,
): ReturnType<typeof loadEngine> {
  const shape = { ...shapes.tiny, layers: 1, vocabulary: tokens.length };
  const spec = syntheticModel({ shape, quantization: 'q4_0' });
  Object.assign(spec.metadata, keys, {
    'tokenizer.ggml.tokens': { strings: tokens },
    'tokenizer.ggml.token_type': { i32s: types },
    'tokenizer.ggml.merges': { strings: merges },
  });
  const path = join(folder, 'model.gguf');
  writeGguf(path, spec);
  return await loadEngine({ modelPath: path });
}

const contractions = "(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])";
const qwenLike = (digits: string, lines: string) =>
  split(
    `${contractions}|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}${digits}| ?[^\\s\\p{L}\\p{N}]+${lines}|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+`,
  );
const starcoderLike = [split('\\p{N}'), byteLevel(true)];
const deepseekLike = ['[\\r\\n]', '\\s?\\p{L}+', '\\s?\\p{P}+', '[一-龥ࠀ-一가-퟿]+', '\\p{N}'].map(split);

const families: [name: string, pretokenizers: PreTokenizer[], model?: object][] = [
  ['llama-bpe', [qwenLike('{1,3}', '[\\r\\n]*'), byteLevel(false)], { ignore_merges: true }],
  ['dbrx', [qwenLike('{1,3}', '[\\r\\n]*'), byteLevel(false)]],
  ['seed-coder', [qwenLike('', ''), byteLevel(false)]],
  ['deepseek-coder', [...deepseekLike, byteLevel(false)]],
  ['gpt-2', [byteLevel(true)]],
  ['mellum', [byteLevel(true)]],
  ['starcoder', starcoderLike],
  ['refact', starcoderLike],
  ['smollm', starcoderLike],
];

/** Compares both implementations on difficult words, random texts and a source file. Returns the number of texts. */
function compare(engine: Engine, expected: (text: string) => number[]): number {
  const r = random(3);
  const texts = words.flatMap((word) => [word, word + word, ` ${word}\n`]);
  while (texts.length < 700) texts.push(randomText(r));
  texts.push(readFileSync(join(root, 'native/tokenizer/tokenizer.cc'), 'utf8'));
  const comparable = texts.filter(isComparable);
  for (const text of comparable) {
    expect([...engine.tokenize(text)], JSON.stringify(text)).toEqual(expected(text));
    expect(engine.detokenize(engine.tokenize(text)), JSON.stringify(text)).toBe(text);
  }
  return comparable.length;
}

describe('byte-level BPE', () => {
  let vocabulary: Vocabulary;
  beforeAll(async () => {
    vocabulary = await starterVocabulary();
  });

  test.each(families)('splits as %s', async (name, pretokenizers, model = {}) => {
    const engine = await loadWith(vocabulary, { 'tokenizer.ggml.pre': { string: name } });
    const { asText } = makeOracle(vocabulary, pretokenizers, model);
    expect(compare(engine, (text) => asText.encode(text).ids)).toBeGreaterThan(600);
    await engine.close();
  });
});

describe('SentencePiece', () => {
  /**
   * A vocabulary in the style of SentencePiece: a token for each byte, and the starter's tokens by descending score.
   */
  async function sentencePieces(): Promise<Vocabulary & { scores: number[] }> {
    const { tokens: names, types } = await starterVocabulary();
    const engine = await loadEngine({ modelPath: join(root, 'models/starter.gguf') });
    const decoder = new TextDecoder('utf8', { fatal: true });
    const isText = (id: number) => {
      try {
        return types[id] === 1 && !/[\n▁]/.test(decoder.decode(engine.tokenBytes(id)));
      } catch {
        return false;
      }
    };
    const texts = [...names.keys()]
      .filter(isText)
      .map((id) => engine.detokenize(Uint32Array.of(id)).replaceAll(' ', '▁'));
    await engine.close();
    const bytes = Array.from({ length: 256 }, (_, i) => `<0x${i.toString(16).toUpperCase().padStart(2, '0')}>`);
    const tokens = ['<unk>', '<s>', '</s>', ...bytes, ...texts, '▁<PRE>', '▁<SUF>', '▁<MID>', '▁<EOT>'];
    const kinds = [2, 3, 3, ...bytes.map(() => 6), ...texts.map(() => 1), 3, 3, 3, 3];
    return { tokens, types: kinds, merges: [], scores: tokens.map((_, id) => 1000 - id) };
  }

  test('merges by score, and uses byte tokens for everything else', async () => {
    const vocabulary = await sentencePieces();
    const ids = new Map(vocabulary.tokens.map((token, id) => [token, id]));
    const isOrdinary = (token: string) => vocabulary.types[ids.get(token) ?? 0] === 1;
    const cuts = (token: string) =>
      [...token]
        .slice(1)
        .map((_, i) => [[...token].slice(0, i + 1).join(''), [...token].slice(i + 1).join('')] as const);
    const merges = vocabulary.tokens
      .filter(isOrdinary)
      .flatMap((token) => cuts(token).filter((pair) => pair.every(isOrdinary)))
      .map((pair) => pair.join(' '));
    const model = { byte_fallback: true, unk_token: '<unk>', fuse_unk: true };
    const { asText } = makeOracle({ ...vocabulary, merges }, [], model);
    const engine = await loadWith(vocabulary, {
      'tokenizer.ggml.model': { string: 'llama' },
      'tokenizer.ggml.scores': { f32s: vocabulary.scores },
      'tokenizer.ggml.bos_token_id': { u32: 1 },
      'tokenizer.ggml.eos_token_id': { u32: 2 },
      'tokenizer.ggml.add_bos_token': { bool: true },
    });
    expect(engine.info.bosToken).toBe(1);
    expect(engine.texts.specialTokens).toMatchObject({ '▁<PRE>': ids.get('▁<PRE>'), '▁<EOT>': ids.get('▁<EOT>') });
    expect(compare(engine, (text) => asText.encode(text).ids)).toBeGreaterThan(600);
    // Healing allows tokens that begin with "déf", tokens that are a prefix of it, and the token of its first byte.
    const answer = await engine.generate({ tokens: engine.tokenize('x = '), heal: Buffer.from('déf'), maxTokens: 8 });
    expect(answer.tokens.length).toBeGreaterThan(0);
    await engine.close();
  });
});
