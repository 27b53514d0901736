// The rules see what a server sends, which may be hostile: their time must grow no faster than the text.
import { expect, test } from 'vitest';
import { GeneratedText } from '../../../language-server/rules/generated-text.ts';
import { meaningfulEnd } from '../../../language-server/rules/meaningful-end.ts';
import { placeAt } from '../../../language-server/rules/place.ts';
import { rules, toEarlyText, toGhostText } from '../../../language-server/rules/shape.ts';
import { cpuMs } from '../../support/cpu-time.ts';
import { atCursor } from '../cursor.ts';

const size = 65_536;
// They take 50 ms at most, on a machine that is busy with other work a few times as long. Where the time grows with the
// square of the text, it is seconds.
const maxCpuMs = 500;
const fastest = (work: () => unknown) => {
  let ms = cpuMs(work);
  for (let again = 0; again < 2 && ms > maxCpuMs; again++) ms = Math.min(ms, cpuMs(work));
  return ms;
};
const gate = { line: 0.02, beginning: 0.3 };

const filled = (part: string) => part.repeat(Math.ceil(size / part.length)).slice(0, size);
const halves = (first: string, second: string) => filled(first).slice(0, size / 2) + filled(second).slice(0, size / 2);
const counted = (line: (i: number) => string) => Array.from({ length: size / 12 }, (_, i) => line(i)).join('');

/** Words in no order: what repeats itself is cut before most rules see it. */
function shuffled(words: string[]): string {
  let text = '';
  for (let i = 1; text.length < size; i = (i * 48_271) % 0x7fffffff) text += words[i % words.length];
  return text.slice(0, size);
}
const keywords = 'and as async case const def for from function if import in is let new not of or until var with';

const texts: Record<string, string> = {
  'one word': filled('a'),
  'a word and a space': `${filled('a')} b`,
  'words that differ': counted((i) => `word${i} `),
  'almost repetitions': filled(`${'a'.repeat(35)}b`),
  'eight copies': filled(`${'one two three four five six seven eight nine ten; '.repeat(8)}!`),
  'space and a letter': `a${filled(' ')}b`,
  'lines of spaces': filled(`${' '.repeat(500)}\n`),
  'empty lines before heads': halves('\n', '{\n'),
  'dashes and a letter': `${filled('-')}b`,
  'lines that differ': counted((i) => `call(${i});\n`),
  'lines that open a bracket each': counted((i) => `call(${i}, [\n`),
  'lines in brackets': `[\n${counted((i) => `  ${i},\n`)}`,
  brackets: filled('('),
  'brackets closed by others': halves('(', ']'),
  'closing brackets': filled('}'),
  'blocks on one line': filled('}else{'),
  'empty comments': filled('/*'),
  'quotes that nest': filled('`${'),
  escapes: `"${filled('\\"')}`,
  slashes: filled('/ ['),
  comparisons: filled('else 1<else 2<'),
  'parameters in parameters': filled('(a: b)'),
  'closing tags': counted((i) => `</a${i}>`),
  'markers of a conflict': filled('=======\n'),
  addresses: counted((i) => `me@host.${i} `),
  'words without parentheses': filled('function '),
  tags: filled('<a '),
  'keywords after which something must follow': shuffled(keywords.split(' ').map((word) => `${word} `)),
  'tries before a catch': `${counted((i) => `try{${i} `).slice(0, size / 2)} catch ${counted((i) => `x${i} `)}`.slice(
    0,
    size,
  ),
  'brackets in no order': shuffled(['(', '[', '{', ')', ']', '}']),
  'quotes in no order': shuffled(['"', "'", '`', '${', '}', '\\']),
  'lines in no order': shuffled(['a\n', '  b\n', '\n', '{\n', '}\n', '  }\n', 'end\n', 'if a:\n', 'else\n', 'do\n']),
  'tags in no order': shuffled(['<a>', '<b>', '</a>', '</b>', '<', '>', '<c d="e"']),
};

const places: [languageId: string, document: string][] = [
  ['typescript', 'const a = $0\n'],
  ['typescript', 'a = $0 + total;\n'],
  ['python', 'def f():\n    $0\n'],
  ['python', '# $0\n'],
  ['lua', 'x = $0\n'],
  ['html', '<p>\n  $0\n</p>\n'],
  ['yaml', 'a:\n  $0\n'],
  ['ruby', 'def a\n  $0\nend\n'],
  ['php', '<?php\n$0\n'],
];

/** The text, as it grows and whole. */
function generations(text: string): [growing: GeneratedText, whole: GeneratedText] {
  const both: [GeneratedText, GeneratedText] = [new GeneratedText(false), new GeneratedText(true)];
  for (let at = 0; at < text.length; at += 1024) for (const each of both) each.append(text.slice(at, at + 1024), 0);
  return both;
}

test.each(places)('64 KiB of anything cost no time in %s: %j', (languageId, marked) => {
  const place = placeAt({ ...atCursor(marked), languageId }, 'auto');
  const times = Object.entries(texts).flatMap(([name, text]): [ms: number, what: string][] => {
    const [growing, whole] = generations(text);
    return [
      [fastest(() => toEarlyText(growing, place, gate)), `all early: ${name}`],
      [fastest(() => toGhostText(whole, place, gate)), `all: ${name}`],
      ...rules.map(([reason, rule]): [number, string] => [
        fastest(() => rule(text, place, whole)),
        `${reason}: ${name}`,
      ]),
    ];
  });
  const slowest = (isWanted: (what: string) => boolean) =>
    times
      .filter(([, what]) => isWanted(what))
      .toSorted(([a], [b]) => b - a)
      .slice(0, 1)
      .map(([ms, what]) => `${ms.toFixed(0)} ms (${what})`);
  const isAll = (what: string) => what.startsWith('all');
  console.log(`${languageId}: all rules ${slowest(isAll)}, one rule ${slowest((what) => !isAll(what))}`);
  expect(times.filter(([ms]) => ms > maxCpuMs).map(([, what]) => what)).toEqual([]);
});

test.each([
  ['comparisons', 'else 1<else 2<'],
  ['comparisons with one word', 'let a<'],
  ['lists of parameters', 'x = (a: b'],
  ['regular expressions', 'x = /a/; '],
])('the end of a piece of 1 MiB is found in one pass: %s', (_, part) => {
  const place = placeAt({ ...atCursor('const a = $0\n'), languageId: 'typescript' }, 'auto');
  const text = part.repeat(2 ** 20 / part.length);
  expect(fastest(() => meaningfulEnd(text, text.length, place))).toBeLessThan(maxCpuMs);
});

// What single patterns would go through again and again.
test.each([
  ['shellscript', '$0\n', `${counted((i) => `a${i}|`)}b c`],
  ['java', '$0\n', `class${filled(' ')}=\nx y`],
  ['typescript', 'class A {\n  $0\n}\n', `async${filled(' ')}.(x y`],
  ['typescript', '$0\n', `x${filled(' ')}b c`],
  ['typescript', '$0\n', `x${filled('(/[')} b c`],
  ['ruby', 'def a\n  $0\nend\n', `x${filled(' ')}b c`],
  ['html', '<p>\n  $0\n</p>\n', `<${counted((i) => `a${i}`)}>b c`],
  ['go', 'func a() {\n\t$0\n}\n', `x ${filled('=')} y z`],
])('64 KiB for one pattern cost no time in %s: %j', (languageId, marked, text) => {
  const place = placeAt({ ...atCursor(marked), languageId }, 'auto');
  for (const generated of generations(text)) {
    expect(fastest(() => toEarlyText(generated, place, gate))).toBeLessThan(maxCpuMs);
    expect(fastest(() => toGhostText(generated, place, gate))).toBeLessThan(maxCpuMs);
  }
});

test.each(['(\n', ')\n', '  {\n', '}\n', '(', ')', '    if (a) {\n)\n'])('a document of %j costs no time', (part) => {
  const half = filled(part).slice(0, size / 2);
  for (const other of ['(\n', ')\n', '}\n', '    )\n', half]) {
    const document = { ...atCursor(`${half}$0${filled(other)}`), languageId: 'typescript' };
    expect(fastest(() => placeAt(document, 'auto'))).toBeLessThan(maxCpuMs);
  }
});

test.each([
  ['markdown', '```a\nx\n```\n'],
  ['markdown', '```a\n~~~b\n'],
  ['markdown', '`'],
  ['markdown', ' '],
  ['markdown', 'a'],
  ['python', '"""\n'],
  ['python', '\'\'\'\n"""\n'],
  ['typescript', '/*\n'],
])('%s: a document of %j costs no time', (languageId, part) => {
  for (const begin of ['', '```']) {
    const text = (begin + filled(part)).slice(0, 59_000);
    const document = { ...atCursor(`${text}$0`), languageId };
    expect(
      fastest(() => placeAt(document, 'auto')),
      begin,
    ).toBeLessThan(maxCpuMs);
  }
});
