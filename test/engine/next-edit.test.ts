// Next edits from the language server with the starter model, requested one after the other as an editor does.
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RelatedParams, relatedRequest } from '../../language-server/protocol/messages.ts';
import type { NextEdit } from '../../language-server/protocol/next-edit-messages.ts';
import { cart, prices } from '../fixtures/shop.ts';
import { LspClient } from '../support/lsp-client.ts';

const root = join(import.meta.dirname, '../..');
const folder = { uri: 'file:///shop', name: 'shop' };
let client: LspClient;
const texts = new Map<string, string>();

async function open(name: string, text: string): Promise<string> {
  const uri = `${folder.uri}/${name}`;
  texts.set(uri, text);
  await client.open(uri, text, name.endsWith('.tsx') ? 'typescriptreact' : 'typescript');
  return uri;
}

/** Applies the edit here and in the server. */
async function apply({
  uri,
  changes,
  otherChanges = [],
}: Pick<NextEdit, 'uri' | 'changes' | 'otherChanges'>): Promise<void> {
  const all = [...changes, ...otherChanges].sort(
    ({ range: { start: one } }, { range: { start: other } }) =>
      other.line - one.line || other.character - one.character,
  );
  for (const { range, text } of all) {
    const lines = (texts.get(uri) ?? '').split('\n');
    const { line, character } = range.start;
    const old = lines[line] ?? '';
    lines[line] = old.slice(0, character) + text + old.slice(range.end.character);
    texts.set(uri, lines.join('\n'));
    await client.change(uri, { range, text });
  }
}

beforeAll(async () => {
  const program = [process.execPath, join(root, 'dist/server.js'), '--stdio'];
  const options = { bundledModel: join(root, 'models/starter.gguf'), sharesCode: true };
  client = await LspClient.start(program, { nextEdit: 'balanced' }, options, [folder]);
  client.connection.onRequest(relatedRequest.method, ({ documents }: RelatedParams) => ({
    defined: [],
    shared: documents,
  }));
  await client.settled();
});

afterAll(() => client.stop());

test('all uses of a renamed constant follow, in both files, and nothing else changes', async () => {
  await open('cart.ts', cart);
  const uri = await open('prices.ts', prices);
  const at = (line: number, character: number) => ({ line, character });
  expect((await client.nextEdit(uri, 0, 0)).reason).toBe('no-edits');
  await apply({ uri, changes: [{ range: { start: at(0, 13), end: at(0, 21) }, text: 'vatRate' }] });
  let { edit } = await client.nextEdit(uri, 0, 20);
  for (let applied = 0; edit && applied < 9; applied++) {
    await apply(edit);
    const { start } = edit.changes[0]?.range ?? edit.range;
    ({ edit } = await client.nextEdit(edit.uri, start.line, start.character + 'vatRate'.length));
  }
  expect([...texts.values()]).toEqual([cart, prices].map((text) => text.replaceAll('baseRate', 'vatRate')));
});

test('the server refuses malformed parameters and keeps running', async () => {
  for (const params of [undefined, {}, { uri: 1 }, { uri: `${folder.uri}/cart.ts`, version: 'x', position: null }]) {
    await client.connection.sendNotification('hearth/dismissEdit', params);
    await client.connection.sendRequest('hearth/nextEdit', params).catch(() => undefined);
  }
  expect((await client.nextEdit(`${folder.uri}/cart.ts`, 0, 0)).edit).toBe(null);
});

const sum = (name: string, more = '') => `export function ${name}(items: Item[]): number {
  let sum = 0;
  for (const item of items) {
    sum += item.price * item.qty;
  }
  return sum${more};
}
`;
const rated = (name: string, more: string) => `function ${name}(net: number) {\n  const rate = 0.19;\n${more}}\n`;
const page = (tag: string) =>
  `function Page() {\n  return (\n    <${tag}>\n      <div className="a">One</div>\n      <div>Two</div>\n    </${tag}>\n  );\n}\n`;
const template = (name: string) => `const ${name} = user.name;\nlog(\`\${${name}} name\`, user.name);\n`;
const label = "  const label = 'rate is ' + rate;\n  // the rate is fixed\n  return label;\n";
const used = (name: string) => `  return net * (1 + ${name});\n`;

/**
 * A file in which a person has just overwritten the first use of a name; another open file; the expected texts of both.
 */
test.each([
  [
    'a local, but not its namesake in another function or file',
    'sum',
    'subtotal',
    sum('total') + sum('average', ' / items.length'),
    sum('mean'),
    sum('total').replaceAll('sum', 'subtotal') + sum('average', ' / items.length'),
  ],
  [
    'a constant, but not the word in strings or comments of other functions',
    'rate',
    'vatRate',
    rated('net', used('rate')) + rated('gross', label),
    '',
    rated('net', used('vatRate')).replace('const rate', 'const vatRate') + rated('gross', label),
  ],
  [
    'a parameter',
    'net',
    'price',
    rated('gross', used('rate')) + rated('other', used('rate')),
    '',
    rated('gross', used('rate')).replaceAll('net', 'price') + rated('other', used('rate')),
  ],
  [
    'a constant that a template uses',
    'name',
    'label',
    template('name'),
    'const name = 1;\nlog(name);\n',
    template('label'),
  ],
  ['a tag and its partner', 'div', 'section', page('div'), '', page('section')],
])('pressing Tab until nothing is offered renames %s', async (title, old, now, text, other, expected) => {
  const others = other === '' ? '' : await open(`other ${title}.tsx`, other);
  const uri = await open(`${title}.tsx`, text);
  const before = text.slice(0, text.indexOf(old));
  const line = before.split('\n').length - 1;
  const character = before.length - before.lastIndexOf('\n') - 1;
  const range = { start: { line, character }, end: { line, character: character + old.length } };
  await apply({ uri, changes: [{ range, text: now }] });
  let { edit } = await client.nextEdit(uri, line, character + now.length);
  for (let tabs = 0; edit && tabs < 9; tabs++) {
    await apply(edit);
    const { start } = edit.changes[0]?.range ?? edit.range;
    ({ edit } = await client.nextEdit(edit.uri, start.line, start.character + now.length));
  }
  expect(texts.get(uri)).toBe(expected);
  if (others !== '') expect(texts.get(others)).toBe(other);
});
