// npm run tool -- fit-next-edit --cases CASES.jsonl: fits how evidence, and then the model's preference, becomes
// confidence, and says what that would show of repositories that it was not fitted to.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, count, engineOptions, print, text, withEngine } from '../../language-server/cli/command.ts';
import { preferenceNumbers } from '../../language-server/edits/confidence.ts';
import { evidenceNames } from '../../language-server/edits/evidence.ts';
import { preferences } from '../../language-server/edits/preference.ts';
import { maxQuestions, minLogOdds, worthAsking } from '../../language-server/edits/propose.ts';
import { logOddsOf, type Trees } from '../../language-server/edits/trees.ts';
import type { Engine } from '../../native/index.ts';
import { type CaseExamples, examplesOf, shownAt } from '../bench/next-edit/examples.ts';
import { fitLogistic, type Weights } from '../bench/next-edit/fit-logistic.ts';
import { type Example, fitTrees } from '../bench/next-edit/fit-trees.ts';
import { type NextEditCase, readNextEditCases } from '../bench/next-edit/next-edit-case.ts';
import { required } from './input.ts';

const folds = 3;

export const fitNextEditCommand: Command = {
  summary: 'fit the confidence of next edits to cases; writes evidence-trees.ts and preference-weights.ts',
  operands: '',
  options: {
    ...engineOptions,
    cases: { type: 'string', value: 'FILE', help: 'cases, a line of JSON each, as edit-cases writes them' },
    trees: { type: 'string', value: 'N', help: 'how many trees; 60' },
    asked: { type: 'string', value: 'N', help: 'ask the model about one case of N, 0: about none; 4' },
    out: { type: 'string', value: 'FOLDER', help: 'where the two files go; language-server/edits' },
  },
  async run(values) {
    const file = required(values, 'cases', 'FILE');
    const folder = text(values, 'out') ?? 'language-server/edits';
    const options = { trees: count(values, 'trees') ?? 60, rate: 0.12 };
    const given = readNextEditCases(file);
    const cases = given.map(examplesOf);
    const repositories = [...new Set(cases.map(({ repository }) => repository))].sort();
    const foldOf = ({ repository }: CaseExamples) => repositories.indexOf(repository) % folds;
    const inFold = (fold: number) => (each: CaseExamples) => foldOf(each) === fold;
    const byFold = Array.from({ length: folds }, (_, fold) =>
      fitTrees(examples(cases.filter((each) => !inFold(fold)(each))), options),
    );
    const odds = cases.map((each) => each.numbers.map((numbers) => logOddsOf(byFold[foldOf(each)] as Trees, numbers)));
    print(`${cases.length} cases of ${repositories.length} repositories; each third by what was fitted to the others.`);
    print('By the evidence:');
    report(cases, odds);
    writeFileSync(join(folder, 'evidence-trees.ts'), treesFile(fitTrees(examples(cases), options)));

    const every = Number(text(values, 'asked') ?? 4);
    if (every === 0) return;
    const some = cases.flatMap((each, i) => (i % every === 0 ? [{ ...each, of: given[i], odds: odds[i] ?? [] }] : []));
    await withEngine(values, async (engine) => {
      const asked: AskedCase[] = [];
      for (const each of some) asked.push(await ask(engine, each));
      const rowsOf = (of: AskedCase[]) =>
        of.flatMap(({ rows, isRight }) => rows.map((row, i) => ({ row, isRight: isRight[i] === true })));
      const fitted = (of: AskedCase[]) =>
        fitLogistic(
          rowsOf(of).map(({ row }) => row),
          rowsOf(of).map(({ isRight }) => isRight),
        );
      const weights = Array.from({ length: folds }, (_, fold) => fitted(asked.filter((each) => !inFold(fold)(each))));
      const withModel = asked.map((each) => each.rows.map((row) => weighed(weights[foldOf(each)] as Weights, row)));
      print(
        `With the model, of ${asked.length} cases, about ${asked.filter(({ rows }) => rows.length > 0).length} of which it was asked:`,
      );
      report(
        asked,
        asked.map(({ rows }) => rows.map(([first = 0]) => first)),
      );
      report(asked, withModel);
      writeFileSync(join(folder, 'preference-weights.ts'), weightsFile(fitted(asked)));
    });
  },
};

function report(cases: readonly CaseExamples[], odds: readonly number[][]): void {
  for (const precision of [0.85, 0.75, 0.6, 0.5]) {
    const { gate, shown, quiet } = shownAt(cases, odds, precision);
    const [p, s, q] = [precision, shown, quiet].map((share) => `${(share * 100).toFixed(1)} %`);
    print(`  precision ${p}: gate ${gate.toFixed(2)}, shown ${s}, quiet ${q}`);
  }
}

/** A case with many candidates weighs more than one with few, but not as many times. */
function examples(cases: CaseExamples[]): Example[] {
  return cases.flatMap(({ numbers, isRight }) =>
    numbers.map((each, i) => ({
      ...{ numbers: each, isRight: isRight[i] === true, weight: 1 / Math.sqrt(numbers.length) },
    })),
  );
}

/** Only the candidates that the model was asked about. */
interface AskedCase extends CaseExamples {
  rows: number[][];
}

async function ask(
  engine: Engine,
  each: CaseExamples & { of: NextEditCase | undefined; odds: number[] },
): Promise<AskedCase> {
  const likely = each.candidates
    .map((_, i): [number, number] => [i, each.odds[i] ?? 0])
    .filter(([, odds]) => odds >= minLogOdds)
    .sort(([, a], [, b]) => b - a)
    .slice(0, maxQuestions);
  const asked = worthAsking(likely);
  const candidates = asked.flatMap(([i]) => each.candidates.slice(i, i + 1));
  const answers = each.of && candidates.length > 0 ? await preferences(engine, each.of, candidates) : [];
  const rows = answers.map((answer, k) => preferenceNumbers(asked[k]?.[1] ?? 0, answer));
  return { ...each, candidates, isRight: asked.map(([i]) => each.isRight[i] === true), rows };
}

function weighed({ bias, weights }: Weights, row: number[]): number {
  return row.reduce((sum, each, i) => sum + each * (weights[i] ?? 0), bias);
}

function treesFile({ bias, trees }: Trees): string {
  const lines = trees.map(({ asked, above, leaves }) => {
    const names = [...new Set(asked)].map((feature) => evidenceNames[feature]).join(', ');
    return `    // ${names}\n    { asked: [${asked.join(', ')}], above: [${above.join(', ')}], leaves: [${leaves.join(', ')}] },`;
  });
  return [
    '// Written by `npm run tool -- fit-next-edit`. What is asked are numbers of evidenceNames.',
    "import type { Trees } from './trees.ts';",
    '',
    '// biome-ignore format: a tree is a line',
    'export const evidenceTrees: Trees = {',
    `  bias: ${bias},`,
    '  trees: [',
    ...lines,
    '  ],',
    '};',
    '',
  ].join('\n');
}

function weightsFile({ bias, weights }: Weights): string {
  const rounded = weights.map((weight) => Number(weight.toPrecision(3)));
  return [
    '// Written by `npm run tool -- fit-next-edit`: what each of preferenceNumbers adds to the logarithm of the odds.',
    '',
    `export const preferenceBias = ${Number(bias.toPrecision(3))};`,
    `export const preferenceWeights = [${rounded.join(', ')}];`,
    '',
  ].join('\n');
}
