// Readable cases, one Markdown file per language. Each has the model's text and what Hearth shows of it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Team } from '../../language-server/remote/team.ts';
import { budget } from '../../language-server/syntax/syntax-tree.ts';
import { type Answer, begin, CompletionServer, patient, send, stream } from '../support/completion-server.ts';
import { allCases, answerTo } from './answer.ts';
import type { GoldenCase } from './golden-cases.ts';
import { logProbabilityOf, scripted } from './scripted.ts';

const { ms } = budget;
beforeAll(() => {
  budget.ms = 60_000; // however busy this machine is
});
afterAll(() => {
  budget.ms = ms;
});

const cases = allCases(import.meta.dirname);

test('there are enough cases', () => {
  expect(cases.length).toBeGreaterThanOrEqual(150);
  expect(new Set(cases.map(({ languageId }) => languageId)).size).toBeGreaterThanOrEqual(14);
  expect(cases.filter(({ why }) => why === '')).toEqual([]);
});

const named = cases.map((golden) => [`${golden.languageId}: ${golden.title}`, golden] as const);

test.each(named)('%s', async (_, golden) => {
  const early: string[] = [];
  const { accepted, shown = '' } = await answerTo(golden, ({ text }) => early.push(text));
  expect(accepted).toBe(golden.accepted);
  expect(shown, 'VS Code shows nothing of a text that ends with a line break').not.toMatch(/\n$/);
  expect(
    early.filter((piece) => !shown.startsWith(piece)),
    'what is shown early stays',
  ).toEqual([]);
});

describe("through a team's server", () => {
  const problems: string[] = [];
  let server: CompletionServer;
  let team: Team;

  beforeAll(async () => {
    server = await CompletionServer.start();
    server.defaultAnswer = stream('ready');
    team = new Team({ url: server.url, model: 'scripted', credential: '' }, (text) => problems.push(text), patient);
    await team.tried;
  });
  afterAll(() => {
    team.close();
    return server.close();
  });

  // The rules are the same as above, and only the transport of text and probabilities differs, so a sample is enough.
  test.each(named.filter((_, i) => i % 8 === 0))('%s', async (_, golden) => {
    server.defaultAnswer = answerOf(golden);
    const remote = team.completer(scripted(golden)) ?? undefined;
    expect(remote).toBeDefined();
    expect((await answerTo(golden, undefined, remote)).accepted).toBe(golden.accepted);
    expect(problems).toEqual(["The team's server answers."]);
  });
});

/** The text of the case's model in the form in which a server sends it. */
const answerOf =
  ({ model, probabilities, isCutOff }: GoldenCase): Answer =>
  (response) => {
    begin(response);
    for (const [i, text] of [...model].entries()) {
      const inner = Array(Buffer.byteLength(text) - 1).fill({ logprob: 0 });
      const content = [...inner, { logprob: logProbabilityOf(probabilities.get(i)) }];
      send(response, { choices: [{ text, logprobs: { content } }] });
    }
    if (!isCutOff) send(response, { choices: [{ text: '', logprobs: { content: [{ logprob: Math.log(0.5) }] } }] });
    send(response, { choices: [{ text: '', logprobs: null, finish_reason: isCutOff ? 'length' : 'stop' }] });
    response.end('data: [DONE]\n\n');
  };
