// Which edit is proposed. The tokens of the model in these tests are characters, and it prefers some of them.
import { expect, test } from 'vitest';
import { likeliest, mostLikely, nextOfEachGroup, propose } from '../../../../language-server/edits/decision/propose.ts';
import { editPrompt } from '../../../../language-server/edits/preference/edit-prompt.ts';
import { inPlaceScores } from '../../../../language-server/edits/preference/in-place-scores.ts';
import { preferences } from '../../../../language-server/edits/preference/preference.ts';
import { withModel } from '../../../../language-server/edits/preference/with-model.ts';
import type { Candidate } from '../../../../language-server/edits/proposals/candidate.ts';
import type { TextEdit } from '../../../../language-server/edits/text/text-edit.ts';
import type { Continuation, Engine } from '../../../../native/index.ts';

const characters = 256;

/** A model whose logit of a character is the one in the table, or 0, whatever the text before it. */
function modelThatLikes(logits: Record<string, number>) {
  const asked: { head: string; continuations: [given: string, scored: string][] }[] = [];
  const textOf = (tokens: Uint32Array) => String.fromCharCode(...tokens);
  const sum = Object.values(logits).reduce((total, each) => total + Math.exp(each) - 1, characters);
  const engine = {
    info: { bosToken: -1, special: { fileSep: 0 } },
    tokenize: (text: string) => Uint32Array.from(text, (character) => character.charCodeAt(0)),
    scoreContinuations: (head: Uint32Array, continuations: Continuation[]) => {
      asked.push({
        head: textOf(head),
        continuations: continuations.map(({ given, scored }) => [textOf(given), textOf(scored)]),
      });
      const score = (token: number) => (logits[String.fromCharCode(token)] ?? 0) - Math.log(sum);
      return Promise.resolve(continuations.map(({ scored }) => Float32Array.from(scored, score)));
    },
  };
  return { engine: engine as unknown as Engine, asked };
}

const text = 'let sum = 0;\nadd(total);\nlog(end);\nend(total);\n';
const document = {
  ...{ path: 'a.ts', text, cursor: 'let sum'.length },
  history: [{ path: 'a.ts', before: 'let total = 0;', after: 'let sum = 0;' }],
};
const candidate = (edit: { start: number; end: number; text: string }): Candidate => ({
  ...{ ...edit, finder: 'substitution', group: '', changes: [], differingWords: 0 },
});

test('the head of the prompt has the last edits up to the cursor, and the tail the text after the cursor', () => {
  const { engine } = modelThatLikes({});
  const { head, tail } = editPrompt(engine, document);
  expect(String.fromCharCode(...head)).toBe('\0a.ts.diff\noriginal:\nlet total = 0;\nupdated:\nlet sum');
  expect(String.fromCharCode(...tail)).toBe(' = 0;\n');
  const elsewhere = editPrompt(engine, { ...document, cursor: text.length });
  expect(String.fromCharCode(...elsewhere.head).endsWith('let sum = 0;')).toBe(true);
});

test('text that the user types is appended to the head, so the head stays cached', () => {
  const { engine } = modelThatLikes({});
  const typed = (now: string) => ({
    ...{ text: `let ${now} = 0;\n`, cursor: 4 + now.length },
    history: [{ path: 'a.ts', before: 'let total = 0;', after: `let ${now} = 0;` }],
  });
  const [one, two] = ['s', 'sum'].map((now) => String.fromCharCode(...editPrompt(engine, typed(now)).head));
  expect(two?.startsWith(one ?? '-')).toBe(true);
});

test('the preference is the ratio of the probabilities of the differing texts', async () => {
  const { engine, asked } = modelThatLikes({ b: 2, c: -1, ' ': 1 });
  const lines = { ...document, text: 'f(c);\nf(b, c);\n', cursor: 0 };
  const [same, shorter] = await preferences(engine, lines, [
    candidate({ start: 0, end: 5, text: 'f(b);' }),
    candidate({ start: 6, end: 14, text: 'f(b);' }),
  ]);
  expect(asked).toHaveLength(1);
  expect(same?.logRatio).toBeCloseTo(3);
  // The longer text has three characters more: ", c".
  const perCharacter = Math.log(characters - 3 + Math.exp(2) + Math.exp(-1) + Math.E);
  expect(shorter?.logRatio).toBeCloseTo(3 * perCharacter - 1 + 1);
});

test('a change that the model prefers is likelier', () => {
  const evidence = likeliest(document, 1)[0]?.[0].evidence ?? new Float64Array();
  const odds = (logRatio: number) =>
    withModel(0, evidence, { ofNew: -1, ofTail: -1, logRatio }, { logRatio, rarestNew: -5, rarestOld: -5 });
  expect(odds(9)).toBeGreaterThan(odds(-9) + 0.5);
});

test('the model scores a candidate in its place, among the lines around it, from the first token that differs', async () => {
  const { engine, asked } = modelThatLikes({ s: 3, u: 2, ')': -4 });
  const edit = candidate({ start: 13, end: 24, text: 'add(sum);' });
  const [scores] = await inPlaceScores(engine, document, [edit]);
  expect(asked).toEqual([
    {
      head: '\0a.ts\n',
      continuations: [
        ['let sum = 0;\nadd(', 'total)'],
        ['let sum = 0;\nadd(', 'sum)'],
      ],
    },
  ]);
  const perCharacter = Math.log(characters - 3 + Math.exp(3) + Math.exp(2) + Math.exp(-4));
  // The new text is two characters shorter and has two preferred characters. The bracket is the rarest in both texts.
  expect(scores?.logRatio).toBeCloseTo(3 + 2 + 2 * perCharacter);
  expect(scores?.rarestNew).toBeCloseTo(-4 - perCharacter);
  expect(scores?.rarestOld).toBeCloseTo(-4 - perCharacter);
});

test('a candidate in a blank first line is scored together with that line', async () => {
  const { engine, asked } = modelThatLikes({});
  const blank = { ...document, text: '\nlet a;\n' };
  await inPlaceScores(engine, blank, [candidate({ start: 0, end: 0, text: 'b' })]);
  expect(asked.at(-1)?.continuations.map(([given, scored]) => given + scored)).toEqual(['\n', 'b\n']);
});

test('proposes the next place of a rename', async () => {
  const again = { path: 'a.ts', before: 'put(total);', after: 'put(sum);' };
  const proposal = await propose(modelThatLikes({ s: 3, u: 3, m: 3 }).engine, {
    ...document,
    history: [again, ...document.history],
  });
  expect(proposal?.edit).toEqual({ start: 13, end: 24, text: 'add(sum);' });
  expect(proposal?.probability).toBeGreaterThan(0.2);
});

test('if the same change fits in several places, the next place is proposed, unless another is much likelier', () => {
  const group = (name: string, odds: number): [{ group: string; odds: number }, number] => [
    { group: name, odds },
    odds,
  ];
  expect(nextOfEachGroup([group('a', 1), group('b', 0), group('a', 1.5)])).toEqual([group('a', 1), group('b', 0)]);
  expect(nextOfEachGroup([group('a', -1), group('a', 1.5), group('a', 2)])).toEqual([group('a', 1.5)]);
});

test('a dismissed edit is not proposed', async () => {
  const dismissed: TextEdit[] = [];
  const next = () => propose(modelThatLikes({}).engine, { ...document, dismissed });
  for (let found = await next(); found && dismissed.length < 9; found = await next()) dismissed.push(found.edit);
  expect(dismissed.map((edit) => edit.text)).toEqual(expect.arrayContaining(['add(sum);', 'end(sum);']));
  expect(new Set(dismissed.map(({ start, text: now }) => `${start} ${now}`)).size).toBe(dismissed.length);
  expect(await next()).toBeUndefined();
});

test('the model is not asked if nothing follows from the last edits', async () => {
  const { engine, asked } = modelThatLikes({});
  expect(await propose(engine, { ...document, history: [] })).toBeUndefined();
  expect(await propose(engine, { ...document, text: 'let sum = 0;\n' })).toBeUndefined();
  expect(asked).toEqual([]);
});

test('nothing is proposed when the request was aborted', async () => {
  const { engine } = modelThatLikes({});
  const aborted = { ...engine, scoreContinuations: () => Promise.resolve([]) } as unknown as Engine;
  expect(await propose(aborted, document)).toBeUndefined();
});

test('a change that the user has made several times is likelier', () => {
  const again = ['put', 'get'].map((name) => ({ path: 'a.ts', before: `${name}(total);`, after: `${name}(sum);` }));
  const [[, once] = []] = likeliest(document, 1);
  const [[, often] = []] = likeliest({ ...document, history: [...again, ...document.history] }, 1);
  expect(often).toBeGreaterThan((once ?? 0) + 0.5);
});

test('a deletion must be likelier than other edits, and must be short', () => {
  const deletion = (probability: number) => ({ edit: { start: 13, end: 25, text: '' }, probability });
  const replacement = { edit: { start: 13, end: 24, text: 'add(sum);' }, probability: 0.5 };
  expect(mostLikely([deletion(0.8), replacement], text)).toBe(replacement);
  expect(mostLikely([deletion(0.9), replacement], text)).toEqual(deletion(0.9));
  const lines = 'a\n'.repeat(9);
  expect(mostLikely([{ edit: { start: 0, end: 10, text: '' }, probability: 0.99 }], lines)).toBeUndefined();
});
