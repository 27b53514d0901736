// npm run tool -- savings TRACES…: replays recorded typing sessions and accepts ghost text where it is right.
import { basename } from 'node:path';
import { type Command, print, printJson, readText, UsageError } from '../../language-server/cli/command.ts';
import type { ServerStatus } from '../../language-server/protocol/messages.ts';
import { defaultSettings } from '../../language-server/protocol/settings.ts';
import { makeTrace } from './make-trace.ts';
import { ReplayEditor, serverOptions } from './replay-editor.ts';
import { restInNewLine } from './replay-typing.ts';
import { commonPrefixLength } from './statistics.ts';
import { type Edit, offsetAt, readTrace, statesOf, type Trace, textAfter } from './trace.ts';

export interface Savings {
  /** The number of keys in the trace, all of which are needed without ghost text. */
  keys: number;
  keysTyped: number;
  /** Ghost text that stays while the user types its characters counts once. */
  ghostTexts: number;
  charactersAccepted: number;
  charactersWrong: number;
  /** Accepted characters minus those that were shown and wrong. */
  keystrokesSaved: number;
}

export interface Moment {
  /** The text just typed. */
  edit: Edit;
  before: string;
  ghost: string;
  after: string;
  /** The part of the ghost text that is accepted. */
  accepted: string;
  latencyMs: number;
  /** Undefined when the answer came from memory. */
  timings: ServerStatus['last'];
}

export const savingsCommand: Command = {
  summary:
    'type traces, or the last lines of files, accept ghost text where it is right, and count the keystrokes saved',
  operands: 'TRACE.jsonl or FILE…',
  options: {
    ...serverOptions(defaultSettings['completion.maxTokens']),
    rest: { type: 'boolean', help: 'rest in each new line until the server has read the prompt' },
  },
  async run(values, operands) {
    if (operands.length === 0) throw new UsageError('expected at least one TRACE.jsonl');
    const sessions: Record<string, Savings> = {};
    for (const path of operands) {
      const trace = path.endsWith('.jsonl') ? readTrace(path) : lastLines(path);
      const editor = await ReplayEditor.start(trace, values, false);
      const rests = values.rest === true;
      const [first] = trace.edits;
      if (rests && first) await editor.rest(first);
      const onMoment = rests ? ({ edit }: Moment) => restInNewLine(editor, edit) : undefined;
      sessions[path] = await typeAndAccept(editor, trace, onMoment).finally(() => editor.close());
    }
    const total = Object.values(sessions).reduce(add);
    if (values.json) return printJson({ sessions, total });
    print(`${''.padEnd(nameWidth)}     keys    typed    texts accepted    wrong    saved`);
    for (const [name, savings] of Object.entries({ ...sessions, total })) print(tableRow(name, savings));
  },
};

/** A session that types the last lines of a file, in an editor that closes brackets. */
function lastLines(path: string): Trace {
  const text = readText(path);
  const line = text.trimEnd().split('\n').length - linesTyped + 1;
  return makeTrace(basename(path, '.txt'), text, { line, lines: linesTyped, intervalMs: 140, autoClose: true });
}

/** Accepts ghost text up to the last word that is right, and types everything else. */
export async function typeAndAccept(
  editor: Pick<ReplayEditor, 'type' | 'goTo' | 'complete' | 'status'>,
  trace: Trace,
  onMoment: (moment: Moment) => void | Promise<void> = () => {},
): Promise<Savings> {
  const { text, edits } = trace;
  const final = textAfter(trace, edits.length - 1);
  const charactersBelow = edits[0] ? text.length - offsetAt(text, edits[0]) : 0;
  const savings = { keys: edits.length, keysTyped: 0, ghostTexts: 0, charactersAccepted: 0, charactersWrong: 0 };
  let previous = { ghost: '', cursor: 0 };
  let reached = 0;
  for (const [i, { edit, before, after }] of statesOf(trace).entries()) {
    const cursor = before.length;
    if (cursor < reached) continue;
    if (cursor > reached) savings.keysTyped++;
    const { last } = editor.status;
    const pending = reached > 0 ? editor.complete(editor.goTo(trace, i)) : editor.type(edit);
    const { text: offered, fullMs } = await pending.answer;
    const ghost = offered ?? '';
    const wanted = final.slice(cursor, final.length - charactersBelow);
    const accepted = acceptablePart(ghost, wanted);
    const timings = editor.status.last === last ? undefined : editor.status.last;
    await onMoment({ edit, before, ghost, after, accepted, latencyMs: fullMs, timings });

    const typed = final.slice(previous.cursor, cursor);
    const seenBefore = Math.max(0, commonPrefixLength(typed + ghost, previous.ghost) - typed.length);
    savings.charactersWrong += ghost.length - Math.max(seenBefore, commonPrefixLength(ghost, wanted));
    if (ghost !== '' && seenBefore === 0) savings.ghostTexts++;
    savings.charactersAccepted += accepted.length;
    previous = { ghost, cursor };
    reached = accepted === '' ? 0 : cursor + accepted.length;
  }
  return { ...savings, keystrokesSaved: savings.charactersAccepted - savings.charactersWrong };
}

const nameWidth = 40;
const linesTyped = 20;

/** For shorter texts, typing is as quick as accepting. */
const worthAccepting = 3;

/**
 * The part of the ghost text that is right, up to the end of a word, as Ctrl+Right accepts it; '' if accepting it is
 * not worth the effort.
 */
export function acceptablePart(ghost: string, wanted: string): string {
  let length = commonPrefixLength(ghost, wanted);
  if (/\w/.test(ghost[length] ?? '') && /\w/.test(ghost[length - 1] ?? ''))
    length = ghost.slice(0, length).search(/\w+$/);
  const text = ghost.slice(0, length);
  return text.trim().length >= worthAccepting ? text : '';
}

function add(a: Savings, b: Savings): Savings {
  const entries = Object.entries(a) as [keyof Savings, number][];
  return Object.fromEntries(entries.map(([key, value]) => [key, value + b[key]])) as unknown as Savings;
}

function tableRow(name: string, savings: Savings): string {
  const { keys, keysTyped, ghostTexts, charactersAccepted, charactersWrong, keystrokesSaved } = savings;
  const figures = [keys, keysTyped, ghostTexts, charactersAccepted, charactersWrong, keystrokesSaved];
  return name.slice(-nameWidth).padEnd(nameWidth) + figures.map((figure) => String(figure).padStart(9)).join('');
}
