// npm run tool -- eval CASES.jsonl: how often the model writes the original text, and how much typing that saves.
import { openSync, writeSync } from 'node:fs';
import {
  type Command,
  count,
  onlyOperand,
  print,
  printJson,
  text,
  UsageError,
  type Values,
} from '../../language-server/cli/command.ts';
import { type CompletionOptions, type GhostCompletion, generate } from '../../language-server/offers/complete.ts';
import { defaultLinesUp } from '../../language-server/prompt/anchor.ts';
import { Anchors } from '../../language-server/prompt/anchors.ts';
import { concatTokens, fimHead, tokenizeText } from '../../language-server/prompt/fim-prompt.ts';
import type { CursorDocument } from '../../language-server/prompt/text-window.ts';
import { gateFor, situationOf } from '../../language-server/shape/confidence.ts';
import { placeAt } from '../../language-server/shape/place.ts';
import type { Completer } from '../../native/index.ts';
import { Workspaces } from './closed-files.ts';
import { completerOptions, withCompleter } from './completer.ts';
import {
  type CaseScore,
  type EvalAnswer,
  type Figures,
  type FimCase,
  figuresOf,
  type Insertion,
  insertable,
  scoreOf,
} from './eval-score.ts';
import { randomFrom } from './gates/cut-places.ts';
import { cursorDocument, loadGrammars, perfectRecording, play, readRecordings } from './gates/recording.ts';
import { readJsonLines } from './input.ts';
import { SyntaxTable } from './syntax/syntax-table.ts';

// The limit for the figures in the model card.
const maxTokens = 48;
const asWritten: CompletionOptions = { maxTokens, multiline: 'auto' };
/** What an explicit request adds. */
const explicit = { alternatives: 3, confidence: 'eager' } as const;

/** An answer, and all texts that are offered, the answer first. Several only for an explicit request. */
type Made = Omit<EvalAnswer, 'ms'> & { choices: Insertion[] };

/** A way to arrange a case as a prompt. Returns the model's answer to that prompt. */
type Layout = (engine: Completer, fimCase: FimCase) => Promise<Made>;

export const evalCommand: Command = {
  summary: 'how often the model writes the original text; cases are {language, path, kind, prefix, suffix, middle}',
  operands: 'CASES.jsonl',
  options: {
    ...completerOptions,
    layout: {
      type: 'string',
      value: 'NAME',
      help: `plain: the model's own order; spm: the suffix first; anchored:N: the editor's prompt, with its anchor N lines up; held:N: the same, with the anchor set N characters earlier; default: anchored:${defaultLinesUp}`,
    },
    recorded: { type: 'string', value: 'FILE', help: 'in place of a model: the texts that `record` has recorded' },
    perfect: {
      type: 'boolean',
      help: 'in place of a model: the original text; in one case of three, a word in it is unlikely',
    },
    beside: {
      type: 'string',
      value: 'FOLDER',
      help: "with code from closed files: the folder's subfolders are workspaces; cases in none of them are left out",
    },
    choices: { type: 'boolean', help: 'as an explicit request: several texts, of which the user chooses one' },
    parse: { type: 'boolean', help: 'count the files that no longer parse after a text is accepted' },
    limit: { type: 'string', value: 'N', help: 'only the first N cases' },
    out: {
      type: 'string',
      value: 'FILE',
      help: 'write the answers to this file, one line of JSON each, as texts to insert at the cursor',
    },
  },
  async run(values, operands) {
    await loadGrammars();
    const options: CompletionOptions = values.choices === true ? { ...asWritten, ...explicit } : asWritten;
    const layout = layoutOf(text(values, 'layout') ?? `anchored:${defaultLinesUp}`, options);
    const cases = readCases(onlyOperand(operands, 'CASES.jsonl')).slice(0, count(values, 'limit'));
    const out = text(values, 'out');
    const outFile = out === undefined ? undefined : openSync(out, 'w');
    const syntax = values.parse === true ? new SyntaxTable() : null;
    const answerAll = async (answerTo: AnswerTo) => {
      const scores: (CaseScore & FimCase)[] = [];
      for (const fimCase of cases) {
        const startedAt = performance.now();
        const made = await answerTo(fimCase);
        if (made === null) continue;
        const { choices, ...rest } = made;
        const answer: EvalAnswer = { ...rest, ms: performance.now() - startedAt };
        if (outFile !== undefined) writeSync(outFile, `${JSON.stringify(insertable(answer, fimCase.suffix))}\n`);
        scores.push({ ...fimCase, ...scoreOf(answer, fimCase, choices), ms: answer.ms, tokens: answer.tokens });
        await syntax?.add(fimCase, answer);
      }
      const byLanguage = groupBy(scores, 'language');
      const byKind = groupBy(scores, 'kind');
      const skipped = cases.length - scores.length;
      const more = { ...(skipped > 0 && { skipped }), syntax: syntax?.figures() };
      if (values.json) return printJson({ ...figuresOf(scores), byLanguage, byKind, ...more });
      printTable({ all: figuresOf(scores), ...byKind, ...byLanguage });
      if (skipped > 0) print(`${skipped} of ${cases.length} cases have no answer and do not count`);
      syntax?.print();
    };
    try {
      if (values.recorded || values.perfect) return await answerAll(playback(values, cases));
      const beside = text(values, 'beside');
      if (beside !== undefined) {
        const workspaces = new Workspaces(beside);
        return await withCompleter(values, (engine) =>
          answerAll((fimCase) => completed(engine, fimCase, workspaces, options)),
        );
      }
      await withCompleter(values, (engine) => answerAll((fimCase) => layout(engine, fimCase)));
    } finally {
      syntax?.close();
    }
  },
};

/** Completes with code from the workspace's other files. */
async function completed(engine: Completer, fimCase: FimCase, workspaces: Workspaces, options: CompletionOptions) {
  const at = cursorDocument(fimCase);
  const found = await workspaces.anchorsFor(engine, at);
  if (!found) return null;
  return shownOf(await generate(engine, found.anchors, found.document, options));
}

function shownOf({ suggestions, reason, timings }: GhostCompletion): Made {
  const nothing = { text: '', replaces: 0, probability: null };
  return { ...(suggestions[0] ?? nothing), choices: suggestions, reason, tokens: timings.completionTokens };
}

/** Null for a case that the recording does not have. */
type AnswerTo = (fimCase: FimCase) => Promise<Made | null>;

/** Answers without a model. */
function playback(values: Values, cases: FimCase[]): AnswerTo {
  const file = text(values, 'recorded');
  const { model, recordings } = file === undefined ? { model: { name: '' }, recordings: null } : readRecordings(file);
  const random = randomFrom(1);
  return async (fimCase) => {
    const place = { ...fimCase, id: `cut:${cases.indexOf(fimCase) + 1}`, wanted: fimCase.middle };
    const recording = recordings ? recordings.get(place.id) : perfectRecording(place, random);
    const at = placeAt(cursorDocument(place), 'auto');
    const ghost = recording && play(at, recording, gateFor(model, 'balanced', situationOf(at)));
    if (!ghost) return null;
    const nothing = { text: '', replaces: 0, probability: null };
    const { suggestion, reason } = ghost;
    return {
      ...(suggestion ?? nothing),
      choices: suggestion ? [suggestion] : [],
      reason,
      tokens: recording.pieces.length,
    };
  };
}

function layoutOf(name: string, options: CompletionOptions): Layout {
  if (name === 'plain' || name === 'spm') return (engine, fimCase) => bare(engine, fimCase, name);
  const [, kind, number] = /^(anchored|held):(\d+)$/.exec(name) ?? [];
  if (number === undefined) throw new UsageError(`--layout is plain, spm, anchored:N or held:N, not "${name}"`);
  return async (engine, fimCase) => {
    const document = cursorDocument(fimCase);
    const anchors = new Anchors(engine, kind === 'anchored' ? Number(number) : defaultLinesUp);
    if (kind === 'held') anchors.prompt(beforeTyping(document, Number(number)));
    return shownOf(await generate(engine, anchors, document, options));
  };
}

/**
 * The document before the last characters were typed: everything from the start of their line to the cursor is missing.
 */
function beforeTyping({ text, offset, ...document }: CursorDocument, typed: number): CursorDocument {
  const at = text.slice(0, Math.max(0, offset - typed)).lastIndexOf('\n') + 1;
  return { ...document, text: text.with(at, offset, ''), offset: at };
}

/** The model's unchanged answer to the whole case. order: plain is the model's own, spm puts the suffix first. */
async function bare(engine: Completer, fimCase: FimCase, order: 'plain' | 'spm'): ReturnType<Layout> {
  const { fimPrefix, fimSuffix, fimMiddle } = engine.info.special;
  const prefix = tokenizeText(engine, fimCase.prefix);
  const suffix = tokenizeText(engine, fimCase.suffix);
  const tokens =
    order === 'plain' ? fimHead(engine, prefix, suffix) : concatTokens(fimSuffix, suffix, fimPrefix, prefix, fimMiddle);
  let text = '';
  const { timings } = await engine.generate({ tokens, maxTokens }, (piece) => {
    text += piece;
  });
  const answer = { text, replaces: 0 };
  return { ...answer, choices: [answer], probability: null, reason: null, tokens: timings.completionTokens };
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

function groupBy(scores: (CaseScore & FimCase)[], key: 'language' | 'kind'): Record<string, Figures> {
  const names = [...new Set(scores.map((score) => score[key]))];
  return Object.fromEntries(names.map((name) => [name, figuresOf(scores.filter((score) => score[key] === name))]));
}

function printTable(rows: Record<string, Figures>): void {
  const percent = (rate: number) => `${(rate * 100).toFixed(1)} %`.padStart(8);
  const whole = (value: number) => value.toFixed(0).padStart(7);
  const columns: [title: string, cell: (row: Figures) => string][] = [
    ['  cases', ({ cases }) => whole(cases)],
    ['   exact', ({ exactMatch }) => percent(exactMatch)],
    ['1st line', ({ firstLine }) => percent(firstLine)],
    [' similar', ({ editSimilarity }) => percent(editSimilarity)],
    ['  shown', ({ shown }) => whole(shown)],
    ['choices', ({ choicesPerCase }) => choicesPerCase.toFixed(2).padStart(7)],
    ['1st line of any', ({ firstLineOfAny }) => percent(firstLineOfAny).padStart(15)],
    ['  right', ({ charactersRight }) => whole(charactersRight)],
    ['  wrong', ({ charactersWrong }) => whole(charactersWrong)],
    ['  saved', ({ keystrokesSaved }) => whole(keystrokesSaved)],
    [' ms p50', ({ msP50 }) => whole(msP50)],
    [' ms p95', ({ msP95 }) => whole(msP95)],
    [' tokens', ({ tokensPerCase }) => tokensPerCase.toFixed(1).padStart(7)],
  ];
  print(`${''.padEnd(12)} ${columns.map(([title]) => title).join(' ')}`);
  for (const [name, row] of Object.entries(rows))
    print(`${name.padEnd(12)} ${columns.map(([, cell]) => cell(row)).join(' ')}`);
}
