// The questions to a model with one of Hearth's adapters, and the edits that follow from its answers. The tokens of the
// model in these tests are bytes, and its answer is prepared.
import { expect, test } from 'vitest';
import {
  askAboutLines,
  askAroundCursor,
  linesChangedBy,
} from '../../../../language-server/edits/generation/hearth-format.ts';
import { withWriter } from '../../../../language-server/edits/generation/writer.ts';
import type { EditedDocument, TextEdit } from '../../../../language-server/edits/text/text-edit.ts';
import type { Continuation } from '../../../../native/index.ts';
import { FakeEngine } from '../../../fixtures/fake-engine.ts';

const text = 'let sum = 0;\n\nadd(total);\nend();\nend();\nstop();\n';
const document: EditedDocument = {
  ...{ path: 'a.ts', text, cursor: 'let sum'.length },
  history: [{ path: 'a.ts', before: 'let total = 0;', after: 'let sum = 0;' }],
};

const lines = (edited: EditedDocument, first: number, end: number) => {
  const question = askAboutLines(new FakeEngine(), edited, { first, end });
  return question && new FakeEngine().detokenize(question.prompt);
};

/** The edit that replaces one text with another. */
function replacing(old: string, now: string): TextEdit {
  const start = text.indexOf(old);
  return { start, end: start + old.length, text: now };
}

/** A model that writes this answer. adapters: the adapter of each request. */
class Writer extends FakeEngine {
  readonly adapters: (string | undefined)[] = [];

  constructor(private readonly answer: string) {
    super({
      respond: (prompt) => {
        const asked = 'updated:\n';
        return this.answer.slice(prompt.length - prompt.lastIndexOf(asked) - asked.length);
      },
      logProbability: () => -0.01,
    });
  }

  override scoreContinuations(
    _tokens: Uint32Array,
    continuations: readonly Continuation[],
    _priority?: unknown,
    _signal?: AbortSignal,
    adapter?: string,
  ): Promise<Float32Array[]> {
    this.adapters.push(adapter);
    const written = Buffer.from(this.answer);
    return Promise.resolve(
      continuations.map(({ scored }) =>
        Float32Array.from(scored, (token, i) =>
          token === written[i] || (token > 255 && i >= written.length) ? -0.01 : -3,
        ),
      ),
    );
  }
}

const edit = replacing('add(total);', 'add(sum);');
const answered = (answer: string) => withWriter(new Writer(answer), 'mine.gguf', document, [{ edit, odds: 0 }]);

test('the prompt has the last edits, the code around the lines, and the lines', () => {
  expect(lines(document, 2, 3)).toBe(
    '<|file_sep|>a.ts.diff\noriginal:\nlet total = 0;\nupdated:\nlet sum = 0;\n' +
      `<|file_sep|>a.ts\n${text}\n<|file_sep|>a.ts.diff\noriginal:\nadd(total);\nupdated:\n`,
  );
});

test('the prompt has only the beginning and the end of a long edit', () => {
  const before = Array.from({ length: 30 }, (_, i) => `a${i}`).join('\n');
  const asked = lines({ ...document, history: [{ path: 'b.ts', before, after: 'b' }] }, 2, 3);
  expect(asked).toContain('\na11\n...\na19\n');
});

test.each(['<|file_sep|>', '</s>', '<|cursor|>'])('the model is not asked about a text with %s', (mark) => {
  expect(lines({ ...document, text: `${text}${mark}` }, 5, 6)).toBeUndefined();
  expect(lines({ ...document, history: [{ path: 'b.ts', before: mark, after: '' }] }, 2, 3)).toBeUndefined();
});

test('the model is not asked about longer lines than those of its training', () => {
  const long = 'x'.repeat(12_000);
  expect(lines({ ...document, text: `${text}${long}` }, 2, 3)).toBeUndefined();
  expect(lines({ ...document, history: [{ path: 'b.ts', before: '', after: long }] }, 2, 3)).toBeUndefined();
  expect(lines(document, 2, 3)).toBeDefined();
});

test('the model is asked about the lines that the edit changes', () => {
  expect(linesChangedBy(edit, text)).toEqual({ first: 2, end: 3 });
});

test('if the edit only adds or removes lines, the model is also asked about the line above', () => {
  expect(linesChangedBy(replacing('add(total);\n', 'add(total);\nmore();\n'), text)).toEqual({ first: 2, end: 3 });
  expect(linesChangedBy(replacing('add(total);\n', ''), text)).toEqual({ first: 1, end: 3 });
  expect(linesChangedBy({ start: 0, end: 0, text: 'first();\n' }, text)).toEqual({ first: 0, end: 1 });
});

test('if the document has the same lines elsewhere, the model is also asked about up to three lines above', () => {
  const second = text.lastIndexOf('end();');
  expect(linesChangedBy({ start: second, end: second + 3, text: 'close' }, text)).toEqual({ first: 3, end: 5 });
});

/** The lines that the model is asked about if the cursor is at the beginning of the given line. */
function linesAround(line: number): string[] {
  const all = Array.from({ length: 40 }, (_, i) => `line${i}();\n`);
  const long = { ...document, text: all.join(''), cursor: all.slice(0, line).join('').length };
  return askAroundCursor(new FakeEngine(), long)?.window.text.trimEnd().split('\n') ?? [];
}

test('around the cursor, the model is asked about 21 lines, also at both ends of the file', () => {
  expect([linesAround(20)[0], linesAround(20).at(-1)]).toEqual(['line10();', 'line30();']);
  expect([linesAround(0)[0], linesAround(0).at(-1)]).toEqual(['line0();', 'line20();']);
  // The last line feed is followed by an empty line.
  expect([linesAround(39)[0], linesAround(39).at(-1)]).toEqual(['line20();', 'line39();']);
});

test('if the cursor is in another document, the model is asked only about proposals', () => {
  expect(askAroundCursor(new FakeEngine(), { ...document, cursor: -1 })).toBeUndefined();
});

test('an answer with the same edit makes the proposal likelier', async () => {
  const [one] = await answered('add(sum);\n');
  expect(one?.edit).toEqual(edit);
  expect(one?.odds).toBeGreaterThan(0);
});

test('an answer that keeps the lines makes the proposal less likely', async () => {
  const [one, ...others] = await answered('add(total);\n');
  expect(one?.odds).toBeLessThan(-1);
  expect(others).toEqual([]);
});

test('a different answer is a proposal of its own', async () => {
  const [one, other] = await answered('add(sum, 1);\n');
  expect(one?.edit).toEqual(edit);
  expect(other?.edit).toEqual({ start: edit.start, end: edit.end + 1, text: 'add(sum, 1);\n' });
});

test('an edit that the model writes around the cursor is a proposal, even if there was none', async () => {
  const now = text.replace('add(total);', 'add(sum);');
  const [only, ...others] = await withWriter(new Writer(now), 'mine.gguf', document, []);
  expect(only?.edit).toEqual(replacing('add(total);\n', 'add(sum);\n'));
  expect(others).toEqual([]);
  expect(await withWriter(new Writer(text), 'mine.gguf', document, [])).toEqual([]);
});

test('text that the model inserts at the cursor is a proposal', async () => {
  const now = text.replace('let sum', 'let sum: number');
  const [only] = await withWriter(new Writer(now), 'mine.gguf', document, []);
  expect(only?.edit).toEqual({ start: 7, end: 7, text: ': number' });
});

test('every question names the adapter, and none is asked once the signal is aborted', async () => {
  const engine = new Writer('add(sum, 1);\n');
  await withWriter(engine, 'mine.gguf', document, [{ edit, odds: 0 }]);
  expect(engine.adapters).toEqual(['mine.gguf', 'mine.gguf']);
  expect(engine.requests.map(({ adapter }) => adapter)).toEqual(['mine.gguf', 'mine.gguf']);
  const aborted = AbortSignal.abort();
  expect(await withWriter(engine, 'mine.gguf', document, [{ edit, odds: 0 }], aborted)).toEqual([]);
  expect(engine.adapters).toHaveLength(2);
});
