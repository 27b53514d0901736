// npm run tool -- fit-writer --cases CASES.jsonl --model MODEL.gguf --adapter ADAPTER.gguf: fits the weights that turn
// the answers of a model that writes next edits into odds, and reports the edits that would be shown in repositories to
// which they were not fitted. The answers are stored as they come, so that a stopped fit can continue.
import { readFileSync, writeFileSync } from 'node:fs';
import {
  type Command,
  engineOptions,
  modelPath,
  print,
  text,
  type Values,
  withEngine,
} from '../../language-server/cli/command.ts';
import { judgedEdits, likeliestOf } from '../../language-server/edits/decision/propose.ts';
import {
  type Deed,
  deeds,
  type Weighed,
  type Weights,
  type Written,
  weighed,
  writtenBy,
} from '../../language-server/edits/generation/writer.ts';
import { offered } from '../bench/next-edit/answers.ts';
import { AskedFile, shortOf } from '../bench/next-edit/asked-file.ts';
import { fitLogistic } from '../bench/next-edit/fit-logistic.ts';
import { type NextEditCase, readNextEditCases } from '../bench/next-edit/next-edit-case.ts';
import { figuresOf, isExact, scoreOf } from '../bench/next-edit/next-edit-score.ts';
import { required, wantedCases } from './input.ts';
import { percent } from './statistics.ts';

const folds = 3;

type WriterWeights = Record<Deed, Weights>;

/** The model's answer to one case. */
interface AskedCase {
  /** The case's index. */
  of: number;
  written: (Weighed | Written)[];
}

export const fitWriterCommand: Command = {
  summary: 'fit the odds of answers by a model that writes next edits; writes writer-weights.json',
  operands: '',
  options: {
    ...engineOptions,
    adapter: { type: 'string', value: 'FILE', help: 'LoRA adapter that was trained on next edits, a GGUF file' },
    cases: { type: 'string', value: 'FILE', help: 'the file of cases that edit-cases has written' },
    every: { type: 'string', value: 'N', help: 'ask the model about one case of N; default: all' },
    share: { type: 'string', value: 'I/N', help: 'only ask the model about cases I, I + N, ..., and fit nothing' },
    asked: {
      type: 'string',
      multiple: true,
      value: 'FILE',
      help: "file of the model's answers; new answers go to the last one; default: CASES.jsonl.written",
    },
    weights: { type: 'string', value: 'FILE', help: 'report what these weights would show, and fit nothing' },
    out: {
      type: 'string',
      value: 'FILE',
      help: 'the weights are written there; default: language-server/edits/generation/writer-weights.json',
    },
  },
  async run(values) {
    const file = required(values, 'cases', 'FILE');
    const cases = readNextEditCases(file);
    const files = Array.isArray(values.asked) ? values.asked.map(String) : [`${file}.written`];
    const asked = await askedAbout(cases, values, files);
    if (values.share !== undefined) return;
    const given = text(values, 'weights');
    if (given !== undefined) {
      const weights = JSON.parse(readFileSync(given, 'utf8')) as WriterWeights;
      print(`${asked.length} cases:`);
      return await report(cases, asked, () => weights);
    }
    print(`${asked.length} cases; each third of the repositories is judged by weights that were fitted to the others:`);
    await report(cases, asked, weightsOfOthers(cases, asked));
    const out = text(values, 'out') ?? 'language-server/edits/generation/writer-weights.json';
    writeFileSync(out, `${JSON.stringify(fittedTo(cases, asked), null, 2)}\n`);
  },
};

/**
 * The model's answers about the wanted cases. Asks the model if the files lack an answer, and adds it to the last file.
 */
async function askedAbout(cases: NextEditCase[], values: Values, files: readonly string[]): Promise<AskedCase[]> {
  const adapter = required(values, 'adapter', 'FILE');
  const digest = shortOf([readFileSync(modelPath(values)), readFileSync(adapter)]);
  const kept = files.map((each) => new AskedFile<AskedCase>(each, digest));
  const known = new Map(kept.flatMap((each) => each.cases.map((one) => [one.of, one] as const)));
  const wanted = wantedCases(cases.length, values);
  const missing = wanted.filter((of) => !known.has(of));
  if (missing.length > 0)
    await withEngine(values, async (engine) => {
      for (const of of missing) {
        const document = cases[of];
        if (!document) continue;
        const judged = await judgedEdits(engine, document);
        const written = document.history.length === 0 ? [] : await writtenBy(engine, adapter, document, judged);
        kept.at(-1)?.add({ of, written });
        known.set(of, { of, written });
      }
    });
  return wanted.flatMap((of) => known.get(of) ?? []);
}

/** For each case, the weights fitted to the two thirds of the repositories without it. */
function weightsOfOthers(cases: readonly NextEditCase[], asked: readonly AskedCase[]) {
  const repositoryOf = ({ of }: AskedCase) => cases[of]?.source?.split('@', 1)[0] ?? '';
  const repositories = [...new Set(asked.map(repositoryOf))].sort();
  const foldOf = (each: AskedCase) => repositories.indexOf(repositoryOf(each)) % folds;
  const fitted = Array.from({ length: folds }, (_, fold) =>
    fittedTo(
      cases,
      asked.filter((each) => foldOf(each) !== fold),
    ),
  );
  return (each: AskedCase) => fitted[foldOf(each)] as WriterWeights;
}

/** Prints what would be offered at each gate. */
async function report(
  cases: readonly NextEditCase[],
  asked: readonly AskedCase[],
  weightsFor: (each: AskedCase) => WriterWeights,
): Promise<void> {
  const answers = await Promise.all(
    asked.flatMap((each) => {
      const document = cases[each.of];
      if (!document) return [];
      const weights = weightsFor(each);
      const edits = each.written.map((one) => ('deed' in one ? weighed(one, weights) : one));
      const find = () => Promise.resolve(likeliestOf(edits, document));
      return [offered(document, find).then((answer) => ({ document, answer }))];
    }),
  );
  for (let gate = 0.2; gate < 0.95; gate += 0.05) {
    const { shown, exact, quiet, precision, wrongDeletions } = figuresOf(
      answers.map(({ document, answer }) => scoreOf(document, answer, gate)),
    );
    print(
      `  gate ${gate.toFixed(2)}: shown ${percent(shown)}, exact ${percent(exact)}, quiet ${percent(quiet)}, ` +
        `precision ${percent(precision)}, wrong deletions ${percent(wrongDeletions)}`,
    );
  }
}

/** All cases without a next edit together count as much as those with one: most typing requires no further edit. */
function fittedTo(cases: readonly NextEditCase[], asked: readonly AskedCase[]): WriterWeights {
  const quiet = asked.filter(({ of }) => cases[of]?.quiet).length;
  const timesIfQuiet = quiet === 0 ? 1 : (asked.length - quiet) / quiet;
  const examples = asked.flatMap(({ of, written }) =>
    written.flatMap((each) => {
      const document = cases[of];
      return document && 'deed' in each
        ? [{ ...each, isRight: isExact(document, each.edit), times: document.quiet ? timesIfQuiet : 1 }]
        : [];
    }),
  );
  const weightsOf = (deed: Deed): [Deed, Weights] => {
    const hasProposal = deed !== 'around' && deed !== 'atCursor';
    const some = examples.filter((each) => each.deed === deed);
    const rows = some.map(({ odds, nats, isRight, times }) => ({
      numbers: [1, nats, ...(hasProposal ? [odds] : [])],
      isRight,
      times,
    }));
    const [constant = 0, nats = 0, odds = 0] = fitLogistic(rows, hasProposal ? 3 : 2).map((each) =>
      Number(each.toFixed(3)),
    );
    return [deed, { constant, odds, nats }];
  };
  return Object.fromEntries(deeds.map(weightsOf)) as WriterWeights;
}
