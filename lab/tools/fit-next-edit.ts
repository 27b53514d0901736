// npm run tool -- fit-next-edit --cases CASES.jsonl: fits the trees that turn evidence into confidence, and then the
// trees that turn a model's answers into confidence. Reports the edits that they would show in repositories to which
// they were not fitted. The model's answers are stored as they come, so that a stopped fit can continue. A slow model
// can be asked part by part: first --share 0/2 --asked FILE and --share 1/2 --asked OTHER, then --asked FILE --asked
// OTHER.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Command,
  count,
  engineOptions,
  modelPath,
  print,
  text,
  type Values,
  withEngine,
} from '../../language-server/cli/command.ts';
import { evidenceNames } from '../../language-server/edits/evidence/evidence.ts';
import { logOddsOf, type Trees } from '../../language-server/edits/evidence/trees.ts';
import { preferenceNames } from '../../language-server/edits/preference/with-model.ts';
import { type AskedCase, ask, offeredBy } from '../bench/next-edit/asked-cases.ts';
import { AskedFile, shortOf } from '../bench/next-edit/asked-file.ts';
import { type CaseExamples, examplesOf, shownAt } from '../bench/next-edit/examples.ts';
import { type Example, type FitOptions, fitTrees, fittedText } from '../bench/next-edit/fit-trees.ts';
import { type NextEditCase, readNextEditCases } from '../bench/next-edit/next-edit-case.ts';
import { figuresOf, scoreOf } from '../bench/next-edit/next-edit-score.ts';
import { required, wantedCases } from './input.ts';
import { percent } from './statistics.ts';

const folds = 3;
const preferenceOptions = { trees: 60, rate: 0.08 };
// The [precision, quiet] that each setting promises. A gate must exceed both by a standard error, since other
// repositories differ.
const goals = { eager: [0.5, 0], balanced: [0.6, 0.95], calm: [0.85, 0.95] } as const;

interface FittedCase {
  document: NextEditCase;
  examples: CaseExamples;
  /** The case's third of the repositories. Trees fitted to the other thirds judge it. */
  fold: number;
  /** Each candidate's log-odds, computed from the evidence. */
  odds: number[];
}

export const fitNextEditCommand: Command = {
  summary: 'fit the confidence of next edits to cases; writes evidence-trees.json and preference-trees.json',
  operands: '',
  options: {
    ...engineOptions,
    cases: { type: 'string', value: 'FILE', help: 'the file of cases that edit-cases has written' },
    also: {
      type: 'string',
      value: 'FILE',
      help: 'more cases, only for the evidence; the model might have seen them in training',
    },
    trees: { type: 'string', value: 'N', help: 'number of trees for the evidence; default: 60' },
    every: { type: 'string', value: 'N', help: 'ask the model about one case of N; default: all' },
    share: { type: 'string', value: 'I/N', help: 'only ask the model about cases I, I + N, ..., and fit nothing' },
    asked: {
      type: 'string',
      multiple: true,
      value: 'FILE',
      help: "file of the model's answers; new answers go to the last one; default: CASES.jsonl.asked",
    },
    out: {
      type: 'string',
      value: 'FOLDER',
      help: 'the files are written to its evidence/ and preference/; default: language-server/edits',
    },
  },
  async run(values) {
    const options = { trees: count(values, 'trees') ?? 60, rate: 0.12 };
    const file = required(values, 'cases', 'FILE');
    const more = text(values, 'also');
    const [asking, also] = [readNextEditCases(file), more === undefined ? [] : readNextEditCases(more)];
    const all = fittedCases([...asking, ...also], options);
    const cases = all.slice(0, asking.length);
    const files = Array.isArray(values.asked) ? values.asked.map(String) : [`${file}.asked`];
    if (values.share !== undefined) return void (await askedAbout(cases, values, files));
    const folder = text(values, 'out') ?? 'language-server/edits';
    print(
      `${cases.length} cases, and ${also.length} only for the evidence; each third of the repositories is judged by trees that were fitted to the others.`,
    );
    print('With the evidence alone:');
    report(cases);
    const whole = fitTrees(examples(all), options);
    writeFileSync(join(folder, 'evidence/evidence-trees.json'), fittedText(whole, evidenceNames));
    const asked = await askedAbout(cases, values, files);
    await reportAsked(cases, asked);
    const fitted = fitTrees(rowsOf(cases, asked), preferenceOptions);
    writeFileSync(join(folder, 'preference/preference-trees.json'), fittedText(fitted, preferenceNames));
  },
};

function fittedCases(documents: NextEditCase[], options: FitOptions): FittedCase[] {
  const all = documents.map(examplesOf);
  const repositories = [...new Set(all.map(({ repository }) => repository))].sort();
  const cases = documents.flatMap((document, i) => {
    const own = all[i];
    return own ? [{ document, examples: own, fold: repositories.indexOf(own.repository) % folds, odds: [] }] : [];
  });
  const trees = byFold((fold) => fitTrees(examples(cases.filter((each) => each.fold !== fold)), options));
  return cases.map((each) => ({
    ...each,
    odds: each.examples.numbers.map((numbers) => logOddsOf(trees[each.fold] as Trees, numbers)),
  }));
}

/**
 * The model's answers about the wanted cases. Asks the model if the files lack an answer, and adds it to the last file.
 */
async function askedAbout(
  cases: readonly FittedCase[],
  values: Values,
  files: readonly string[],
): Promise<readonly AskedCase[]> {
  const odds = cases.map((each) => each.odds);
  const digest = shortOf([readFileSync(modelPath(values)), preferenceNames.join(), ...odds]);
  const kept = files.map((file) => new AskedFile<AskedCase>(file, digest));
  const known = new Map(kept.flatMap((file) => file.cases.map((each) => [each.of, each] as const)));
  const wanted = wantedCases(cases.length, values);
  const missing = wanted.filter((i) => !known.has(i));
  if (missing.length > 0)
    await withEngine(values, async (engine) => {
      for (const i of missing) {
        const { document, examples: examplesHere, odds: oddsHere } = cases[i] as FittedCase;
        const asked = await ask(engine, i, document, examplesHere, oddsHere);
        kept.at(-1)?.add(asked);
        known.set(i, asked);
      }
    });
  return wanted.flatMap((i) => known.get(i) ?? []);
}

function byFold<T>(make: (fold: number) => T): T[] {
  return Array.from({ length: folds }, (_, fold) => make(fold));
}

/** One example per candidate. The weight of a case grows with the square root of the number of its candidates. */
function examples(cases: readonly FittedCase[]): Example[] {
  return cases.flatMap(({ examples: { numbers, isRight } }) =>
    numbers.map((each, i) => ({
      ...{ numbers: each, isRight: isRight[i] === true, weight: 1 / Math.sqrt(numbers.length) },
    })),
  );
}

function rowsOf(cases: readonly FittedCase[], asked: readonly AskedCase[]): Example[] {
  return asked.flatMap(({ of, candidates, rows }) =>
    rows.map((numbers, k) => ({
      ...{ numbers, isRight: cases[of]?.examples.isRight[candidates[k] ?? -1] === true, weight: 1 },
    })),
  );
}

function report(cases: readonly FittedCase[]): void {
  const [all, odds] = [cases.map((each) => each.examples), cases.map((each) => each.odds)];
  for (const precision of [0.85, 0.75, 0.6, 0.5]) {
    const { gate, shown, quiet } = shownAt(all, odds, precision);
    print(
      `  precision ${percent(precision)}: gate ${gate.toFixed(2)}, shown ${percent(shown)}, quiet ${percent(quiet)}`,
    );
  }
}

/** Prints what would be offered at each gate, and the lowest gate that meets each goal. */
async function reportAsked(cases: readonly FittedCase[], asked: readonly AskedCase[]): Promise<void> {
  const isIn = (fold: number) => (each: AskedCase) => cases[each.of]?.fold === fold;
  const trees = byFold((fold) =>
    fitTrees(
      rowsOf(
        cases,
        asked.filter((each) => !isIn(fold)(each)),
      ),
      preferenceOptions,
    ),
  );
  const answers = await Promise.all(
    asked.map(async (each) => {
      const { document, examples, fold } = cases[each.of] as FittedCase;
      const odds = each.rows.map((row) => logOddsOf(trees[fold] as Trees, row));
      return { document, answer: await offeredBy(document, examples, each, odds) };
    }),
  );
  const rows = Array.from({ length: 45 }, (_, i) => {
    const gate = (i + 5) / 50;
    const scores = answers.map(({ document, answer }) => scoreOf(document, answer, gate));
    const shown = scores.filter((score) => score.shown).length;
    return { gate, offers: shown, quietCases: scores.filter((score) => score.quiet).length, ...figuresOf(scores) };
  });
  print(`With the model, of ${asked.length} cases:`);
  for (const { gate, shown, quiet, precision, wrongDeletions } of rows)
    print(
      `  gate ${gate.toFixed(2)}: shown ${percent(shown)}, quiet ${percent(quiet)}, precision ${percent(precision)}, wrong deletions ${percent(wrongDeletions)}`,
    );
  for (const [name, [precision, quiet]] of Object.entries(goals)) {
    const lowest = rows.find(
      (row) =>
        row.precision - standardError(row.precision, row.offers) >= precision &&
        row.quiet - standardError(row.quiet, row.quietCases) >= quiet,
    );
    print(
      `  ${name}, precision ${percent(precision)}, quiet ${percent(quiet)}: gate ${lowest?.gate.toFixed(2) ?? 'none'}`,
    );
  }
}

function standardError(fraction: number, cases: number): number {
  return Math.sqrt((fraction * (1 - fraction)) / Math.max(1, cases));
}
