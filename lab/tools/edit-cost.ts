// npm run tool -- edit-cost --cases CASES.jsonl: the cost of next edits, and whether they slow down suggestions at the
// cursor. Types the past edits of each case into the language server twice, without and with next edits.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, count, print, printJson, text } from '../../language-server/cli/command.ts';
import type { NextEdit } from '../../language-server/protocol/next-edit-messages.ts';
import { type NextEditCase, readNextEditCases } from '../bench/next-edit/next-edit-case.ts';
import { figuresOf, type NextEditScore, scoreOf } from '../bench/next-edit/next-edit-score.ts';
import { type TypedEdits, typedEdits } from '../bench/next-edit/typed-edits.ts';
import { required } from './input.ts';
import { ReplayEditor, serverOptions } from './replay-editor.ts';
import { keyOf } from './replay-typing.ts';
import { percent, percentile } from './statistics.ts';
import { cursorAfter, offsetAt, type Position } from './trace.ts';

const defaultLimit = 12;
// Selects cases with several edits of a few keys each. A long edit is newly written text, which `replay` measures.
const defaultMinEdits = 3;
const maxKeys = 120;
/**
 * The time between keys: short, to keep runs short, but long enough for the server to take it for a person's typing.
 */
const keyMs = 25;
// As in extension/: after restMs, the cursor counts as resting; after pauseMs, a next edit is requested.
const restMs = 200;
const pauseMs = 800;
/** The pause after each edit. With a shorter pause, two edits might count as one. */
const betweenEditsMs = 1100;

interface TypedCase extends TypedEdits {
  document: NextEditCase;
}

/** score: of the answer after the last edit; absent without a request. */
interface Typed {
  score?: NextEditScore;
  keys: number;
  tokens: number;
  firstTextMs: number[];
  questionMs: number[];
  offered: number;
}

export const editCostCommand: Command = {
  summary: 'type edits into the language server, with and without next edits, and report the cost of next edits',
  operands: '',
  options: {
    ...serverOptions(16),
    cases: { type: 'string', value: 'FILE', help: 'the file of cases that edit-cases has written' },
    'at-once': { type: 'boolean', help: 'ask right after the last key of an edit, as when the cursor leaves its line' },
    'min-edits': {
      type: 'string',
      value: 'N',
      help: `only cases with at least N past edits; default: ${defaultMinEdits}`,
    },
    limit: {
      type: 'string',
      value: 'N',
      help: `only N of the cases that can be typed, evenly spread; default: ${defaultLimit}`,
    },
  },
  async run(values) {
    const cases = readNextEditCases(required(values, 'cases', 'FILE')).flatMap((document): TypedCase[] => {
      const typed = typedEdits(document);
      return typed ? [{ ...typed, document }] : [];
    });
    const minEdits = count(values, 'min-edits') ?? defaultMinEdits;
    const suitable = cases.filter(({ trace, ends }) => ends.length >= minEdits && trace.edits.length <= maxKeys);
    if (suitable.length === 0) throw new Error('none of the cases can be typed');
    const limit = Math.min(suitable.length, count(values, 'limit') ?? defaultLimit);
    const chosen = Array.from(
      { length: limit },
      (_, i) => suitable[Math.floor((i * suitable.length) / limit)] as TypedCase,
    );
    const mode = text(values, 'next-edit') ?? 'balanced';
    const all: Record<string, Typed[]> = { off: [], [mode]: [] };
    const first = (chosen[0] as TypedCase).trace;
    // Each mode uses one server for all cases, so that most of its code is compiled already, as in an editor.
    for (const [nextEdit, done] of Object.entries(all)) {
      const editor = await ReplayEditor.start(first, { ...values, 'next-edit': nextEdit }, true, false);
      try {
        const asks = nextEdit === 'off' ? 'never' : values['at-once'] === true ? 'at once' : 'in the pause';
        for (const each of chosen) done.push(await typeInto(editor, asks, each));
      } finally {
        await editor.close();
      }
    }
    const rows = Object.entries(all).map(([nextEdit, done]) => ({ nextEdit, ...report(done) }));
    if (values.json) printJson(rows);
    else for (const row of rows) print(sentence(row));
  },
};

type Asks = 'never' | 'at once' | 'in the pause';

async function typeInto(editor: ReplayEditor, asks: Asks, { trace, ends, document }: TypedCase): Promise<Typed> {
  const typed: Typed = { keys: trace.edits.length, tokens: 0, firstTextMs: [], questionMs: [], offered: 0 };
  await editor.open(trace);
  const evaluatedBefore = await missTokens(editor, trace.edits[0]);
  for (const [i, edit] of trace.edits.entries()) {
    const [{ firstTextMs }] = await Promise.all([keyOf(editor, editor.type(edit)), sleep(keyMs)]);
    if (firstTextMs !== null) typed.firstTextMs.push(firstTextMs);
    if (!ends.includes(i)) continue;
    const over = sleep(betweenEditsMs);
    if (asks !== 'at once') {
      await sleep(restMs);
      void editor.rest(cursorAfter(edit));
      await sleep(pauseMs - restMs);
    }
    if (asks !== 'never') {
      const startedAt = performance.now();
      const { edit: offered } = await editor.nextEdit(cursorAfter(edit));
      typed.questionMs.push(performance.now() - startedAt);
      typed.offered += Number(offered !== null);
      if (i === ends.at(-1)) typed.score = scoreOf(document, answerWith(offered, document));
    }
    await over;
  }
  typed.tokens = (await missTokens(editor, trace.edits.at(-1))) - evaluatedBefore;
  return typed;
}

/** The server's answer, in terms of the case's document. */
function answerWith(offered: NextEdit | null, { path, text: whole }: NextEditCase) {
  const edit = offered && {
    path,
    start: offsetAt(whole, offered.range.start),
    end: offsetAt(whole, offered.range.end),
    text: offered.newText,
  };
  return { edit, probability: offered?.probability ?? null, reason: null, tokens: 0, ms: 0 };
}

/** Rests the cursor at the place. Returns the number of prompt tokens that the engine has evaluated so far. */
async function missTokens(editor: ReplayEditor, place: Position = { line: 0, character: 0 }): Promise<number> {
  await editor.rest({ line: place.line, character: place.character });
  return editor.status.engine?.cache.missTokens ?? 0;
}

function report(typed: Typed[]) {
  const total = (key: 'keys' | 'tokens' | 'offered') => typed.reduce((sum, each) => sum + each[key], 0);
  const [firstTextMs, questionMs] = [typed.flatMap((t) => t.firstTextMs), typed.flatMap((t) => t.questionMs)];
  const percentiles = (ms: number[]) => ({ p50: percentile(ms, 0.5), p95: percentile(ms, 0.95) });
  return {
    ...{
      keys: total('keys'),
      tokensAKey: total('tokens') / Math.max(1, total('keys')),
      firstTextMs: percentiles(firstTextMs),
    },
    ...{ questions: questionMs.length, offered: total('offered'), questionMs: percentiles(questionMs) },
    afterLastEdit: figuresOf(typed.flatMap(({ score }) => score ?? [])),
  };
}

function sentence({
  nextEdit,
  keys,
  tokensAKey,
  firstTextMs,
  questions,
  offered,
  questionMs,
  afterLastEdit: { shown, exact },
}: ReturnType<typeof report> & { nextEdit: string }): string {
  const ms = ({ p50, p95 }: { p50: number; p95: number }) => `p50 ${p50.toFixed(1)}, p95 ${p95.toFixed(1)} ms`;
  const cost = `${nextEdit.padEnd(9)} ${keys} keys, ${tokensAKey.toFixed(1)} tokens a key; first text ${ms(firstTextMs)}`;
  if (questions === 0) return cost;
  return (
    `${cost}; ${questions} questions, ${offered} edits offered, ${ms(questionMs)}; ` +
    `where another edit follows the last one, shown ${percent(shown)}, exact ${percent(exact)}`
  );
}
