// The lines that a rename must not change, however likely the model finds the edit. The tests press Tab until no edit
// is offered.
import { expect, test } from 'vitest';
import { LongText } from '../../../language-server/documents/long-text.ts';
import { DismissedEdits } from '../../../language-server/edits/decision/dismissed-edits.ts';
import { findEdit } from '../../../language-server/edits/edit-search.ts';
import { after, type Workspace } from '../../../language-server/edits/workspace.ts';
import type { Continuation, Engine } from '../../../native/index.ts';

/** A model that finds every candidate equally likely. */
const engine = {
  info: { bosToken: -1, special: { fileSep: 0 } },
  tokenize: (text: string) => Uint32Array.from(text, (character) => character.charCodeAt(0)),
  scoreContinuations: async (_: Uint32Array, continuations: Continuation[]) =>
    continuations.map(({ scored }) => Float32Array.from(scored, () => -1)),
} as unknown as Engine;

const languageIds: Record<string, string> = {
  ...{
    ts: 'typescript',
    tsx: 'typescriptreact',
    py: 'python',
    kt: 'kotlin',
    go: 'go',
    java: 'java',
    rs: 'rust',
    c: 'c',
  },
  ...{ html: 'html', vue: 'vue', xml: 'xml' },
};

/** The texts of the files after the name in «» was changed and all offered edits were applied. */
async function afterTabs(texts: Record<string, string>, now: string): Promise<Record<string, string>> {
  const entries = Object.entries(texts);
  const [path, marked] = entries.find(([, each]) => each.includes('«')) ?? ['', ''];
  const line = marked.split('\n').find((each) => each.includes('«')) ?? '';
  const renamed = (text: string) => text.replace(/«.*»/, now);
  let workspace: Workspace = {
    documents: entries.map(([each, unedited]) => ({
      ...{ uri: `file:///${each}`, path: each, languageId: languageIds[each.split('.').at(-1) ?? ''] ?? '' },
      text: LongText.of(renamed(unedited)),
    })),
    cursor: marked.indexOf('«') + now.length,
    history: [{ path, before: line.replace(/[«»]/g, ''), after: renamed(line) }],
  };
  for (let tabs = 0; tabs < 20; tabs++) {
    const { signal } = new AbortController();
    const found = await findEdit({ local: engine }, workspace, 0, new DismissedEdits(), signal);
    if (typeof found === 'string') break;
    workspace = after(workspace, found);
  }
  return Object.fromEntries(workspace.documents.map((each) => [each.path, each.text.toString()]));
}

const total = `export function total(items: Item[]): number {
  let «sum» = 0;
  for (const item of items) {
    sum += item.price * item.qty;
  }
  return sum;
}
`;
const average = `export function average(items: Item[]): number {
  let sum = 0;
  for (const item of items) {
    sum += item.price;
  }
  return sum / items.length;
}
`;

/**
 * The file, its text with the renamed name in «», the new name, and lines below the text in which the same name means
 * something else.
 */
const others: [name: string, file: string, text: string, now: string, kept: string][] = [
  ['a local of another function', 'a.ts', `${total}\n`, 'subtotal', average],
  [
    'a local in Python',
    'a.py',
    'def net(x):\n    «rate» = 0.1\n    return x * rate\n\n',
    'vat',
    'def gross(x):\n    rate = 0.2\n    return x + rate\n',
  ],
  [
    'a parameter in TypeScript',
    'a.ts',
    'function net(«amount»: number) {\n  return amount * 2;\n}\n\n',
    'price',
    'function gross(amount: number) {\n  return amount * 3;\n}\n',
  ],
  [
    'a parameter in Go',
    'a.go',
    'func net(«amount» float64) float64 {\n\treturn amount * 2\n}\n\n',
    'price',
    'func gross(amount float64) float64 {\n\treturn amount * 3\n}\n',
  ],
  [
    'a local in Go',
    'a.go',
    'func net() int {\n\t«count» := one()\n\treturn count\n}\n\n',
    'found',
    'func gross() int {\n\tcount := two()\n\treturn count\n}\n',
  ],
  [
    'a parameter in Rust',
    'a.rs',
    'fn net(«amount»: f64) -> f64 {\n    amount * 2.0\n}\n\n',
    'price',
    'fn gross(amount: f64) -> f64 {\n    amount * 3.0\n}\n',
  ],
  [
    'a local in Java',
    'A.java',
    'class A {\n  int net() {\n    int «count» = one();\n    return count;\n  }\n\n',
    'found',
    '  int gross() {\n    int count = two();\n    return count;\n  }\n}\n',
  ],
  [
    'a parameter in C',
    'a.c',
    'int net(int «amount») {\n  return amount * 2;\n}\n\n',
    'price',
    'int gross(int amount) {\n  return amount * 3;\n}\n',
  ],
  [
    'a field of another type',
    'a.ts',
    'interface Net {\n  «rate»: number;\n}\n\n',
    'vatRate',
    'interface Gross {\n  rate: number;\n}\n',
  ],
  [
    'a name that shadows it',
    'a.ts',
    'function sum(items: Item[]) {\n  let «total» = 0;\n  items.forEach((item) => {\n',
    'all',
    '    const total = item.price * item.qty;\n    log(total);\n  });\n}\n',
  ],
  [
    'a name composed of it',
    'a.ts',
    'const «rate» = 1;\n\n',
    'vatRate',
    'function gross(rate: number) {\n  const doubleRate = 2 * rate;\n  return doubleRate;\n}\n',
  ],
];

test.each(others)('a rename does not change %s', async (_, file, text, now, kept) => {
  expect((await afterTabs({ [file]: text + kept }, now))[file]?.slice(-kept.length)).toBe(kept);
});

test.each([
  ['a string', 'const label = "rate";', 'rate', 'vatRate'],
  ['words of a string', "const label = 'rate is ' + text;", 'rate', 'vatRate'],
  ['a template', 'const label = `the rate is`;', 'rate', 'vatRate'],
  ['a comment', '// the rate is fixed', 'rate', 'vatRate'],
  ['a comment of several lines', '/*\n * the rate is fixed\n */', 'rate', 'vatRate'],
  ['a string with a part of it', "const label = 'the Rate of it';", 'baseRate', 'baseTax'],
  ['a string in another spelling', "const label = 'open';", 'Open', 'Opened'],
  ['another spelling, in a comment', '// it is open', 'Open', 'Opened'],
])('strings and comments are never renamed: %s', async (_, kept, old, now) => {
  const text = `const «${old}» = 0.1;\nlog(${old});\n${kept}\n`;
  const renamed = `const ${now} = 0.1;\nlog(${now});\n${kept}\n`;
  expect(await afterTabs({ 'a.ts': text }, now)).toEqual({ 'a.ts': renamed });
});

test('a word in a string keeps the name, even beside the renamed name', async () => {
  const text = "const «status» = 1;\nlog('status', status);\nlog('status: ' + status);\n";
  const renamed = "const state = 1;\nlog('status', state);\nlog('status: ' + state);\n";
  expect(await afterTabs({ 'a.ts': text }, 'state')).toEqual({ 'a.ts': renamed });
});

test("an enum's variant is renamed in each line, but not in strings", async () => {
  const text = `enum State {
    «Open»,
    Closed,
}

fn name(state: &State) -> &str {
    match state {
        State::Open => "open",
        State::Closed => "closed",
    }
}

fn toggle(state: State) -> State {
    match state {
        State::Open => State::Closed,
        State::Closed => State::Open,
    }
}
`;
  const renamed = text.replace('«Open»', 'Opened').replaceAll('::Open', '::Opened');
  expect(await afterTabs({ 'a.rs': text }, 'Opened')).toEqual({ 'a.rs': renamed });
});

test.each([
  [
    'a variable that is assigned again',
    'a.ts',
    'function f() {\n  let «sum» = 0;\n  sum = sum + 1;\n  return sum;\n}\n',
  ],
  ['the member of a type', 'a.go', 'type Item struct {\n\t«sum» int\n}\n\nfunc f(a Item) int {\n\treturn a.sum\n}\n'],
  ['the value in a string of Python', 'a.py', 'def f(a):\n    «sum» = 1\n    return f"{a} of {sum}"\n'],
  ['the value in a string of Ruby', 'a.rb', 'def f\n  «sum» = 1\n  log("of #{sum}")\nend\n'],
  ['the argument of a call in Python', 'a.py', 'run(«sum»=1)\ngo()\nrun(sum=2)\n'],
])('a rename changes %s', async (_, file, text) => {
  const expected = text.replace(/[«»]/g, '').replaceAll('sum', 'total');
  expect(await afterTabs({ [file]: text }, 'total')).toEqual({ [file]: expected });
});

/**
 * The edited file, its text with the renamed name in «», the new name, and another open file with its text, where the
 * same name means something else.
 */
const otherFiles: [name: string, file: string, text: string, now: string, other: string, kept: string][] = [
  ['its own local', 'one.ts', total, 'subtotal', 'other.ts', average],
  [
    'its own local, although it imports the edited file',
    'one.ts',
    total,
    'subtotal',
    'other.ts',
    `import { total } from './one';\n\n${average}`,
  ],
  [
    'an exported name that it does not import',
    'one.ts',
    'export const «rate» = 1;\nlog(rate);\n',
    'vatRate',
    'other.ts',
    'log(rate);\nlog(rate);\n',
  ],
  [
    'an exported name that it imports from elsewhere',
    'one.ts',
    'export const «rate» = 1;\nlog(rate);\n',
    'vatRate',
    'other.ts',
    "import { rate } from './two';\nlog(rate);\n",
  ],
  [
    'a name composed of one that it does not import',
    'one.ts',
    'export const «rate» = 1;\n',
    'vatRate',
    'other.ts',
    'const baseRate = 2;\nlog(baseRate);\n',
  ],
  [
    'a parameter',
    'one.py',
    'def net(«amount»):\n    return amount * 2\n',
    'price',
    'other.py',
    'from one import net\n\ndef gross(amount):\n    return amount * 3\n',
  ],
  [
    'a local in Go',
    'one.go',
    'func net() int {\n\t«count» := one()\n\treturn count\n}\n',
    'found',
    'other.go',
    'func gross() int {\n\tcount := two()\n\treturn count\n}\n',
  ],
];

test.each(otherFiles)('another file keeps %s', async (_, file, text, now, other, kept) => {
  expect((await afterTabs({ [file]: text, [other]: kept }, now))[other]).toBe(kept);
});

test('a rename continues in a file that imports the name', async () => {
  const other = "import {\n  rate,\n} from './one';\nlog(rate);\n";
  const texts = await afterTabs({ 'one.ts': 'export const «rate» = 1;\n', 'other.ts': other }, 'vatRate');
  expect(texts['other.ts']).toBe(other.replaceAll('rate', 'vatRate'));
});

/** The changed tag is in «», its partner in ‹›. */
const partners: [name: string, file: string, text: string, now: string][] = [
  [
    'the closing tag',
    'a.html',
    '<«div» class="list">\n  <div>One</div>\n  <div>Two</div>\n</‹div›>\n<div>Three</div>\n',
    'section',
  ],
  [
    'in TSX',
    'A.tsx',
    'return (\n  <«div» className="list">\n    <div className="a">One</div>\n    <div className="b" />\n  </‹div›>\n);\n',
    'section',
  ],
  [
    'beside an arrow in an attribute',
    'A.tsx',
    'return (\n  <«div» onClick={() => { go(); }}>\n    <div onClick={() => go()} />\n    <p>One</p>\n  </‹div›>\n);\n',
    'section',
  ],
  ['in Vue', 'a.vue', '<template>\n  <«div»>\n    <div>One</div>\n  </‹div›>\n</template>\n', 'section'],
  ['in XML', 'a.xml', '<«item»>\n  <part>1</part>\n  <!-- </item> -->\n</‹item›>\n<item>\n</item>\n', 'entry'],
  [
    'above a changed closing tag',
    'a.html',
    '<div>1</div>\n<‹div›>\n  <div>2</div>\n  <br>\n</«div»>\n<div>3</div>\n',
    'section',
  ],
];

test.each(partners)('when a tag changes, only its partner follows: %s', async (_, file, marked, now) => {
  const expected = marked.replace(/[«‹][^»›]*[»›]/g, now);
  expect(await afterTabs({ [file]: marked.replace(/[‹›]/g, '') }, now)).toEqual({ [file]: expected });
});

test.each([['it is in the same line', '<«b»>One</b>\n<b>Two</b>\n']])(
  'nothing follows a changed tag if its partner is uncertain or at the cursor: %s',
  async (_, text) => {
    expect(await afterTabs({ 'a.html': text }, 'i')).toEqual({ 'a.html': text.replace(/«.»/, 'i') });
  },
);

test('when the import of a component is renamed, all uses of the component follow', async () => {
  const text = "import { «Card» } from './card';\n\nreturn (\n  <p>\n    <Card a />\n    <Card b />\n  </p>\n);\n";
  const expected = text.replace(/[«»]/g, '').replaceAll('Card', 'Panel');
  expect(await afterTabs({ 'A.tsx': text }, 'Panel')).toEqual({ 'A.tsx': expected });
});
