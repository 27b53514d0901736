// npm run tool -- fit-next-edit --cases CASES.jsonl: fits how evidence, and then the model's preference, becomes
// confidence, and says what that would show of repositories that it was not fitted to.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, count, engineOptions, print, text, withEngine } from '../../language-server/cli/command.ts';
import { promising, worthAsking } from '../../language-server/edits/decision/propose.ts';
import { evidenceNames } from '../../language-server/edits/evidence/evidence.ts';
import { logOddsOf, type Trees } from '../../language-server/edits/evidence/trees.ts';
import { preferences } from '../../language-server/edits/preference/preference.ts';
import { readingsInPlace } from '../../language-server/edits/preference/reading-in-place.ts';
import { preferenceNumbers } from '../../language-server/edits/preference/with-model.ts';
import type { Engine } from '../../native/index.ts';
import { type CaseExamples, examplesOf, shownAt } from '../bench/next-edit/examples.ts';
import { type Example, fitTrees } from '../bench/next-edit/fit-trees.ts';
import { type NextEditCase, readNextEditCases } from '../bench/next-edit/next-edit-case.ts';
import { required } from './input.ts';

const folds = 3;
const preferenceOptions = { trees: 40, rate: 0.1 };

export const fitNextEditCommand: Command = {
  summary: 'fit the confidence of next edits to cases; writes evidence-trees.ts and preference-trees.ts',
  operands: '',
  options: {
    ...engineOptions,
    cases: { type: 'string', value: 'FILE', help: 'cases, a line of JSON each, as edit-cases writes them' },
    trees: { type: 'string', value: 'N', help: 'how many trees; 60' },
    asked: { type: 'string', value: 'N', help: 'ask the model about one case of N, 0: about none; 4' },
    out: {
      type: 'string',
      value: 'FOLDER',
      help: 'whose evidence/ and preference/ get the files; language-server/edits',
    },
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
    const whole = fitTrees(examples(cases), options);
    writeFileSync(
      join(folder, 'evidence/evidence-trees.ts'),
      treesFile('evidenceTrees', 'evidenceNames', './trees.ts', whole, evidenceNames),
    );

    const every = Number(text(values, 'asked') ?? 4);
    if (every === 0) return;
    const some = cases.flatMap((each, i) => (i % every === 0 ? [{ ...each, of: given[i], odds: odds[i] ?? [] }] : []));
    await withEngine(values, async (engine) => {
      const asked: AskedCase[] = [];
      for (const each of some) asked.push(await ask(engine, each));
      const rowsOf = (of: AskedCase[]): Example[] =>
        of.flatMap(({ rows, isRight }) =>
          rows.map((numbers, i) => ({ numbers, isRight: isRight[i] === true, weight: 1 })),
        );
      const fitted = (of: AskedCase[]) => fitTrees(rowsOf(of), preferenceOptions);
      const trees = Array.from({ length: folds }, (_, fold) => fitted(asked.filter((each) => !inFold(fold)(each))));
      const withModel = asked.map((each) => each.rows.map((row) => logOddsOf(trees[foldOf(each)] as Trees, row)));
      print(
        `With the model, of ${asked.length} cases, about ${asked.filter(({ rows }) => rows.length > 0).length} of which it was asked:`,
      );
      report(
        asked,
        asked.map(({ rows }) => rows.map(([first = 0]) => first)),
      );
      report(asked, withModel);
      const file = treesFile(
        'preferenceTrees',
        'preferenceNumbers()',
        '../evidence/trees.ts',
        fitted(asked),
        numberNames,
      );
      writeFileSync(join(folder, 'preference/preference-trees.ts'), file);
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
  const all = each.candidates.map((candidate, i): [{ group: string; i: number }, number] => [
    { group: candidate.group, i },
    each.odds[i] ?? 0,
  ]);
  const asked = worthAsking(promising(all));
  const candidates = asked.flatMap(([{ i }]) => each.candidates.slice(i, i + 1));
  const isRight = asked.map(([{ i }]) => each.isRight[i] === true);
  if (!each.of || candidates.length === 0) return { ...each, candidates, isRight, rows: [] };
  const answers = await preferences(engine, each.of, candidates);
  const readings = await readingsInPlace(engine, each.of, candidates);
  const rows = asked.flatMap(([, odds], k) => {
    const [answer, reading] = [answers[k], readings[k]];
    return answer && reading ? [preferenceNumbers(odds, answer, reading)] : [];
  });
  return { ...each, candidates, isRight, rows };
}

/** In the order of preferenceNumbers(). */
const numberNames = ['odds', 'logRatio', 'ofNew', 'ofTail', 'inPlace', 'rarestNew', 'rarestOld'];

function treesFile(
  name: string,
  source: string,
  type: string,
  { bias, trees }: Trees,
  numbers: readonly string[],
): string {
  const lines = trees.map(({ asked, above, leaves }) => {
    const names = [...new Set(asked)].map((feature) => numbers[feature]).join(', ');
    return `    // ${names}\n    { asked: [${asked.join(', ')}], above: [${above.join(', ')}], leaves: [${leaves.join(', ')}] },`;
  });
  return [
    `// Written by \`npm run tool -- fit-next-edit\`. What is asked are numbers of ${source}.`,
    `import type { Trees } from '${type}';`,
    '',
    '// biome-ignore format: a tree is a line',
    `export const ${name}: Trees = {`,
    `  bias: ${bias},`,
    '  trees: [',
    ...lines,
    '  ],',
    '};',
    '',
  ].join('\n');
}
