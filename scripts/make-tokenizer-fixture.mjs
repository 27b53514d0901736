// Reduces Qwen2's vocabulary to the tokens for a test's strings: 152 thousand tokens would be too many for the
// repository.
//   node scripts/make-tokenizer-fixture.mjs ggml-vocab-qwen2.gguf
// Reads FILE.inp (strings) and FILE.out (ids, one line per string), in the format of llama.cpp's tests, and writes
// test/fixtures/tokenizer/. A merge applies only if its result occurs in the text, so the others can be left out.
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { gguf } from '@huggingface/gguf';

const path = process.argv[2];
const { metadata } = await gguf(path, { allowLocalFile: true });
const tokens = metadata['tokenizer.ggml.tokens'];
const merges = metadata['tokenizer.ggml.merges'];

// GPT-2's alphabet: printable bytes are written as themselves, the others as characters from U+0100 on.
let next = 0x100;
const alphabet = Array.from({ length: 256 }, (_, byte) => {
  const isPrintable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte !== 0xad);
  return String.fromCodePoint(isPrintable ? byte : next++);
});
const text = [...readFileSync(`${path}.inp`)].map((byte) => alphabet[byte]).join('');

const needed = new Set(alphabet);
const rules = merges.filter((rule) => text.includes(rule.replace(' ', '')));
for (const rule of rules) needed.add(rule.replace(' ', ''));
const lines = tokens.flatMap((token, id) => (needed.has(token) ? [`token ${id} ${token}`] : []));
lines.push(...rules.map((rule) => `merge ${rule}`));

const folder = new URL('../test/fixtures/tokenizer/', import.meta.url);
writeFileSync(new URL('qwen2.vocabulary', folder), `${lines.join('\n')}\n`);
copyFileSync(`${path}.inp`, new URL('qwen2.inp', folder));
copyFileSync(`${path}.out`, new URL('qwen2.out', folder));
