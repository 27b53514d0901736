// Cuts a typing trace for `hearth replay` out of a source file: takes lines out and types them in again, key by key.
//   node scripts/make-trace.mjs FILE [--line 20] [--lines 2] [--interval 140] [--auto-close] > trace.jsonl
// A line break comes with the indentation of its line, as editors give it. With --auto-close brackets and quotes are
// closed as they are opened, put on a line of their own by a line break between them, and typed over.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    line: { type: 'string', default: '20' },
    lines: { type: 'string', default: '2' },
    interval: { type: 'string', default: '140' },
    'auto-close': { type: 'boolean', default: false },
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

const closerOf = { '(': ')', '[': ']', '{': '}', '"': '"', "'": "'", '`': '`' };
let line = first - 2;
let left = lines[line];
/** What the editor has closed, innermost last; `indent` is set where it stands on the line below. */
const closed = [];
let time = 0;

/** The cursor ends `behind` characters before the end of the insert. */
function edit(insert, at = { line, character: left.length }, behind = 0) {
  time += intervalMs;
  const more = behind > 0 ? { behind } : {};
  console.log(JSON.stringify({ type: 'edit', ...at, insert, ...more, t_ms: time }));
}

function lineBreak(key, next) {
  const top = closed.at(-1);
  if (top?.indent !== undefined && next === top.closer) {
    // Nobody types a line that is there: the cursor goes down to its end.
    closed.pop();
    edit('', { line: ++line, character: top.indent.length + 1 });
    left = top.indent + next;
    return true;
  }
  const isBetween =
    top && top.indent === undefined && closerOf[left.at(-1)] === top.closer && /[([{]/.test(left.at(-1));
  if (isBetween) top.indent = /^\s*/.exec(left)[0];
  const below = isBetween ? `\n${top.indent}` : '';
  edit(key + below, undefined, below.length);
  line++;
  left = key.slice(1);
  return false;
}

function character(key) {
  const top = closed.at(-1);
  if (top?.closer === key && top.indent === undefined) {
    closed.pop();
    edit('', { line, character: left.length + 1 });
  } else if (closerOf[key] && !(closerOf[key] === key && /\w$/.test(left))) {
    closed.push({ closer: closerOf[key] });
    edit(key + closerOf[key], undefined, 1);
  } else {
    edit(key);
  }
  left += key;
}

console.log(JSON.stringify({ type: 'open', name: basename(file), text: lines.join('\n') }));
for (let i = 0; i < keys.length; i++) {
  const key = keys[i];
  if (key.startsWith('\n')) {
    if (lineBreak(key, keys[i + 1])) i++;
  } else if (values['auto-close']) {
    character(key);
  } else {
    edit(key);
    left += key;
  }
}
