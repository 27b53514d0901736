// npm run tool -- next-edit --cases CASES.jsonl: how often the edit that follows from the last edits is found, and how
// often nothing is shown if none follows.
import { writeFileSync } from 'node:fs';
import {
  type Command,
  count,
  engineOptions,
  print,
  printJson,
  text,
  UsageError,
  type Values,
  withEngine,
} from '../../language-server/cli/command.ts';
import { type Answerer, byHistory, byRule, byScore } from '../bench/next-edit/answers.ts';
import {
  type NextEditAnswer,
  type NextEditCase,
  readAnswers,
  readNextEditCases,
} from '../bench/next-edit/next-edit-case.ts';
import { figuresOf, type NextEditFigures, scoreOf } from '../bench/next-edit/next-edit-score.ts';
import { required } from './input.ts';
import { percent } from './statistics.ts';

const defaultGates = ['0', '0.5', '0.8', '0.9', '0.95', '0.99'];

export const nextEditCommand: Command = {
  summary:
    'how often the edit that follows from the last edits is found, and how often nothing is shown if none follows',
  operands: '',
  options: {
    ...engineOptions,
    cases: { type: 'string', value: 'FILE', help: 'the file of cases that edit-cases has written' },
    by: {
      type: 'string',
      value: 'NAME',
      help: 'who answers: score (the model), history (no model) or rule (renames other uses); default: score',
    },
    adapter: { type: 'string', value: 'FILE', help: 'LoRA adapter that was trained on next edits, a GGUF file' },
    answers: { type: 'string', value: 'FILE', help: 'score the answers in this file instead' },
    out: { type: 'string', value: 'FILE', help: 'write the answers, one line of JSON each' },
    limit: { type: 'string', value: 'N', help: 'only N cases, evenly spread' },
    gate: {
      type: 'string',
      multiple: true,
      value: 'P',
      help: `show only edits that are at least this probable; default: ${defaultGates.join(', ')}`,
    },
  },
  async run(values) {
    const file = required(values, 'cases', 'FILE');
    const gates = (Array.isArray(values.gate) ? values.gate : defaultGates).map(Number);
    if (!gates.every((gate) => gate >= 0 && gate <= 1)) throw new UsageError('--gate must be from 0 to 1');
    const cases = evenlySpread(readNextEditCases(file), count(values, 'limit'));
    const known = text(values, 'answers');
    const answers = known === undefined ? await ask(cases, values) : readAnswers(known, cases.length);
    const out = text(values, 'out');
    if (out !== undefined) writeFileSync(out, answers.map((each) => `${JSON.stringify(each)}\n`).join(''));
    report(cases, answers, gates, values.json === true);
  },
};

async function ask(cases: NextEditCase[], values: Values): Promise<NextEditAnswer[]> {
  const by = text(values, 'by') ?? 'score';
  const all = async (answerer: Answerer) => {
    const answers: NextEditAnswer[] = [];
    for (const each of cases) answers.push(await answerer(each));
    return answers;
  };
  if (by === 'rule') return await all(byRule);
  if (by === 'history') return await all(byHistory);
  if (by !== 'score') throw new UsageError(`--by is score, history or rule, not "${by}"`);
  let answers: NextEditAnswer[] = [];
  await withEngine(values, async (engine, { editFormat }) => {
    answers = await all(byScore(engine, { editFormat, editAdapter: text(values, 'adapter') ?? null }));
  });
  return answers;
}

function report(cases: NextEditCase[], answers: NextEditAnswer[], gates: number[], json: boolean): void {
  const rows = gates.map((gate) => {
    const scores = answers.flatMap((answer, i) => {
      const testCase = cases[i];
      return testCase ? [scoreOf(testCase, answer, gate)] : [];
    });
    return { gate, ...figuresOf(scores) };
  });
  if (json) {
    printJson({ cases: cases.length, gates: rows });
    return;
  }
  const columns: [title: string, cell: (row: NextEditFigures & { gate: number }) => string][] = [
    ['gate', ({ gate }) => String(gate)],
    ['shown', ({ shown }) => percent(shown)],
    ['quiet', ({ quiet }) => percent(quiet)],
    ['exact', ({ exact }) => percent(exact)],
    ['place', ({ place }) => percent(place)],
    ['precision', ({ precision }) => percent(precision)],
    ['wrong deletions', ({ wrongDeletions }) => percent(wrongDeletions)],
    ['wrong characters', ({ wronglyDeleted }) => percent(wronglyDeleted)],
    ['reversals', ({ reversals }) => percent(reversals)],
    ['saved', ({ keystrokesSaved }) => String(keystrokesSaved)],
    ['tokens', ({ tokensPerCase }) => tokensPerCase.toFixed(1)],
    ['ms p50', ({ msP50 }) => msP50.toFixed(1)],
    ['ms p95', ({ msP95 }) => msP95.toFixed(1)],
  ];
  const cell = (content: string, [title]: [string, unknown]) => content.padStart(Math.max(8, title.length));
  print(columns.map((column) => cell(column[0], column)).join(' '));
  for (const row of rows) print(columns.map((column) => cell(column[1](row), column)).join(' '));
}

/** `limit` of the cases, evenly spread. */
function evenlySpread(cases: NextEditCase[], limit = cases.length): NextEditCase[] {
  const step = Math.max(1, cases.length / limit);
  return Array.from({ length: Math.min(limit, cases.length) }, (_, i) => cases[Math.floor(i * step)]).filter(
    (each) => each !== undefined,
  );
}
