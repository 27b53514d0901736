// The questions to models that write next edits, and the edits in their answers. The tokens of the model in these tests
// are bytes, and its answer is prepared.
import { expect, test } from 'vitest';
import { LongText } from '../../../../language-server/documents/long-text.ts';
import { propose } from '../../../../language-server/edits/decision/propose.ts';
import { editFormat, generateEdit, rejoined } from '../../../../language-server/edits/generation/generate-edit.ts';
import { PlainBreaks } from '../../../../language-server/edits/text/plain-breaks.ts';
import { applyEdit, type EditedDocument } from '../../../../language-server/edits/text/text-edit.ts';
import type { EditFormatName } from '../../../../language-server/models/model-traits.ts';
import type { Completion, Continuation } from '../../../../native/index.ts';
import { FakeEngine } from '../../../fixtures/fake-engine.ts';

const text = 'let sum = 0;\n\nadd(total);\nlog("ä");\nend();\nstop();\n';
const document: EditedDocument = {
  ...{ path: 'a.ts', text, cursor: 'let sum'.length },
  history: [{ path: 'a.ts', before: 'let total = 0;', after: 'let sum = 0;' }],
};

/** A model that is sure of this answer. passes: the number of scored tokens in each pass over the old lines. */
class Writer extends FakeEngine {
  readonly passes: number[] = [];

  constructor(
    private readonly answer: string,
    sureness = 0.9,
  ) {
    super({
      respond: (prompt) => this.answer.slice(prompt.length - prompt.lastIndexOf(this.asked) - this.asked.length),
      logProbability: () => Math.log(sureness) / 4,
    });
  }

  /** The end of the prompt. */
  asked = 'updated/a.ts\n';

  override scoreContinuations(_: Uint32Array, continuations: readonly Continuation[]): Promise<Float32Array[]> {
    const written = Buffer.from(this.answer);
    this.passes.push(...continuations.map(({ scored }) => scored.length));
    return Promise.resolve(
      continuations.map(({ scored }) =>
        Float32Array.from(scored, (token, i) =>
          token === written[i] || (token > 255 && i >= written.length) ? -0.01 : -3,
        ),
      ),
    );
  }
}

/** Like a real engine's, its answers end with a stop token. */
class EndingWriter extends Writer {
  override async generate(...[request, ...rest]: Parameters<FakeEngine['generate']>): Promise<Completion> {
    const answer = await super.generate(request, ...rest);
    return { ...answer, tokens: Uint32Array.from([...answer.tokens, ...(request.stopTokens ?? []).slice(0, 1)]) };
  }
}

const generated = (engine: FakeEngine, format: EditFormatName = 'sweep-1', edited = document) =>
  generateEdit(engine, editFormat(format), edited);

test('the prompt in the first format of Sweep', () => {
  const engine = new Writer('');
  const question = editFormat('sweep-1').ask(engine, document);
  expect(engine.detokenize(question?.prompt ?? new Uint32Array())).toBe(
    `<|file_sep|>a.ts.diff\noriginal:\nlet total = 0;\nupdated:\nlet sum = 0;\n` +
      `<|file_sep|>original/a.ts\n${text.replace('sum', 'total')}\n<|file_sep|>current/a.ts\n${text}\n<|file_sep|>updated/a.ts\n`,
  );
});

test('the prompt in the second format of Sweep', () => {
  const engine = new Writer('');
  const question = editFormat('sweep-2').ask(engine, document);
  expect(engine.detokenize(question?.prompt ?? new Uint32Array())).toBe(
    `<|file_sep|>a.ts\n${text}\n<|file_sep|>a.ts.diff\noriginal:\nlet total = 0;\nupdated:\nlet sum = 0;\n` +
      `<|file_sep|>original/a.ts:1:7\n${text.replace('sum', 'total')}\n` +
      `<|file_sep|>current/a.ts:1:7\n${text.replace('sum', 'sum<|cursor|>')}\n<|file_sep|>updated/a.ts:1:7\n`,
  );
});

test('the prompt in the format of Zeta 2.1, and an answer that names the blocks to replace', () => {
  const lines = Array.from({ length: 20 }, (_, i) => (i === 7 ? '' : `line${i};`)).join('\n');
  const long = { ...document, text: lines, cursor: 4, history: [{ path: 'a.ts', before: 'line;', after: 'line0;' }] };
  const engine = new Writer('');
  const question = editFormat('zeta-2.1').ask(engine, long);
  const first = Array.from({ length: 7 }, (_, i) => `line${i};\n`).join('');
  const second = Array.from({ length: 12 }, (_, i) => `line${i + 8};\n`).join('');
  expect(engine.detokenize(question?.prompt ?? new Uint32Array())).toBe(
    '<[fim-suffix]>\n<[fim-prefix]><filename>edit_history\n--- a/a.ts\n+++ b/a.ts\n@@ -1,1 +1,1 @@\n-line;\n+line0;\n\n' +
      `<filename>a.ts\n<<<<<<< CURRENT\n<|marker_1|>\n${first.replace('line0', 'line<|user_cursor|>0')}\n` +
      `<|marker_2|>\n${second}<|marker_3|>\n=======\n<[fim-middle]>`,
  );
  expect(question?.parse('<|marker_2|>\nonly;\n<|marker_3|>')).toBe(`${first}\nonly;\n`);
  expect(question?.parse('<|marker_1|>\na;\n<|marker_2|>\nb;\n<|marker_3|>')).toBe('a;\nb;\n');
  expect(question?.parse('<|marker_1|>\n<|marker_1|>')).toBe(`${first}\n${second}`);
  for (const odd of [
    '',
    'line0;',
    '<|marker_3|>\nx\n<|marker_1|>',
    '<|marker_1|>\nx\n<|marker_9|>',
    '<|marker_0|>x<|marker_1|>',
  ])
    expect(question?.parse(odd)).toBeUndefined();
});

test('an answer that changes nothing costs one pass and no token', async () => {
  const engine = new Writer(`${text}\n`);
  expect(await generated(engine)).toBeUndefined();
  expect(engine.passes).toHaveLength(1);
  expect(engine.requests).toEqual([]);
});

test("invisible characters of the model's answer are dropped, whatever the line ends", async () => {
  const answer = (line: string, end = '\n') => `${text.replace('add(total);', line).replaceAll('\n', end)}\n`;
  const hidden = 'add(s\u202eu\u200bm\u0000)\u2028;\ud800';
  expect((await generated(new Writer(answer(hidden))))?.edit.text).toBe('add(sum);\n');
  expect(await generated(new Writer(answer('add(\u202etotal);')))).toBeUndefined();
  expect((await generated(new Writer(answer('add(sum);', '\r\n'))))?.edit.text).toBe('add(sum);\n');
});

test('with Windows line ends, Sweep gets the same prompt, and the edit has Windows line ends', async () => {
  const windows = text.replaceAll('\n', '\r\n');
  const plain = new PlainBreaks(LongText.of(windows));
  const found = await generated(new Writer(`${text.replace('total', 'sum')}\n`), 'sweep-1', {
    ...document,
    text: plain.text.toString(),
    cursor: plain.offset(document.cursor),
  });
  const edit = found && plain.inDocument(found.edit);
  expect(edit?.text).toBe('add(sum);\r\n');
  expect(edit && applyEdit(windows, edit)).toBe(windows.replace('total', 'sum'));
});

test('the model writes from the first difference until it rejoins the old lines', async () => {
  const engine = new Writer(`${text.replace('add(total)', 'add(sum)')}\n`);
  const found = await generated(engine);
  expect(found?.edit).toEqual({ start: 14, end: 26, text: 'add(sum);\n' });
  expect(engine.requests).toHaveLength(1);
  const [request] = engine.requests;
  expect(engine.detokenize(request?.tokens ?? new Uint32Array()).endsWith('updated/a.ts\nlet sum = 0;\n\nadd(')).toBe(
    true,
  );
  // The kept lines count, and so do "sum);" and the two lines after it, but no further lines.
  const kept = Math.exp(-0.01 * 'let sum = 0;\n\nadd('.length);
  expect(found?.probability).toBeCloseTo(kept * 0.9 ** ('sum);\nlog("ä");\nend();\n'.length / 4));
});

test.each<[string, string]>([
  ['an added line', text.replace('end();\n', 'more();\nend();\n')],
  ['a removed line', text.replace('end();\n', '')],
  ['a change in the last line', text.replace('stop()', 'stop(1)')],
  ['a change after a character of two bytes', text.replace('"ä"', '"äö"')],
  ['a change within a character', text.replace('"ä"', '"å"')],
])('an answer makes the edit: %s', async (_, now) => {
  const found = await generated(new Writer(`${now}\n`));
  expect(found && applyEdit(text, found.edit)).toBe(now);
});

test('a line feed is added before lines that are appended to a file without a last line feed', async () => {
  const open = { ...document, text: 'let sum = 0;\nadd(total);' };
  const found = await generated(new Writer(`${open.text}\nend();\n`), 'sweep-1', open);
  expect(found?.edit).toEqual({ start: open.text.length, end: open.text.length, text: '\nend();' });
});

test.each<[EditFormatName, string]>([
  ['sweep-1', `${text.replace('add(total)', 'add(sum)').replace('end();\n', '').replace('stop();\n', '')}`],
  ['zeta-2.1', `<|marker_1|>\n${text.replace('add(total)', 'add(sum)')}<|marker_2|>`],
])('the token that ends an answer is not part of the edit: %s', async (format, answer) => {
  const engine = new EndingWriter(answer);
  engine.asked = format === 'sweep-1' ? 'updated/a.ts\n' : '<[fim-middle]>';
  const found = await generated(engine, format);
  expect(found?.edit.text).toContain('add(sum);\n');
  expect(found?.edit.text).not.toContain('<');
});

test('an answer that does not end in time is ignored', async () => {
  expect(await generated(new Writer('add();\n'.repeat(200)))).toBeUndefined();
});

test("the model is not asked about text that contains marks of the prompt's format", () => {
  const engine = new Writer('');
  for (const mark of ['<|file_sep|>', '</s>', '<|cursor|>'])
    expect(editFormat('sweep-2').ask(engine, { ...document, text: text + mark })).toBeUndefined();
  for (const mark of ['<|marker_1|>', '=======\n', '<[fim-suffix]>'])
    expect(editFormat('zeta-2.1').ask(engine, { ...document, text: text + mark })).toBeUndefined();
});

test("the model's edit is proposed unless the user has dismissed it or it undoes the last edit", async () => {
  const engine = () => new Writer(`${text.replace('add(total)', 'add(sum)')}\n`, 0.99);
  const edit = { start: 14, end: 26, text: 'add(sum);\n' };
  expect((await propose(engine(), document, undefined, { editFormat: 'sweep-1' }))?.edit).toEqual(edit);
  const dismissed = { ...document, dismissed: [edit, { start: 14, end: 25, text: 'add(sum);' }] };
  expect(await propose(engine(), dismissed, undefined, { editFormat: 'sweep-1' })).toBeUndefined();
  const back = new Writer(`${text.replace('sum', 'total')}\n`, 0.99);
  expect(await propose(back, { ...document, cursor: 20 }, undefined, { editFormat: 'sweep-1' })).toBeUndefined();
});

test('the text rejoins the old lines once it has two of them with words', () => {
  const old = 'a\n}\nb\n}\nc\nd\n';
  expect(rejoined(old, 'a', 'a1\n}\n')).toBeUndefined();
  expect(rejoined(old, 'a', 'a1\n}\nb\n')).toBeUndefined();
  expect(rejoined(old, 'a', 'a1\n}\nb\n}\nc')).toBeUndefined();
  expect(rejoined(old, 'a', 'a1\n}\nb\n}\nc\n')).toBe('a1\n}\nb\n}\nc\nd\n');
});
