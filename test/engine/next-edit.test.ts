// Next edits by the language server with the starter model: a rename, from edit to edit, as an editor asks for them.
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RelatedParams, relatedRequest } from '../../language-server/protocol/messages.ts';
import type { NextEdit } from '../../language-server/protocol/next-edit.ts';
import { cart, prices } from '../fixtures/shop.ts';
import { LspClient } from '../support/lsp-client.ts';

const root = join(import.meta.dirname, '../..');
const folder = { uri: 'file:///shop', name: 'shop' };
let client: LspClient;
const texts = new Map<string, string>();

async function open(name: string, text: string): Promise<string> {
  const uri = `${folder.uri}/${name}`;
  texts.set(uri, text);
  await client.open(uri, text);
  return uri;
}

/** Makes the edit, here and in the server. */
async function apply({ uri, changes }: Pick<NextEdit, 'uri' | 'changes'>): Promise<void> {
  for (const { range, text } of changes.toReversed()) {
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
}, 60_000);

afterAll(() => client.stop());

test('a renamed constant is renamed wherever it is used, in both files, and nothing else is', async () => {
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
}, 60_000);

test('malformed parameters are refused, and the server goes on', async () => {
  for (const params of [undefined, {}, { uri: 1 }, { uri: `${folder.uri}/cart.ts`, version: 'x', position: null }]) {
    await client.connection.sendNotification('hearth/dismissEdit', params);
    await client.connection.sendRequest('hearth/nextEdit', params).catch(() => undefined);
  }
  expect((await client.nextEdit(`${folder.uri}/cart.ts`, 0, 0)).edit).toBe(null);
});
