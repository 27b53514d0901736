// Readable cases of what is shown and what is not: one Markdown file a language, each case with what the model writes.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Anchors } from '../../language-server/completion/anchors.ts';
import { complete } from '../../language-server/completion/complete.ts';
import type { Suggestion } from '../../language-server/completion/suggestion.ts';
import { FakeEngine } from '../fixtures/fake-engine.ts';
import { atCursor } from '../language-server/cursor.ts';
import { type GoldenCase, goldenCases } from './golden-cases.ts';

const cases = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.md') && file !== 'README.md')
  .flatMap((file) => goldenCases(readFileSync(join(import.meta.dirname, file), 'utf8')));

/** What is shown in the end, and early where it is listened to. */
async function answerTo(golden: GoldenCase, onSuggestion?: (suggestion: Suggestion) => void) {
  const engine = new FakeEngine({
    respond: () => (golden.isCutOff ? `${golden.model}zed and more` : golden.model),
    logProbability: (index) => Math.log(golden.probabilities.get(index) ?? 1),
  });
  const { text, offset } = atCursor(golden.document);
  const document = { uri: 'file:///golden', languageId: golden.languageId, text, offset };
  const maxTokens = golden.isCutOff ? golden.model.length : 1000;
  const options = { maxTokens, multiline: golden.multiline };
  const completion = await complete(engine, new Anchors(engine), document, options, undefined, onSuggestion);
  const [shown] = completion.suggestions;
  const accepted = shown && text.slice(0, offset) + shown.text + text.slice(offset + shown.replaces);
  return { shown: shown?.text, accepted: accepted ?? `silent: ${completion.reason}` };
}

test('there are cases enough', () => {
  expect(cases.length).toBeGreaterThanOrEqual(150);
  expect(new Set(cases.map(({ languageId }) => languageId)).size).toBeGreaterThanOrEqual(14);
  expect(cases.filter(({ why }) => why === '')).toEqual([]);
});

const named = cases.map((golden) => [`${golden.languageId}: ${golden.title}`, golden] as const);

test.each(named)('%s', async (_, golden) => {
  expect((await answerTo(golden)).accepted).toBe(golden.accepted);
});

test.each(named)('%s: what is shown early stays', async (_, golden) => {
  const early: string[] = [];
  const { shown } = await answerTo(golden, ({ text }) => early.push(text));
  expect(early.filter((piece) => !shown?.startsWith(piece))).toEqual([]);
});
