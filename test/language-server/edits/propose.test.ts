// Which edit is proposed, with a model that reads characters and likes some better than others.
import { expect, test } from 'vitest';
import { candidatesFor } from '../../../language-server/edits/candidates.ts';
import { preference } from '../../../language-server/edits/preference.ts';
import { likeliest, propose } from '../../../language-server/edits/propose.ts';
import type { Engine } from '../../../native/index.ts';

const vocabulary = 256;

/** After any text, a character's logit is what the table says, or 0. */
function modelThatLikes(logits: Record<string, number>): { engine: Engine; asked: () => number } {
  let asked = 0;
  const all = new Float32Array(vocabulary);
  for (const [character, logit] of Object.entries(logits)) all[character.charCodeAt(0)] = logit;
  const engine = {
    info: { bosToken: -1, special: { fileSep: 0 } },
    tokenize: (text: string) => Uint32Array.from(text, (character) => character.charCodeAt(0)),
    lastLogits: () => {
      asked++;
      return Promise.resolve(all);
    },
  };
  return { engine: engine as unknown as Engine, asked: () => asked };
}

const text = 'let sum = 0;\nadd(total);\nlog(end);\nend(total);\n';
const document = {
  ...{ path: 'a.ts', text, cursor: 'let sum'.length },
  history: [{ path: 'a.ts', before: 'let total = 0;', after: 'let sum = 0;' }],
};

test('the preference is the ratio of the probabilities of what differs', async () => {
  const { engine, asked } = modelThatLikes({ b: 2, c: -1 });
  const head = Uint32Array.of(10);
  expect(await preference(engine, head, { old: 'f(c);', now: 'f(b);' })).toBeCloseTo(3);
  // Of either text the character that differs and the one after.
  expect(asked()).toBe(4);
  const shorter = await preference(engine, head, { old: 'f(b, c);', now: 'f(b);' });
  const perCharacter = Math.log(253 + 1 + Math.exp(2) + Math.exp(-1));
  expect(shorter).toBeCloseTo(3 * perCharacter + 1);
});

test('proposes the line that the model would rather read as changed', async () => {
  const eager = await propose(modelThatLikes({ s: 9, u: 9, m: 9 }).engine, document);
  expect(eager?.edit).toEqual({ start: 13, end: 24, text: 'add(sum);' });
  const reluctant = await propose(modelThatLikes({ t: 9, o: 9, a: 9, l: 9 }).engine, document);
  expect(eager?.probability).toBeGreaterThan(0.8);
  expect(reluctant?.probability).toBeLessThan(0.2);
});

test('a model is not asked when nothing follows from the last edits', async () => {
  const { engine, asked } = modelThatLikes({});
  expect(await propose(engine, { ...document, history: [] })).toBeUndefined();
  expect(await propose(engine, { ...document, text: 'let sum = 0;\n' })).toBeUndefined();
  expect(asked()).toBe(0);
});

test('what was done several times is likelier to be done again', () => {
  const again = { path: 'a.ts', before: 'put(total);', after: 'put(sum);' };
  const [[, once] = []] = likeliest(document, 1);
  const [[, twice] = []] = likeliest({ ...document, history: [again, ...document.history] }, 1);
  expect(twice).toBeGreaterThan(once ?? 0);
});

test('an edit that takes back what was done is no candidate', () => {
  const back = { path: 'a.ts', before: 'add(all);', after: 'add(total);' };
  const forth = { path: 'a.ts', before: 'use(total);', after: 'use(all);' };
  const found = candidatesFor(text, document.cursor, [back, forth]).map((edit) => edit.text);
  expect(found).not.toContain('add(all);');
  expect(found).toContain('end(all);');
});
