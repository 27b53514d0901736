// The course of `npm run test:real`; run.mjs explains it. First our engine answers, then llama.cpp is asked about the
// same tokens, and finally our engine is asked how sure it was where the two differ.
import { parseArgs } from 'node:util';
import { UsageError } from '../../language-server/cli/command.ts';
import { loadModel } from '../../language-server/engine/load-model.ts';
import { figures, takeFigures } from './figures.ts';
import { type Asked, askOurs } from './ours.ts';
import { Report } from './report.ts';
import { sources } from './sources.ts';
import { askLlamaCpp } from './theirs.ts';
import { compareWithTruth } from './truth.ts';
import { checkChat, checkLogits, checkRuns, checkTokens } from './verdicts.ts';

export { UsageError };

const comparisons = ['tokenizer', 'logits', 'greedy', 'template', 'explain', 'fim'];
const parts = [...comparisons, ...figures];

export interface Options {
  only: readonly string[];
  cases: string | undefined;
  torch: string | undefined;
  /** Path of a llama-server. */
  server: string | undefined;
  threads: number;
  characters: number;
  positions: number;
  tokens: number;
}

/** The exit code: 0 if everything is equal or explained. */
export async function testReal(root: string, args: string[]): Promise<number> {
  const { model, options } = parse(args);
  const report = new Report();
  if (options.only.some((part) => comparisons.includes(part))) await compareEngines(report, root, model, options);
  takeFigures(report, root, model, options);
  return report.end();
}

async function compareEngines(report: Report, root: string, model: string, options: Options): Promise<void> {
  const texts = sources(root, options.characters);
  const loaded = await loadModel({ modelPath: model, threads: options.threads, backend: 'cpu' });
  const { engine } = loaded;
  try {
    const { name, quantization, backend, vocabulary } = engine.info;
    report.line(`${name}, ${quantization}: Hearth (${backend}) and llama.cpp`);
    const asked: Asked = await askOurs(loaded, texts, options);
    const { theirs, rows } = askLlamaCpp(root, { model, threads: options.threads, ...asked.plan });
    if (options.only.includes('tokenizer')) checkTokens(report, asked, theirs);
    if (options.only.includes('template')) checkChat(report, engine, asked, theirs);
    if (asked.logits && rows) {
      checkLogits(report, engine, asked.logits, rows);
      if (options.torch !== undefined) {
        const { torch: python, threads } = options;
        compareWithTruth(report, { root, python, model, threads, asked, rows, vocabulary });
      }
    }
    await checkRuns(report, engine, asked, theirs);
  } finally {
    await engine.close();
  }
}

function parse(args: string[]): { model: string; options: Options } {
  const text = { type: 'string' } as const;
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      ...{ only: text, cases: text, torch: text, server: text },
      ...{ threads: text, characters: text, positions: text, tokens: text },
    },
  });
  const [model, ...rest] = positionals;
  if (model === undefined || rest.length > 0) throw new UsageError('usage: npm run test:real -- FILE.gguf');
  const number = (name: 'threads' | 'characters' | 'positions' | 'tokens', otherwise: number) => {
    const value = values[name] ?? String(otherwise);
    if (!/^[1-9]\d*$/.test(value)) throw new UsageError(`--${name} must be a number, not "${value}"`);
    return Number(value);
  };
  const only = values.only?.split(',') ?? parts;
  const unknown = only.find((part) => !parts.includes(part));
  if (unknown !== undefined) throw new UsageError(`--only knows ${parts.join(', ')}; not "${unknown}"`);
  const options = {
    ...{ only, cases: values.cases, torch: values.torch, server: values.server, threads: number('threads', 2) },
    ...{ characters: number('characters', 1_000_000), positions: number('positions', 500) },
    tokens: number('tokens', 256),
  };
  return { model, options };
}
