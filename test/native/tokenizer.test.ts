// Compares the tokenizer with @huggingface/tokenizers, an independent implementation, on the same vocabulary.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gguf } from '@huggingface/gguf';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Engine, loadEngine } from '../../native/index.ts';
import { random } from '../support/random.ts';
import {
  byteLevel,
  isComparable,
  makeOracle,
  type Oracle,
  randomText,
  split,
  words,
} from '../support/tokenizer-oracle.ts';

const root = join(import.meta.dirname, '../..');
const models = ['models/starter.gguf', 'test/fixtures/reference/tiny-mixed.gguf'];

// The pattern of Qwen2's tokenizer.json, without its NFC normalizer, which neither llama.cpp nor Hearth applies.
const pattern =
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

async function loadOracle(path: string): Promise<Oracle> {
  const { metadata: typed } = await gguf(path, { allowLocalFile: true });
  const metadata: Record<string, unknown> = { ...typed };
  const tokens = metadata['tokenizer.ggml.tokens'] as string[];
  const types = metadata['tokenizer.ggml.token_type'] as number[];
  const merges = metadata['tokenizer.ggml.merges'] as string[];
  return makeOracle({ tokens, types, merges }, [split(pattern), byteLevel(false)]);
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

  test("gives the other implementation's ids for each difficult word, once and twice in a row", () => {
    for (const word of words) {
      check(word);
      check(word + word);
      check(` ${word}\n`);
    }
  });

  test("gives the other implementation's ids for fifteen hundred random texts", () => {
    const r = random(1);
    let compared = 0;
    while (compared < 1500) {
      const text = randomText(r);
      if (!isComparable(text)) continue;
      check(text);
      compared++;
    }
  });

  test("gives the other implementation's ids for source files", () => {
    for (const file of [
      'native/tokenizer/tokenizer.cc',
      'native/index.ts',
      'test/native/tokenizer.test.ts',
      'package.json',
    ]) {
      const source = readFileSync(join(root, file), 'utf8');
      if (isComparable(source)) check(source);
    }
  });

  test('replaces lone surrogates by U+FFFD', () => {
    const check = (text: string, expected: string) => expect(engine.tokenize(text)).toEqual(engine.tokenize(expected));
    check('a\ud800b', 'a\ufffdb');
    check('\udc00', '\ufffd');
    check('x\udfff\ud83ey', 'x\ufffd\ufffdy');
  });
});
