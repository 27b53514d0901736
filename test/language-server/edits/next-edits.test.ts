// Which requests get which edit.
import { expect, test } from 'vitest';
import type { EditedDocument } from '../../../language-server/edits/decision/propose.ts';
import type { Settings } from '../../../language-server/protocol/messages.ts';
import type { NextEdit } from '../../../language-server/protocol/next-edit-messages.ts';
import type { Engine } from '../../../native/index.ts';
import { a, b, script, settings, texts, windowWith } from './scripted-window.ts';

const adding = `export function add(items: Item[]): number {
  let sum = 0;
  for (const item of items) {
    sum += item.price * item.qty;
  }
  return sum;
}
`;
const average = adding.replace('add', 'average').replace('return sum', 'return sum / items.length');
const balanced: Settings = { ...settings, nextEdit: 'balanced' };

test('an answer has the lines of the edit and the words that differ', async () => {
  const { replace, ask } = windowWith(texts);
  replace(a, 'sum', 'total');
  const { reason, edit } = await ask(a);
  expect(reason).toBe('edit-offered');
  const at = (line: number, character: number) => ({ line, character });
  expect(edit).toEqual({
    ...{ uri: a, version: 2, oldText: 'log(sum);', newText: 'log(total);', probability: 0.9 },
    range: { start: at(2, 0), end: at(2, 9) },
    changes: [{ range: { start: at(2, 4), end: at(2, 7) }, text: 'total' }],
  });
  expect(script.asked[0]?.history).toEqual([
    { path: 'a.ts', before: 'set(sum, 1);', after: 'set(total, 1);', line: 0 },
  ]);
});

test('a file with Windows line ends gets the same edit, with Windows line ends', async () => {
  const text = 'set(sum, 1);\nlog(1);\nlog(sum);\nend(sum);\n';
  const { replace, ask } = windowWith({ [a]: text.replaceAll('\n', '\r\n') });
  replace(a, '\r\nlog(1);\r\n', '\r\nlog(2);\r\nlog(3);\r\n');
  replace(a, 'sum', 'total');
  expect((await ask(a)).edit).toMatchObject({
    ...{ oldText: 'log(sum);', newText: 'log(total);' },
    range: { start: { line: 3, character: 0 }, end: { line: 3, character: 9 } },
  });
  expect(script.asked[0]).toMatchObject({
    text: 'set(total, 1);\nlog(2);\nlog(3);\nlog(sum);\nend(sum);\n',
    history: [{ path: 'a.ts', before: 'set(sum, 1);\nlog(1);', after: 'set(total, 1);\nlog(2);\nlog(3);' }],
  });
  await expect.poll(() => script.asked[1]?.history.at(-1)?.after).toBe('log(total);');
});

test('two untitled documents are not taken for the same one', async () => {
  const [first, second] = ['untitled:Untitled-1', 'untitled:Untitled-2'];
  const { replace, ask } = windowWith({ [first]: 'const tax = 1;\nend();\n', [second]: 'begin();\nlog(tax);\n' });
  replace(first, 'tax', 'vat');
  expect((await ask(first, 9, balanced)).reason).toBe('nothing-follows');
  expect((await ask(second, 8, balanced)).reason).toBe('no-edits');
});

test('all uses of a renamed local are offered at once, and none in other functions or files', async () => {
  const { replace, ask, apply, document } = windowWith({ [a]: adding + average, [b]: average });
  replace(a, 'sum', 'total');
  const { edit } = await ask(a, 9, balanced);
  expect(edit).toMatchObject({
    newText: '    total += item.price * item.qty;',
    changes: [{ text: 'total', range: { start: { line: 3, character: 4 } } }],
    otherChanges: [{ text: 'total', range: { start: { line: 5, character: 9 } } }],
  });
  apply(edit as NextEdit);
  expect(document(a).text.toString()).toBe(adding.replaceAll('sum', 'total') + average);
  expect((await ask(a, 9, balanced)).reason).toBe('nothing-follows');
});

test('renaming many places does not count as a bulk change, and continues in a file that imports the name', async () => {
  const uses = Array.from({ length: 30 }, (_, i) => `log(${i}, rate);\n`).join('');
  const { replace, ask, apply, document } = windowWith({
    [a]: `export const rate = 1;\n${uses}`,
    [b]: "import { rate } from './a';\nlog(rate);\n",
  });
  replace(a, 'rate', 'vatRate');
  const { edit } = await ask(a, 9, balanced);
  expect(edit?.otherChanges).toHaveLength(29);
  apply(edit as NextEdit);
  expect(document(a).text.toString()).not.toMatch(/\brate\b/);
  const next = await ask(a, 9, balanced);
  expect(next.edit).toMatchObject({
    uri: b,
    newText: "import { vatRate } from './a';",
    otherChanges: [{ text: 'vatRate' }],
  });
});

test('strings and comments of another function keep the name', async () => {
  const gross = "function gross() {\n  // the sum is fixed\n  const sum = 2;\n  return 'sum is ' + sum;\n}\n";
  const { replace, ask } = windowWith({ [a]: `function net() {\n  const sum = 1;\n  return sum;\n}\n${gross}` });
  replace(a, 'sum', 'total');
  const { edit } = await ask(a, 9, balanced);
  expect(edit).toMatchObject({ newText: '  return total;' });
  expect(edit?.otherChanges).toBeUndefined();
  replace(a, 'return sum', 'return total');
  expect((await ask(a, 9, balanced)).reason).toBe('nothing-follows');
});

test('if a tag is renamed, its partner follows, and nothing else', async () => {
  const page = '<main>\n  <sum class="card">\n    <sum>One</sum>\n  </sum>\n  <sum>Two</sum>\n</main>\n';
  const { replace, ask } = windowWith({ 'file:///w/a.html': page });
  replace('file:///w/a.html', 'sum class', 'total class');
  expect((await ask('file:///w/a.html', 2, balanced)).edit).toMatchObject({
    newText: '  </total>',
    range: { start: { line: 3, character: 0 } },
  });
  replace('file:///w/a.html', '  </sum>\n  <', '  </total>\n  <');
  expect((await ask('file:///w/a.html', 2, balanced)).reason).toBe('nothing-follows');
});

test("no search begins before the user's first edit, or after the user has undone it", async () => {
  const { replace, ask } = windowWith(texts);
  expect((await ask(a)).reason).toBe('no-edits');
  replace(a, 'sum', 'total');
  replace(a, 'total', 'sum');
  expect((await ask(a)).reason).toBe('no-edits');
  expect(script.asked).toEqual([]);
});

test('while an edit is offered, the search for the next one runs, also in other files', async () => {
  const { replace, ask } = windowWith(texts);
  replace(a, 'sum', 'total');
  expect((await ask(a)).edit?.newText).toBe('log(total);');
  await expect.poll(() => script.asked).toHaveLength(2);
  replace(a, 'log(sum)', 'log(total)');
  expect((await ask(a)).edit?.newText).toBe('end(total);');
  // Two more searches: nothing is left in this file, so the other file is searched, too.
  await expect.poll(() => script.asked).toHaveLength(4);
  replace(a, 'end(sum)', 'end(total)');
  const last = await ask(a);
  expect(last.edit).toMatchObject({ uri: b, newText: 'import total;' });
  await expect.poll(() => script.asked).toHaveLength(6);
  replace(b, 'sum', 'total');
  expect((await ask(b)).reason).toBe('nothing-follows');
  expect(script.asked).toHaveLength(6);
});

test('a file that the editor does not share is neither changed nor learned from', async () => {
  const { replace, ask } = windowWith(texts, []);
  replace(b, 'sum', 'total');
  replace(a, 'log(1)', 'log(2)');
  await ask(a);
  expect(JSON.stringify(script.asked)).not.toContain('import');
  expect(script.asked[0]?.history).toHaveLength(1);
});

test('a file with a secret gets no edits, and its text is used nowhere', async () => {
  const secret = `const key = "AKIA${'QWERTZUIOPASDFG2'}";`;
  const { replace, ask } = windowWith({ ...texts, [b]: `import sum;\n${secret}\n` });
  replace(b, 'import sum', 'import total');
  expect((await ask(b)).reason).toBe('secrets-file');
  replace(a, 'sum', 'total');
  await ask(a);
  expect(JSON.stringify(script.asked)).not.toContain('import');
});

test('an edit that is not likely enough is not offered, and a calmer setting requires more', async () => {
  const { replace, ask } = windowWith(texts);
  replace(a, 'sum', 'total');
  script.probability = 0.6;
  expect((await ask(a)).reason).toBe('edit-unsure');
  expect((await ask(a, 9, { ...settings, nextEdit: 'balanced' })).reason).toBe('edit-offered');
});

test('when the cursor rests, the answer to the next request is prepared once', async () => {
  const { replace, ask, rest } = windowWith(texts);
  replace(a, 'sum', 'tot');
  rest(a);
  replace(a, 'tot', 'total');
  rest(a);
  rest(a);
  expect(script.asked).toEqual([]);
  await expect.poll(() => script.asked).toHaveLength(1);
  const { text, cursor, history } = script.asked[0] as EditedDocument;
  expect(text.slice(0, cursor)).toBe('set(total');
  expect(history).toEqual([{ path: 'a.ts', before: 'set(sum, 1);', after: 'set(total, 1);', line: 0 }]);
  expect((await ask(a)).edit?.newText).toBe('log(total);');
  // The second search is for the edit after the offered one.
  await expect.poll(() => script.asked).toHaveLength(2);
  expect(script.asked[1]?.text).toContain('log(total);');
});

test.each([
  ['at another place', 5, settings],
  ['with a different setting', 9, { ...settings, nextEdit: 'eager' as 'calm' }],
])('what was found while the cursor rested does not answer a request %s', async (_, character, given) => {
  const { replace, ask, rest } = windowWith(texts);
  replace(a, 'sum', 'total');
  rest(a);
  await expect.poll(() => script.asked).toHaveLength(1);
  expect((await ask(a, character, given)).reason).toBe('edit-offered');
  expect(script.asked.slice(1).filter(({ text }) => text.includes('log(sum);'))).toHaveLength(1);
});

test('at rest, nothing is prepared in a file with a secret, after a bulk change, or for a model that writes edits', async () => {
  const secret = `const key = "AKIA${'QWERTZUIOPASDFG2'}";`;
  const hidden = windowWith({ [a]: `${texts[a]}${secret}\n` });
  hidden.replace(a, 'sum', 'total');
  hidden.rest(a);
  const bulk = windowWith(texts);
  bulk.replace(a, 'log(1);\n', 'log(1);\n'.repeat(20));
  bulk.rest(a);
  for (const writes of [{ editFormat: 'zeta-2.1' as const }, { editAdapter: '/edits.gguf' }]) {
    const writing = windowWith(texts, [], { ready: async () => ({ local: {} as Engine, ...writes }) });
    writing.replace(a, 'sum', 'total');
    writing.rest(a);
  }
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(script.asked).toEqual([]);
});

test('nothing is prepared after a request, where suggestions are off, or before the cursor rests', async () => {
  const asked = windowWith({ [a]: 'set(sum);\n' });
  asked.replace(a, 'sum', 'total');
  asked.rest(a);
  expect((await asked.ask(a)).reason).toBe('nothing-follows');
  asked.rest(a);
  expect(script.asked).toHaveLength(1);
  const { replace, rest } = windowWith(texts);
  replace(a, 'sum', 'total');
  rest(a, 'off');
  replace(b, 'sum', 'total');
  rest(a);
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(script.asked).toHaveLength(1);
});

test('the next key ends the search', async () => {
  const { replace, ask } = windowWith(texts);
  replace(a, 'sum', 'total');
  let go = () => {};
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  script.wait = () => held;
  const answer = ask(a);
  await expect.poll(() => script.asked).toHaveLength(1);
  replace(a, 'total', 'totals');
  go();
  expect((await answer).reason).toBe('superseded');
});

test('a cancelled request is superseded', async () => {
  const { replace, ask } = windowWith(texts);
  replace(a, 'sum', 'total');
  const controller = new AbortController();
  const answer = ask(a, 9, settings, controller.signal);
  controller.abort();
  expect((await answer).reason).toBe('superseded');
});

test('no search begins for a request that is cancelled before its turn', async () => {
  const { replace, ask } = windowWith(texts);
  replace(a, 'sum', 'total');
  expect((await ask(a, 9, settings, AbortSignal.abort())).reason).toBe('superseded');
  expect(script.asked).toEqual([]);
});

test('nothing is offered in the modes manual and off, or after the document has changed', async () => {
  const { edits, replace, ask } = windowWith(texts);
  replace(a, 'sum', 'total');
  expect((await ask(a, 9, { ...settings, mode: 'manual' })).reason).toBe('manual');
  expect((await ask(a, 9, { ...settings, nextEdit: 'off' as 'calm' })).reason).toBe('off');
  const params = { uri: a, version: 1, position: { line: 0, character: 0 }, trigger: 'pause' as const };
  const { signal } = new AbortController();
  expect((await edits.provide(params, signal)).reason).toBe('superseded');
  expect((await edits.provide({ ...params, uri: 'file:///w/none.ts' }, signal)).edit).toBe(null);
});

test('after a change of many lines nothing is offered until the user edits again', async () => {
  const { replace, ask } = windowWith(texts);
  replace(a, 'sum', 'total');
  replace(a, 'log(1);\n', `${'log(1);\n'.repeat(20)}`);
  expect((await ask(a)).reason).toBe('bulk-change');
});
