// npm run tool -- confidence CASES.jsonl: what each gate shows and hides of a model's answers, as CSV. It is how the gates
// in language-server/rules/confidence.ts were fitted, and how they are for another model.
import {
  type Command,
  engineOptions,
  onlyOperand,
  print,
  readJsonLines,
  withEngine,
} from '../../language-server/cli/command.ts';
import { generate, resultOf } from '../../language-server/offers/complete.ts';
import { Anchors } from '../../language-server/prompt/anchors.ts';
import type { Gate } from '../../language-server/rules/confidence.ts';
import type { Engine } from '../../native/index.ts';
import { insertable } from './eval-score.ts';
import { remembered } from './remembered.ts';

const maxTokens = 64;
const noGate: Gate = { line: 0, beginning: 1 };
const beginning = 0.45;
const gates: Gate[] = [
  ...[0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7].map((line) => ({ line, beginning })),
  ...[0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1].map((each) => ({ line: 0.07, beginning: each })),
  ...[0.5, 0.6, 0.8, 0.9, 1].flatMap((each) => [0.2, 0.4, 0.5].map((line) => ({ line, beginning: each }))),
  { line: 0.02, beginning: 0.3 },
  { line: 0.3, beginning: 0.8 },
  { line: 0.7, beginning: 0.9 },
];
const columns = [
  'lines_right',
  'right_kept',
  'lines_wrong',
  'wrong_shown',
  'chars_right',
  'chars_shown',
  'chars_right_before',
];

type Case = Record<'language' | 'path' | 'kind' | 'prefix' | 'suffix' | 'middle', string>;

export const confidenceCommand: Command = {
  summary: 'what each gate shows and hides, as CSV; cases as for eval',
  operands: 'CASES.jsonl',
  options: engineOptions,
  async run(values, operands) {
    const cases = readJsonLines(onlyOperand(operands, 'CASES.jsonl')).map(({ entry }) => entry as Case);
    await withEngine(values, async (engine) => {
      for (const line of await curve(engine, cases)) print(line);
    });
  },
};

export async function curve(engine: Engine, cases: Case[]): Promise<string[]> {
  const tallies = new Map<string, number[]>();
  for (const each of cases) {
    const patient = remembered(engine);
    const before = await answer(patient, each, noGate);
    for (const gate of gates) {
      const figures = compare(each.middle, before, await answer(patient, each, gate));
      for (const group of ['all', `kind ${each.kind}`, `language ${each.language}`]) {
        const key = `${group},${gate.line},${gate.beginning}`;
        const sums = tallies.get(key) ?? columns.map(() => 0);
        tallies.set(
          key,
          sums.map((sum, i) => sum + (figures[i] ?? 0)),
        );
      }
    }
  }
  const rows = [...tallies].map(([key, sums]) => `${key},${sums.join(',')}`);
  return [`group,line_gate,piece_gate,${columns.join(',')}`, ...rows.sort()];
}

/** What would stand in place of the case's middle; empty if nothing is shown. */
async function answer(engine: Engine, { language, path, prefix, suffix }: Case, gate: Gate): Promise<string> {
  const document = { uri: path, languageId: language, text: prefix + suffix, offset: prefix.length };
  const options = { maxTokens, multiline: 'auto', gate } as const;
  const { suggestions } = await resultOf(generate(engine, new Anchors(engine), document, options));
  return suggestions[0] ? insertable(suggestions[0], suffix).text : '';
}

/** In the order of the columns. A line is right if it is the wanted one, or a beginning of it where it was cut. */
function compare(middle: string, before: string, after: string): number[] {
  const isRight = before !== '' && firstLine(before) === firstLine(middle);
  const isWrong = before !== '' && !isRight;
  const isShownRight = after !== '' && firstLine(middle).startsWith(firstLine(after));
  return [
    Number(isRight),
    Number(isRight && isShownRight),
    Number(isWrong),
    Number(isWrong && after !== '' && !isShownRight),
    commonLength(after.trim(), middle.trim()),
    after.trim().length,
    commonLength(before.trim(), middle.trim()),
  ];
}

function firstLine(text: string): string {
  return (text.trimStart().split('\n', 1)[0] ?? '').trimEnd();
}

function commonLength(a: string, b: string): number {
  let length = 0;
  while (length < Math.min(a.length, b.length) && a[length] === b[length]) length++;
  return length;
}
