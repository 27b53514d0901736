// Texts of documents in every language, up to the syntax tree and to the tree after a key.
import assert from 'node:assert/strict';
import { LongText } from '../../../../language-server/documents/long-text.ts';
import { faultsOf, isWorse } from '../../../../language-server/syntax/faults.ts';
import { languageIds } from '../../../../language-server/syntax/grammars.ts';
import { loadedGrammar, loadGrammar } from '../../../../language-server/syntax/runtime.ts';
import { forgetTree, treeOf } from '../../../../language-server/syntax/trees.ts';
import type { Claim } from './claim.ts';

const uri = 'file:///a';
const longest = 60_000;
/** CPU time for a key or a suggestion: the budget, the time that stopping needs, and room for a busy machine. */
const maxMs = 250;
/** On a busy machine one look may take longer, for a reason that lies outside; three do not. */
const maxLooks = 3;

const brackets = ['(', ')', '[', ']', '{', '}', '<', '>', '</', '/>', '<?php ', '?>', '#{', `\${`, '{{', '}}', '<<A\n'];
const quotes = ['"', "'", '`', '"""', "'''", '/*', '*/', '//', '#', '--', '<!--', '-->', '=begin\n', '\\', '%w('];
const words = [
  'if ',
  'else',
  'for ',
  'do\n',
  'end\n',
  'def f',
  'class A',
  'fn ',
  '=> ',
  'case ',
  'x',
  '1',
  '.',
  ',',
  ';',
];
const others = [
  ' ',
  '\n',
  '\r\n',
  '\r',
  '\t',
  '    ',
  '\0',
  '\u{1f600}',
  '\u2028',
  '- ',
  ': ',
  '? ',
  '&a ',
  '|\n',
  '= ',
];

/** The bytes as UTF-16 (with half characters) or as UTF-8, once or repeated up to the greatest length. */
function textOf(bytes: Buffer, kind: number): string {
  const text = bytes.toString(kind % 5 === 4 ? 'utf16le' : 'utf8');
  return kind % 4 === 3 && text !== '' ? text.repeat(Math.ceil(longest / text.length)).slice(0, longest) : text;
}

/** Runs the work. Throws TookLong if it has taken long. */
function inTime<T>(languageId: string, work: () => T): T {
  const before = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(before);
  if (user + system >= maxMs * 1000) throw new TookLong(`${languageId} took ${(user + system) / 1000} ms`);
  return result;
}

class TookLong extends Error {}

/** Looks at a document as keys and suggestions do. */
function look(languageId: string, text: LongText, inserted: string): void {
  forgetTree(uri);
  const base = inTime(languageId, () => treeOf({ uri, languageId, text }));
  const at = text.length >> 1;
  const tree = inTime(languageId, () => base?.withText(at, at, inserted));
  inTime(languageId, () => base && tree && isWorse(base, tree, { start: at, end: at + inserted.length }));
  tree?.delete();
  const next = inTime(languageId, () => treeOf({ uri, languageId, text: text.with(at, at, 'x') }));
  if (next) inTime(languageId, () => faultsOf(next));
}

export const trees: Claim = {
  title: 'no text makes a grammar fail, or takes long',
  seeds: [
    `class A {\n  f(a, b) {\n    return \`\${a}\` + [b, 1];\n  }\n}\n`,
    'def f(a):\n    if a:\n        return "x"\n\n\nclass A:\n    """b"""\n',
    '<p class="a">b</p>\n<script>f(1);</script>\n<?php echo $a ?>\n',
    'a:\n  - b: [1, "c"]\n    d: |\n      e\n',
    '#define A(x) \\\n  x\nint main() { A(1); }\n',
    'def f(a)\n  <<~B\n    #{a}\n  B\nend\n',
    'if [ "$a" = 1 ]; then\n  cat <<B\n$(c)\nB\nfi\n',
  ],
  words: [...brackets, ...quotes, ...words, ...others],
  async check(pieces) {
    const bytes = Buffer.concat(pieces);
    const kind = bytes.reduce((sum, byte) => sum + byte, 0);
    const languageId = languageIds[kind % languageIds.length]!;
    const text = LongText.of(textOf(bytes, bytes.length));
    assert.ok(await loadGrammar(languageId), languageId);
    for (let looks = 1; ; looks++) {
      try {
        look(languageId, text, pieces[0]?.toString() ?? '');
        break;
      } catch (error) {
        if (!(error instanceof TookLong) || looks === maxLooks) throw error;
      }
    }
    forgetTree(uri);
    assert.ok(loadedGrammar(languageId), languageId);
  },
};
