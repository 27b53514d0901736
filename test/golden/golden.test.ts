// Readable cases of what is shown and what is not: one Markdown file a language, each case with what the model writes.
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generate, resultOf } from '../../language-server/offers/complete.ts';
import { Anchors } from '../../language-server/prompt/anchors.ts';
import { RemoteEngine } from '../../language-server/remote/remote-engine.ts';
import type { Suggestion } from '../../language-server/rules/suggestion.ts';
import type { Engine } from '../../native/index.ts';
import { atCursor } from '../language-server/cursor.ts';
import { type GoldenCase, goldenCases } from './golden-cases.ts';
import { maxTokensOf, scripted } from './scripted.ts';

const cases = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.md') && file !== 'README.md')
  .flatMap((file) => goldenCases(readFileSync(join(import.meta.dirname, file), 'utf8')));

/** What is shown in the end, and early where it is listened to. */
async function answerTo(
  golden: GoldenCase,
  onSuggestion?: (suggestion: Suggestion) => void,
  engine: Engine = scripted(golden),
) {
  const { text, offset } = atCursor(golden.document);
  const document = { uri: 'file:///golden', languageId: golden.languageId, text, offset };
  const options = { maxTokens: maxTokensOf(golden), multiline: golden.multiline };
  const completion = await resultOf(generate(engine, new Anchors(engine), document, options), onSuggestion);
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
  const { accepted, shown = '' } = await answerTo(golden);
  expect(accepted).toBe(golden.accepted);
  expect(shown, 'VS Code shows nothing of a text that ends with a line break').not.toMatch(/\n$/);
});

test.each(named)('%s: what is shown early stays', async (_, golden) => {
  const early: string[] = [];
  const { shown } = await answerTo(golden, ({ text }) => early.push(text));
  expect(early.filter((piece) => !shown?.startsWith(piece))).toEqual([]);
});

describe("through a team's server", () => {
  let golden: GoldenCase;
  const problems: string[] = [];
  /** Answers as llama.cpp's server does: a character an event, the end of text as a token without one. */
  const http = createServer((_, response) => {
    const { model, probabilities, isCutOff } = golden;
    const send = (choice: object) => response.write(`data: ${JSON.stringify({ choices: [choice] })}\n\n`);
    for (const [i, text] of [...model].entries()) {
      const inner = Array(Buffer.byteLength(text) - 1).fill({ logprob: 0 });
      send({ text, logprobs: { content: [...inner, { logprob: Math.log(probabilities.get(i) ?? 1) }] } });
    }
    if (!isCutOff) send({ text: '', logprobs: { content: [{ logprob: Math.log(0.5) }] } });
    send({ text: '', logprobs: null, finish_reason: isCutOff ? 'length' : 'stop' });
    response.end('data: [DONE]\n\n');
  });

  beforeAll(() => new Promise<void>((listening) => http.listen(0, '127.0.0.1', listening)));
  afterAll(() => http.close());

  test.each(named)('%s', async (_, asked) => {
    golden = asked;
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    const server = { url, model: 'scripted', token: '' };
    const remote = new RemoteEngine(server, scripted(golden), (problem) => problems.push(problem));
    expect((await answerTo(golden, undefined, remote)).accepted).toBe(golden.accepted);
    expect(problems).toEqual([]);
  });
});
