// The edit that a model writes which was trained to. The answer that changes nothing is read in one pass; the model
// writes only from where it would rather say something else, and only until it is back in the old lines.
import type { Engine } from '../../../native/index.ts';
import type { EditFormatName } from '../../models/model-traits.ts';
import { concatTokens } from '../../prompt/fim-prompt.ts';
import { cleanText } from '../../rules/generated-text.ts';
import type { EditedDocument, TextEdit } from '../text/text-edit.ts';
import type { EditFormat, EditQuestion, EditWindow } from './edit-question.ts';
import { sweepFormat } from './sweep-format.ts';
import { zetaFormat } from './zeta-format.ts';

export interface GeneratedEdit {
  edit: TextEdit;
  /** Of all that it wrote, in which the old lines are nearly certain. */
  probability: number;
}

// A token that is likelier than all others together is the one that the model would write.
const certainly = Math.log(0.5);
const maxTokens = 256;
/** So many lines of the old text with letters in them, one below the other, mean that the rest is as before. */
const rejoiningLines = 2;

/** Of each family of models that were trained on next edits. */
const formats: Record<EditFormatName, EditFormat> = {
  'sweep-1': sweepFormat(1),
  'sweep-2': sweepFormat(2),
  'zeta-2.1': zetaFormat,
};

export function editFormat(name: EditFormatName): EditFormat {
  return formats[name];
}

/** Undefined if nothing follows, or the signal was aborted. Rejects with the engine's errors. */
export async function generateEdit(
  engine: Engine,
  format: EditFormat,
  document: EditedDocument,
  signal?: AbortSignal,
): Promise<GeneratedEdit | undefined> {
  const question = format.ask(engine, document);
  if (!question || question.prompt.length + question.unchanged.length + maxTokens > engine.info.contextTokens)
    return undefined;
  const kept = await keptTokens(engine, question, signal);
  if (signal?.aborted || (kept === question.unchanged.length && kept > 0)) return undefined;
  const copied = question.unchanged.subarray(0, kept);
  const head = engine.detokenize(copied);
  const { text: old } = question.window;
  let [written, isRejoined] = [head, false];
  const onText = (text: string) => {
    if (isRejoined) return true; // the engine may have written a little more
    written += text;
    isRejoined = kept > 0 && rejoined(old, head, written) !== undefined;
    return isRejoined;
  };
  const tokens = concatTokens(question.prompt, copied);
  const { stopTokens } = question;
  const request = { tokens, maxTokens, stopTokens, priority: 'background' as const };
  const answer = await engine.generate(request, onText, signal);
  if (signal?.aborted || (answer.finishReason !== 'stop' && !isRejoined)) return undefined;
  const text = isRejoined
    ? rejoined(old, head, written)
    : question.parse(head + textOf(engine, answer.tokens, question));
  const edit =
    text === undefined ? undefined : changedLines(question.window, visible(text, document.text), document.text);
  return edit && { edit, probability: Math.exp(answer.logProbabilities.reduce((sum, each) => sum + each, 0)) };
}

/** How many tokens of the answer that changes nothing the model would write itself; up to a whole character. */
async function keptTokens(engine: Engine, { prompt, unchanged, window }: EditQuestion, signal?: AbortSignal) {
  if (unchanged.length === 0) return 0;
  const [scores] = await engine.scoreContinuations(
    prompt,
    [{ given: new Uint32Array(), scored: unchanged }],
    'background',
    signal,
  );
  const other = scores?.findIndex((each) => each < certainly) ?? 0;
  let kept = other === -1 ? unchanged.length : other;
  const isWhole = () =>
    kept === unchanged.length || window.text.startsWith(engine.detokenize(unchanged.subarray(0, kept)));
  while (kept > 0 && !isWhole()) kept--;
  return kept;
}

function textOf(engine: Engine, tokens: Uint32Array, { names }: EditQuestion): string {
  const bytes = [...tokens].flatMap((token) => {
    const name = names.get(token);
    return name === undefined ? [...engine.tokenBytes(token)] : [...Buffer.from(name)];
  });
  return Buffer.from(bytes).toString();
}

/** The whole window, once what was written behind the head ends with old lines; undefined before that. */
export function rejoined(old: string, head: string, written: string): string | undefined {
  if (!written.endsWith('\n')) return undefined;
  const first = head.lastIndexOf('\n') + 1;
  const rest = old.slice(first).split('\n');
  const lines = written.slice(first, -1).split('\n').slice(1);
  let [count, at] = [0, lines.length];
  while (at > 0 && count < rejoiningLines) if (/[\p{L}\p{N}]/u.test(lines[--at] ?? '')) count++;
  if (count < rejoiningLines) return undefined;
  const last = lines.slice(at);
  const there = rest.findIndex((_, i) => i > 0 && last.every((line, j) => rest[i + j] === line));
  return there === -1 ? undefined : written + rest.slice(there + last.length).join('\n');
}

/** Without characters that cannot be seen, unless the document has them. */
function visible(text: string, document: string): string {
  const lines = text.split('\n');
  return lines.map((line) => cleanText(line, document)).join('\n');
}

/** Undefined if there are none. */
function changedLines(window: EditWindow, text: string, document: string): TextEdit | undefined {
  const [old, now] = [window.text, text].map((all) => all.match(/[^\n]*\n/g) ?? []);
  if (!old || !now) return undefined;
  let head = 0;
  while (head < old.length && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < Math.min(old.length, now.length) - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  if (head === old.length && head === now.length) return undefined;
  const start = window.start + old.slice(0, head).join('').length;
  const end = start + old.slice(head, old.length - tail).join('').length;
  const lines = now.slice(head, now.length - tail).join('');
  if (end <= document.length) return { start, end, text: lines };
  // The last line of the document has no line feed: it stands before what is appended instead of behind it.
  const isAppended = start > document.length;
  const added = (isAppended ? '\n' : '') + lines.replace(/\n$/, '');
  return { start: Math.min(start, document.length), end: document.length, text: added };
}
