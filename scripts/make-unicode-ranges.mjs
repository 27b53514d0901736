// Writes native/tokenizer/unicode_ranges.inc from this Node's Unicode tables: node scripts/make-unicode-ranges.mjs
// White space is the Unicode property White_Space, as \s is in the tokenizers' regex engines. JavaScript's \s differs:
// it includes U+FEFF (byte order mark) and leaves out U+0085 (next line).
import { writeFileSync } from 'node:fs';

// In the order of CharClass in native/tokenizer/pretokenizer.h, where 0 is any other character.
const classes = [/\p{L}/u, /\p{N}/u, /\p{P}/u, /\p{White_Space}/u];
const classOf = (codePoint) => {
  const text = String.fromCodePoint(codePoint);
  return classes.findIndex((pattern) => pattern.test(text)) + 1;
};

// Each number is the first code point of a range, times 16, plus the class of the range.
const ranges = [];
let previous;
for (let codePoint = 0; codePoint <= 0x10ffff; codePoint++) {
  const number = classOf(codePoint);
  if (number !== previous) ranges.push(`0x${(codePoint * 16 + number).toString(16)}`);
  previous = number;
}

const lines = [`// Unicode ${process.versions.unicode}; written by scripts/make-unicode-ranges.mjs.`, ''];
for (const range of ranges) {
  const line = `${lines.at(-1)}${lines.at(-1) && ' '}${range},`;
  if (line.length <= 100) lines[lines.length - 1] = line;
  else lines.push(`${range},`);
}
writeFileSync(new URL('../native/tokenizer/unicode_ranges.inc', import.meta.url), `${lines.join('\n')}\n`);
