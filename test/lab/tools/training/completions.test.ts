// Tests which places are chosen in files, and which prompt and answer a model learns for each.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { randomFrom } from '../../../../lab/tools/gates/cut-places.ts';
import { loadGrammars } from '../../../../lab/tools/gates/recording.ts';
import { exampleAt } from '../../../../lab/tools/training/example.ts';
import { Lines, type TypedPlace, typedPlace } from '../../../../lab/tools/training/typed-places.ts';
import { OpenDocument } from '../../../../language-server/documents/open-document.ts';
import { RelatedCode } from '../../../../language-server/related-code/related-code.ts';
import { FakeEngine } from '../../../fixtures/fake-engine.ts';
import { cursorIn } from '../../../language-server/cursor.ts';
import { commandLine } from '../../../support/command-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-completions-'));
beforeAll(loadGrammars);
afterAll(() => rmSync(folder, { recursive: true }));

const basket = `import { Item } from './item';

export class Basket {
  private readonly items: Item[] = [];

  add(item: Item): void {
    if (this.items.includes(item)) return;
    this.items.push(item);
  }

  total(): number {
    let sum = 0;
    for (const item of this.items) {
      sum += item.price * item.count;
    }
    return sum;
  }
}
`;

/** The places in a file that 600 random draws find. */
function placesIn(text: string): TypedPlace[] {
  const lines = new Lines(text);
  const random = randomFrom(5);
  return Array.from({ length: 600 }, () => typedPlace(lines, random)).filter((place) => place !== null);
}

test('prefix, missing text and suffix of a place make up its file, and a quiet place has no missing text', () => {
  const places = placesIn(basket);
  const kinds = 'body,bracket,fresh,line,next line,quiet blank,quiet block,quiet end,quiet words,word,words';
  expect([...new Set(places.map(({ cut }) => cut))].sort().join()).toBe(kinds);
  for (const { cut, prefix, middle, suffix } of places) {
    if (cut === 'quiet block') expect(`${prefix.replace(/\n[ \t]*$/, '')}${suffix}`).toBe(basket);
    else if (suffix === '\n' && !cut.startsWith('quiet')) expect(basket.startsWith(prefix + middle)).toBe(true);
    else expect(prefix + middle + suffix).toBe(basket);
    expect(middle.trim() === '').toBe(cut.startsWith('quiet'));
  }
});

/**
 * Makes the example for a file without the text in "[[...]]" and with the cursor in its place, and checks the example.
 * Returns the text that a model learns to write there; null if there is no example.
 */
async function wantedIn(marked: string, language = 'typescript'): Promise<string | null> {
  const { text: withMiddle, offset } = cursorIn(marked.replace('[[', '$0'));
  const [middle = '', suffix = ''] = withMiddle.slice(offset).split(']]');
  const prefix = withMiddle.slice(0, offset);
  const own = OpenDocument.create('file:///w/a', language, 1, prefix + suffix);
  const related = new RelatedCode({
    openDocuments: () => [own],
    folders: () => [{ uri: 'file:///w', name: 'w' }],
    related: () => Promise.resolve({ defined: [], shared: [] }),
  });
  const engine = new FakeEngine();
  const example = await exampleAt(engine, related, own, { cut: '', prefix, middle, suffix }, randomFrom(1));
  if (!example) return null;
  const { heal, wanted, answer, healed } = example;
  expect(engine.detokenize(Uint32Array.from(answer))).toBe(heal + wanted);
  expect(healed).toBe(heal.length); // a token of this engine is a byte
  const before = engine.detokenize(Uint32Array.from(example.prompt)) + heal;
  expect(prefix.endsWith(before.slice(before.indexOf('<|fim_middle|>') + '<|fim_middle|>'.length))).toBe(true);
  return wanted;
}

test('the wanted text ends where the server would stop showing it', async () => {
  const text = 'const sum = [[items.length;\nconst more = sum + 1;\nuse(more);]]\n';
  expect(await wantedIn(text)).toBe('items.length;');
  const body = 'function add(a: number, b: number) {\n  [[const sum = a + b;\n  return sum;]]\n}\n';
  expect(await wantedIn(body)).toBe('const sum = a + b;\n  return sum;');
});

test('the wanted text includes the rest of a word and closers that the prompt leaves out', async () => {
  expect(await wantedIn('const first = 1;\nuse(fi[[rst]]);\nrest();\n')).toBe('rst);');
  expect(await wantedIn('const a = [1, 2];\nconst b = a.le[[ngth + ]]1;\n')).toBe('ngth + ');
});

test('the wanted text is empty where the author wrote nothing', async () => {
  expect(await wantedIn('const a = 1;[[]]\nuse(a);\n')).toBe('');
  expect(await wantedIn('def f():\n    return 1\n\n[[]]\nf()\n', 'python')).toBe('');
});

test('a place where the server could show nothing gives no example', async () => {
  expect(await wantedIn("const a = use([[b, 'text]]\nrest();\n")).toBeNull();
});

test('the tool writes the examples of a repository as tokens', () => {
  const source = join(folder, 'OWNER+shop.jsonl');
  const file = (path: string) =>
    JSON.stringify({ path, language: 'typescript', text: basket.repeat(2), isOther: false });
  writeFileSync(source, `${file('src/basket.ts')}\n${file('src/cart.ts')}\n`);
  const { run, checkFails } = commandLine(join(__dirname, '../../../../lab/tools/run.mjs'));
  checkFails(['completions', source], 2, /expected --out FOLDER/);
  const out = join(folder, 'out');
  expect(run('completions', source, '--out', out, '--most', '5', '--cases').code).toBe(0);
  const rows = readFileSync(join(out, 'OWNER+shop.jsonl'), 'utf8').trim().split('\n');
  expect(rows).toHaveLength(5);
  for (const row of rows) {
    const { source: repository, prompt, answer, heal, wanted, prefix, middle } = JSON.parse(row);
    expect(repository).toBe('OWNER+shop');
    expect(prompt.length).toBeGreaterThan(3);
    expect(answer.length > 0).toBe(heal + wanted !== '');
    expect(prefix.length).toBeGreaterThan(0);
    expect(typeof middle).toBe('string');
  }
});
