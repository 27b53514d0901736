// hearth eval CASES.jsonl: how often the model fills in what was there.
import type { Engine } from '../../native/index.ts';
import { defaultLinesUp } from '../completion/anchor.ts';
import { Anchors } from '../completion/anchors.ts';
import { complete } from '../completion/complete.ts';
import { concatTokens, fimHead, tokenizeText } from '../completion/fim-prompt.ts';
import {
  type Command,
  count,
  engineOptions,
  onlyOperand,
  print,
  printJson,
  readJsonLines,
  text,
  UsageError,
  withEngine,
} from './command.ts';
import { addTo, group, rates, scoreOf, type Tally } from './eval-score.ts';

// As in the model card's figures.
const maxTokens = 48;

interface FimCase {
  language: string;
  path: string;
  kind: string;
  prefix: string;
  suffix: string;
  middle: string;
}

type Layout = (engine: Engine, fimCase: FimCase) => Promise<string>;

export const evalCommand: Command = {
  summary: 'how often the model writes what was there; cases are {language, path, kind, prefix, suffix, middle}',
  operands: 'CASES.jsonl',
  options: {
    ...engineOptions,
    layout: {
      type: 'string',
      value: 'NAME',
      help: `plain or spm: the bare model; anchored:N: as the editor asks, N lines up; anchored:${defaultLinesUp}`,
    },
    limit: { type: 'string', value: 'N', help: 'only the first N cases' },
  },
  async run(values, operands) {
    const layout = layoutOf(text(values, 'layout') ?? `anchored:${defaultLinesUp}`);
    const cases = readCases(onlyOperand(operands, 'CASES.jsonl')).slice(0, count(values, 'limit'));
    await withEngine(values, async (engine) => {
      const tallies = new Map<string, Tally>();
      for (const fimCase of cases) {
        const score = scoreOf(await layout(engine, fimCase), fimCase.middle);
        for (const key of ['', `language ${fimCase.language}`, `kind ${fimCase.kind}`]) addTo(tallies, key, score);
      }
      const report = {
        ...rates(tallies.get('')),
        byLanguage: group(tallies, 'language '),
        byKind: group(tallies, 'kind '),
      };
      if (values.json) printJson(report);
      else printReport(report);
    });
  },
};

function layoutOf(name: string): Layout {
  if (name === 'plain' || name === 'spm') return (engine, fimCase) => bare(engine, fimCase, name);
  const [, linesUp] = /^anchored:(\d+)$/.exec(name) ?? [];
  if (linesUp === undefined) throw new UsageError(`--layout is plain, spm or anchored:N, not "${name}"`);
  return async (engine, { language, path, prefix, suffix }) => {
    const document = { uri: path, languageId: language, text: prefix + suffix, offset: prefix.length };
    const options = { maxTokens, multiline: 'auto' } as const;
    const { suggestions } = await complete(engine, new Anchors(engine, Number(linesUp)), document, options);
    return suggestions[0]?.text ?? '';
  };
}

/** The whole case in the model's own order, or suffix first, and what it writes as it is. */
async function bare(engine: Engine, fimCase: FimCase, order: 'plain' | 'spm'): Promise<string> {
  const { fimPrefix, fimSuffix, fimMiddle } = engine.info.special;
  const prefix = tokenizeText(engine, fimCase.prefix);
  const suffix = tokenizeText(engine, fimCase.suffix);
  const tokens =
    order === 'plain' ? fimHead(engine, prefix, suffix) : concatTokens(fimSuffix, suffix, fimPrefix, prefix, fimMiddle);
  return (await engine.generate({ tokens, maxTokens })).text;
}

function readCases(path: string): FimCase[] {
  const cases = readJsonLines(path).map(({ entry, line }) => {
    const isWhole = [entry.prefix, entry.suffix, entry.middle].every((part) => typeof part === 'string');
    if (!isWhole) throw new Error(`${path}:${line}: the case lacks prefix, suffix or middle`);
    return entry as unknown as FimCase;
  });
  if (cases.length === 0) throw new Error(`${path} has no cases`);
  return cases;
}

function printReport(report: Tally & { byLanguage: Record<string, Tally>; byKind: Record<string, Tally> }): void {
  const percent = (rate: number) => `${(rate * 100).toFixed(1)} %`.padStart(8);
  const rows = { all: report, ...report.byKind, ...report.byLanguage };
  print(`${''.padEnd(12)}   cases    exact  1st line  similar`);
  for (const [name, row] of Object.entries(rows)) {
    const figures = [row.exactMatch, row.firstLine, row.editSimilarity].map(percent).join(' ');
    print(`${name.padEnd(12)} ${String(row.cases).padStart(7)} ${figures}`);
  }
}
