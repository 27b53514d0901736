import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { RelatedResult } from '../../../language-server/protocol/messages.ts';
import { EditorAnswers } from '../../../language-server/related-code/editor-answers.ts';

const question = { uri: 'file:///main.ts', positions: [{ line: 3, character: 9 }], documents: [] };
const defined: RelatedResult = {
  defined: [{ uri: 'file:///prices.ts', text: 'export const rate = 19;\n', lines: [{ start: 0, end: 0 }] }],
  shared: [],
};

/** An editor that gives these answers, one after the other, and then repeats the last one. */
function editorThatSays(...answers: (RelatedResult | Error)[]) {
  const asked: number[] = [];
  const editor = new EditorAnswers(async () => {
    const answer = answers[Math.min(asked.push(asked.length), answers.length) - 1]!;
    if (answer instanceof Error) throw answer;
    return answer;
  });
  return { editor, asked };
}

test('asks only once for a line whose names are defined', async () => {
  const { editor, asked } = editorThatSays(defined);
  expect(await editor.ask(question, 3)).toMatchObject(defined);
  expect(await editor.ask(question, 3)).toMatchObject(defined);
  expect(asked).toHaveLength(1);
  await editor.ask(question, 4);
  expect(asked).toHaveLength(2);
});

test('after a failure, no document counts as shared, even if the editor has shared it before', async () => {
  const documents = ['file:///prices.ts'];
  const { editor } = editorThatSays({ defined: [], shared: documents }, new Error('gone'));
  expect(await editor.ask({ ...question, documents }, 3)).toMatchObject({ shared: documents, refused: [] });
  expect(await editor.ask({ ...question, documents }, 4)).toMatchObject({ shared: [], refused: documents });
});

test.each([
  ['knows no definition yet', { defined: [], shared: [] }],
  ['fails', new Error('no provider')],
])('asks again for a line where the editor %s', async (_, first) => {
  const { editor } = editorThatSays(first, defined);
  expect((await editor.ask(question, 3)).defined).toEqual([]);
  expect(await editor.ask(question, 3)).toMatchObject(defined);
});

/** An editor that answers when the test says so. */
function editorThatWaits() {
  const answer: ((result: RelatedResult) => void)[] = [];
  const editor = new EditorAnswers(() => new Promise((resolve) => answer.push(resolve)), 0);
  return { editor, answer };
}

test('an answer is not used if the answer to a later question has come before it', async () => {
  const { editor, answer } = editorThatWaits();
  await editor.ask(question, 3);
  await editor.ask(question, 4);
  answer[1]?.(defined);
  answer[0]?.({ defined: [], shared: [] });
  await setImmediate();
  expect(await editor.ask(question, 4)).toMatchObject(defined);
});

test('the answer to a forgotten question is not used', async () => {
  const { editor, answer } = editorThatWaits();
  await editor.ask(question, 3);
  editor.forget();
  answer[0]?.(defined);
  await setImmediate();
  expect((await editor.ask(question, 3)).defined).toEqual([]);
  expect(answer).toHaveLength(2);
});
