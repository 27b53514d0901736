// Asks a model that was trained on next edits to write one. First, one pass scores the answer that changes nothing. The
// model then writes from the first unlikely token on, and stops when its lines are the same as the old ones again.
import type { Completion, Engine } from '../../../native/index.ts';
import type { EditFormatName } from '../../models/model-traits.ts';
import { concatTokens } from '../../prompt/fim-prompt.ts';
import { cleanText } from '../../shape/generated-text.ts';
import { commonEnds, type EditedDocument, type TextEdit } from '../text/text-edit.ts';
import type { EditFormat, EditQuestion, EditWindow } from './edit-question.ts';
import { sweepFormat } from './sweep-format.ts';
import { zetaFormat } from './zeta-format.ts';

export interface GeneratedEdit {
  edit: TextEdit;
  /** The probability of the answer, up to the line where it rejoins the old lines. */
  probability: number;
}

// A token with p >= 0.5 is at least as likely as all others together.
const minLogProbability = Math.log(0.5);
const maxTokens = 256;
/** Once the model has repeated this many old lines with letters or digits, it is taken to repeat all the rest. */
const rejoiningLines = 2;

const formats: Record<EditFormatName, EditFormat> = {
  'sweep-1': sweepFormat(1),
  'sweep-2': sweepFormat(2),
  'zeta-2.1': zetaFormat,
};

export function editFormat(name: EditFormatName): EditFormat {
  return formats[name];
}

/** Returns undefined if nothing follows, or if the signal was aborted. Rejects with the engine's errors. */
export async function generateEdit(
  engine: Engine,
  format: EditFormat,
  document: EditedDocument,
  signal?: AbortSignal,
): Promise<GeneratedEdit | undefined> {
  const question = format.ask(engine, document);
  const answer = question && (await answerTo(engine, question, document.text, { signal }));
  return answer?.edit ? { edit: answer.edit, probability: Math.exp(answer.logProbability) } : undefined;
}

export interface Answer {
  /** Null if the lines stay as they are. */
  edit: TextEdit | null;
  /** The log-probability of the answer, in nats, up to the line where it rejoins the old lines. */
  logProbability: number;
}

interface AskOptions {
  signal?: AbortSignal | undefined;
  /** The path of an adapter that the engine has loaded. */
  adapter?: string | undefined;
}

/**
 * text: that of the whole document. Returns undefined if the question is too long, the answer does not have the format,
 * or the signal was aborted.
 */
export async function answerTo(
  engine: Engine,
  question: EditQuestion,
  text: string,
  { signal, adapter }: AskOptions,
): Promise<Answer | undefined> {
  const { prompt, unchanged, stopTokens, window } = question;
  if (prompt.length + unchanged.length + maxTokens > engine.info.contextTokens) return undefined;
  const { kept, logProbability } = await keptTokens(engine, question, { signal, adapter });
  if (signal?.aborted) return undefined;
  if (kept === unchanged.length && kept > 0) return { edit: null, logProbability };
  const copied = unchanged.subarray(0, kept);
  const head = engine.detokenize(copied);
  let [written, isRejoined] = [head, false];
  const onText = (more: string) => {
    if (isRejoined) return true; // the engine may send some more text before it stops
    written += more;
    isRejoined = kept > 0 && rejoined(window.text, head, written) !== undefined;
    return isRejoined;
  };
  const tokens = concatTokens(prompt, copied);
  const request = { tokens, maxTokens, stopTokens, priority: 'background' as const };
  const answer = await engine.generate({ ...request, ...(adapter !== undefined && { adapter }) }, onText, signal);
  if (signal?.aborted || (answer.finishReason !== 'stop' && !isRejoined)) return undefined;
  const lines = isRejoined
    ? rejoined(window.text, head, written)
    : question.parse(head + textOf(engine, answer, question));
  if (lines === undefined) return undefined;
  const edit = changedLines(window, visible(lines, text), text) ?? null;
  return { edit, logProbability: logProbability + sumOf(answer.logProbabilities) };
}

const sumOf = (logProbabilities: Float32Array) => logProbabilities.reduce((sum, nats) => sum + nats, 0);

/**
 * How many tokens at the beginning of the unchanged answer are likely enough to keep. They end with a whole character.
 */
async function keptTokens(
  engine: Engine,
  { prompt, unchanged, window }: EditQuestion,
  { signal, adapter }: AskOptions,
) {
  if (unchanged.length === 0) return { kept: 0, logProbability: 0 };
  const continuation = { given: new Uint32Array(), scored: unchanged };
  const [scores = new Float32Array()] = await engine.scoreContinuations(
    prompt,
    [continuation],
    'background',
    signal,
    adapter,
  );
  const unlikely = scores.findIndex((logProbability) => logProbability < minLogProbability);
  let kept = unlikely === -1 ? scores.length : unlikely;
  const isWhole = () =>
    kept === unchanged.length || window.text.startsWith(engine.detokenize(unchanged.subarray(0, kept)));
  while (kept > 0 && !isWhole()) kept--;
  return { kept, logProbability: sumOf(scores.subarray(0, kept)) };
}

/** The text of the answer, with the names of its control tokens, and without its end token. */
function textOf(engine: Engine, { text, tokens }: Completion, { names, stopTokens }: EditQuestion): string {
  if (names.size === 0) return text;
  const bytes = [...tokens].flatMap((token) => {
    if (stopTokens.includes(token)) return [];
    const name = names.get(token);
    return name === undefined ? [...engine.tokenBytes(token)] : [...Buffer.from(name)];
  });
  return Buffer.from(bytes).toString();
}

/**
 * If `written` ends with old lines, returns it completed with the old lines that follow them; otherwise undefined. old:
 * the old text of the window. head: the beginning of `written`, which was copied from it.
 */
export function rejoined(old: string, head: string, written: string): string | undefined {
  if (!written.endsWith('\n')) return undefined;
  const first = head.lastIndexOf('\n') + 1;
  const rest = old.slice(first).split('\n');
  const lines = written.slice(first, -1).split('\n').slice(1);
  let [count, at] = [0, lines.length];
  while (at > 0 && count < rejoiningLines) if (/[\p{L}\p{N}]/u.test(lines[--at] ?? '')) count++;
  if (count < rejoiningLines) return undefined;
  const last = lines.slice(at);
  const joint = rest.findIndex((_, i) => i > 0 && last.every((line, j) => rest[i + j] === line));
  return joint === -1 ? undefined : written + rest.slice(joint + last.length).join('\n');
}

/** The text without the invisible characters that the document does not have. */
function visible(text: string, document: string): string {
  const lines = text.split('\n');
  return lines.map((line) => cleanText(line, document)).join('\n');
}

/** Replaces the lines that differ; undefined if all are the same. text: the new text of the window. */
function changedLines(window: EditWindow, text: string, document: string): TextEdit | undefined {
  const [old, now] = [window.text, text].map((lines) => lines.match(/[^\n]*\n/g) ?? []);
  if (!old || !now) return undefined;
  const { head, tail } = commonEnds(old, now);
  if (head === old.length && head === now.length) return undefined;
  const start = window.start + old.slice(0, head).join('').length;
  const end = start + old.slice(head, old.length - tail).join('').length;
  const lines = now.slice(head, now.length - tail).join('');
  if (end <= document.length) return { start, end, text: lines };
  // The document's last line has no line feed, so the line feed between it and an appended line is inserted first.
  const isAppended = start > document.length;
  const added = (isAppended ? '\n' : '') + lines.replace(/\n$/, '');
  const edit = { start: Math.min(start, document.length), end: document.length, text: added };
  // If the document ends with a line feed, the window has an empty line after it that an answer cannot delete.
  return edit.start === edit.end && added === '' ? undefined : edit;
}
