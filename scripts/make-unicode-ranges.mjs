// Writes native/unicode_ranges.inc from this Node's Unicode tables: node scripts/make-unicode-ranges.mjs
// White space is the Unicode property that the tokenizers' regex engines mean by \s. JavaScript's own \s differs:
// it counts U+FEFF (byte order mark) and leaves out U+0085 (next line).
import { writeFileSync } from 'node:fs';

const classes = [
  ['kLetter', /\p{L}/u],
  ['kNumber', /\p{N}/u],
  ['kPunctuation', /\p{P}/u],
  ['kSpace', /\p{White_Space}/u],
];
const classOf = (codePoint) => {
  const text = String.fromCodePoint(codePoint);
  return classes.find(([, pattern]) => pattern.test(text))?.[0] ?? 'kOther';
};

const ranges = [];
let previous;
for (let codePoint = 0; codePoint <= 0x10ffff; codePoint++) {
  const name = classOf(codePoint);
  if (name !== previous) ranges.push(`{0x${codePoint.toString(16)}, ${name}}`);
  previous = name;
}

const perLine = 5;
const lines = [`// Unicode ${process.versions.unicode}; written by scripts/make-unicode-ranges.mjs.`];
for (let i = 0; i < ranges.length; i += perLine) lines.push(`${ranges.slice(i, i + perLine).join(', ')},`);
writeFileSync(new URL('../native/unicode_ranges.inc', import.meta.url), `${lines.join('\n')}\n`);
