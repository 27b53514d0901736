// Texts of documents in every language, up to the syntax tree and to the tree after a key.
import assert from 'node:assert/strict';
import { LongText } from '../../../../language-server/documents/long-text.ts';
import { faultsOf, isWorse } from '../../../../language-server/syntax/faults.ts';
import { languageIds } from '../../../../language-server/syntax/grammars.ts';
import { loadedGrammar, loadGrammar } from '../../../../language-server/syntax/runtime.ts';
import { forgetTree, treeOf } from '../../../../language-server/syntax/trees.ts';
import { msOf, shortestMs } from '../../../support/cpu-time.ts';
import type { Claim } from './claim.ts';

const uri = 'file:///a';
const longest = 60_000;
/** The CPU time for a key or a suggestion: the budget and the time that stopping needs. */
const maxMs = 250;

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

/** Uses a document as keys and suggestions do. Returns the CPU time in ms of the longest step. */
function longestMs(languageId: string, text: LongText, inserted: string): number {
  let longest = 0;
  const timed = <T>(work: () => T): T => {
    let result: T;
    longest = Math.max(
      longest,
      msOf(() => {
        result = work();
      }),
    );
    return result!;
  };
  forgetTree(uri);
  const base = timed(() => treeOf({ uri, languageId, text }));
  const at = text.length >> 1;
  const tree = timed(() => base?.withText(at, at, inserted));
  timed(() => base && tree && isWorse(base, tree, { start: at, end: at + inserted.length }));
  tree?.delete();
  const next = timed(() => treeOf({ uri, languageId, text: text.with(at, at, 'x') }));
  if (next) timed(() => faultsOf(next));
  return longest;
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
    const ms = await shortestMs(maxMs, () => longestMs(languageId, text, pieces[0]?.toString() ?? ''));
    assert.ok(ms < maxMs, `${languageId} took ${ms} ms`);
    forgetTree(uri);
    assert.ok(loadedGrammar(languageId), languageId);
  },
};
