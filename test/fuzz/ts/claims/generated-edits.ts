// Any answer of a model that was trained on next edits, up to the edit that the editor gets.
import assert from 'node:assert/strict';
import { LongText } from '../../../../language-server/documents/long-text.ts';
import type { EditFormat } from '../../../../language-server/edits/generation/edit-question.ts';
import { editFormat, generateEdit } from '../../../../language-server/edits/generation/generate-edit.ts';
import { askAboutLines } from '../../../../language-server/edits/generation/hearth-format.ts';
import { PlainBreaks } from '../../../../language-server/edits/text/plain-breaks.ts';
import { applyEdit, type EditedDocument } from '../../../../language-server/edits/text/text-edit.ts';
import type { Completion, Continuation, GenerateRequest, OnText } from '../../../../native/index.ts';
import { FakeEngine } from '../../../fixtures/fake-engine.ts';
import type { Claim } from './claim.ts';

const text = 'let sum = 0;\n\nadd(total);\nlog("ä");\nend();\nstop();\n';
const edited: EditedDocument = {
  ...{ path: 'a.ts', text, cursor: 'let sum'.length },
  history: [{ path: 'a.ts', before: 'let total = 0;', after: 'let sum = 0;' }],
};
const documents = [edited, { ...edited, text: text.trimEnd() }];
const hidden = /(?![\t\n\r])[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Cs}]/u;

/** Repeats a number of bytes of the old lines, and then writes the whole answer at once. */
class Writer extends FakeEngine {
  constructor(
    private readonly answer: string,
    private readonly agreed: number,
  ) {
    super();
  }

  override async scoreContinuations(_: Uint32Array, continuations: readonly Continuation[]): Promise<Float32Array[]> {
    return continuations.map(({ scored }) => Float32Array.from(scored, (_, i) => (i < this.agreed ? -0.01 : -3)));
  }

  override async generate(request: GenerateRequest, onText?: OnText): Promise<Completion> {
    const none = await super.generate({ ...request, maxTokens: 0 });
    const characters = [...this.answer].slice(0, request.maxTokens);
    const last = characters.findIndex((character) => onText?.(character, -0.1, 0) === true);
    const written = last === -1 ? characters : characters.slice(0, last + 1);
    const text = written.join('');
    return { ...none, text, tokens: Uint32Array.from(Buffer.from(text)), finishReason: 'stop' };
  }
}

const someLines: EditFormat = { ask: (engine, document) => askAboutLines(engine, document, { first: 2, end: 4 }) };
const formats = [...(['sweep-1', 'sweep-2', 'zeta-2.1'] as const).map(editFormat), someLines];

export const generatedEdits: Claim = {
  title: 'any answer of a model that writes edits is an edit of whole lines, or none; also with Windows line ends',
  seeds: [
    text.replace('total', 'sum'),
    '<|marker_1|>\nlet sum = 0;\n\nadd(sum);\n<|marker_2|>',
    'sum);\nlog("ä");\nend();\n',
  ],
  words: [
    '<|marker_1|>',
    '<|marker_2|>',
    '<|file_sep|>',
    '<|cursor|>',
    'end();\n',
    'stop();\n',
    '\r\n',
    '\n',
    '\u202e',
    '\0',
    'é',
  ],
  async check(pieces) {
    const answer = Buffer.concat(pieces).toString();
    for (const format of formats)
      for (const document of documents) {
        const engine = new Writer(answer, answer.length % 30);
        const edit = (await generateEdit(engine, format, document))?.edit;
        if (!edit) continue;
        const { start, end, text: now } = edit;
        assert(0 <= start && start <= end && end <= document.text.length, `${start} to ${end}`);
        assert(start === 0 || document.text[start - 1] === '\n', `${start} is within a line`);
        assert(end === document.text.length || document.text[end - 1] === '\n', `${end} is within a line`);
        assert.doesNotMatch(now, hidden);
        assert.notEqual(document.text.slice(start, end), now);
        const windows = document.text.replaceAll('\n', '\r\n');
        const there = new PlainBreaks(LongText.of(windows)).inDocument(edit);
        assert.equal(applyEdit(windows, there), applyEdit(document.text, edit).replaceAll('\n', '\r\n'));
      }
  },
};
