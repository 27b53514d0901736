// Cuts a typing trace for `hearth replay` out of a source file: takes lines out and types them in again, key by key.
//   node scripts/make-trace.mjs FILE [--line 20] [--lines 2] [--interval 140] > trace.jsonl
// A line break comes with the indentation of its line, as editors give it.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    line: { type: 'string', default: '20' },
    lines: { type: 'string', default: '2' },
    interval: { type: 'string', default: '140' },
  },
});
const [file] = positionals;
const [first, count, intervalMs] = [values.line, values.lines, values.interval].map(Number);
const lines = file === undefined ? [] : readFileSync(file, 'utf8').replaceAll('\r\n', '\n').split('\n');
if (!(first > 1 && count > 0 && intervalMs > 0 && first + count <= lines.length)) {
  console.error('Usage: make-trace.mjs FILE [--line N > 1] [--lines N] [--interval MS], within the file');
  process.exit(2);
}

const taken = lines.splice(first - 1, count);
const keys = taken.flatMap((line) => {
  const code = line.trimStart();
  return [`\n${line.slice(0, line.length - code.length)}`, ...code];
});

console.log(JSON.stringify({ type: 'open', name: basename(file), text: lines.join('\n') }));
let line = first - 2;
let character = lines[line].length;
keys.forEach((insert, i) => {
  console.log(JSON.stringify({ type: 'edit', line, character, insert, t_ms: (i + 1) * intervalMs }));
  const isBreak = insert.startsWith('\n');
  character = isBreak ? insert.length - 1 : character + insert.length;
  if (isBreak) line++;
});
