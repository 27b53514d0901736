// Edits that were dismissed, and lines that were inserted.
import { expect, test, vi } from 'vitest';
import { a, script, texts, windowWith } from './scripted-window.ts';

test('a dismissed edit does not come back until its line changes', async () => {
  const { edits, replace, ask } = windowWith({ [a]: texts[a] as string });
  replace(a, 'sum', 'total');
  const first = await ask(a);
  if (first.edit) edits.dismiss(first.edit);
  expect((await ask(a)).edit?.newText).toBe('end(total);');
  replace(a, 'log(1);\n', 'log(1);\nlog(2);\n');
  expect((await ask(a)).edit?.newText).toBe('end(total);');
  replace(a, 'log(sum)', 'log(sum + 1)');
  expect((await ask(a)).edit?.newText).toBe('log(total + 1);');
});

test.each(['\n', '\r\n'])(
  'new lines are offered at the end of the line before, until dismissed; line breaks: %j',
  async (eol) => {
    script.inserted = 'log(2);\nlog(3);\n';
    const { replace, ask, edits } = windowWith({ [a]: 'set(sum);\nlog(1);\nend(sum);\n'.replaceAll('\n', eol) });
    replace(a, 'sum', 'total');
    const { edit } = await ask(a);
    const at = { line: 1, character: 7 };
    const newText = `${eol}log(2);${eol}log(3);`;
    expect(edit).toMatchObject({ oldText: '', newText, changes: [{ range: { start: at, end: at }, text: newText }] });
    if (edit) edits.dismiss(edit);
    expect((await ask(a)).reason).toBe('nothing-follows');
  },
);

test('lines that were inserted behind a renamed line are an edit of their own', async () => {
  script.inserted = 'log(2);\n';
  const { replace, ask, apply } = windowWith({ [a]: 'set(1);\nlog(sum);\nend(sum);\n' });
  replace(a, 'sum', 'total');
  vi.advanceTimersByTime(5000);
  const { edit } = await ask(a);
  if (edit) apply(edit);
  vi.advanceTimersByTime(5000);
  replace(a, 'set(1)', 'set(2)');
  await ask(a);
  const past = (line: number, before: string, after: string) => ({ path: 'a.ts', before, after, line });
  expect(script.asked.at(-1)?.history).toEqual([
    past(1, 'log(sum);', 'log(total);'),
    past(2, '', 'log(2);'),
    past(0, 'set(1);', 'set(2);'),
  ]);
});

test('after lines were dismissed, the line before them may still be edited', async () => {
  script.inserted = 'log(2);\n';
  const { replace, ask, edits } = windowWith({ [a]: 'set(sum);\nlog(sum);\nend(1);\n' });
  replace(a, 'sum', 'total');
  const { edit } = await ask(a);
  expect(edit?.range.start).toEqual({ line: 1, character: 9 });
  if (edit) edits.dismiss(edit);
  script.inserted = '';
  expect((await ask(a)).edit?.newText).toBe('log(total);');
});

test.each([undefined, null, 5, {}])('dismissing an edit with the text %j does no harm', async (newText) => {
  const { edits, replace, ask } = windowWith({ [a]: texts[a] as string });
  replace(a, 'sum', 'total');
  const first = await ask(a);
  if (first.edit) edits.dismiss({ ...first.edit, newText: newText as never });
  expect((await ask(a)).edit?.newText).toBe('log(total);');
});

test('dismissals are forgotten when next edits are turned off: the text may change meanwhile', async () => {
  const { edits, replace, ask } = windowWith({ [a]: texts[a] as string });
  replace(a, 'sum', 'total');
  const first = await ask(a);
  if (first.edit) edits.dismiss(first.edit);
  edits.clear();
  replace(a, 'set(total', 'set(sum');
  replace(a, 'set(sum', 'set(total, 2');
  expect((await ask(a)).edit?.newText).toBe('log(total);');
});

test('at the place of a dismissed edit, no other edit is offered either', async () => {
  const { edits, replace, ask } = windowWith({ [a]: 'set(sum, 1);\nlog(1);\nlog(sum);\n' });
  replace(a, 'sum', 'tot');
  const first = await ask(a);
  if (first.edit) edits.dismiss({ ...first.edit, newText: 'log(tot);' });
  replace(a, 'tot', 'total');
  expect((await ask(a)).reason).toBe('edit-dismissed');
});
