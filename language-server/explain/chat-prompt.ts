// Builds the prompt for an explanation and its follow-up questions, with the model's own chat template. As in prompts
// for completions, the text of people and models is tokenized without special tokens.
import type { Engine } from '../../native/index.ts';
import type { ChatTemplate, Model } from '../models/model-traits.ts';
import { concatTokens, tokenizeText } from '../prompt/fim-prompt.ts';
import type { ExplainParams, ExplainTurn } from '../protocol/messages.ts';
import { type ChatMessage, renderChat } from './chat-template.ts';

/** Selected code may fill at most this share of the context. A longer selection is cut at the end of a line. */
const selectionShare = 0.6;
// Ordinary code has three to four characters per token, and nothing that a person selects has more than ten.
const maxCharsPerToken = 10;

export interface ExplainPrompt {
  tokens: Uint32Array;
  /** The number of lines of the selection in the prompt; absent if the prompt has all of them. */
  linesRead?: number;
}

/** The function around the selection may fill at most this share of the context. A longer function is left out. */
const functionShare = 0.3;

/** The text to explain, with the conversation about it. */
export interface Explained extends Pick<ExplainParams, 'text' | 'languageId' | 'turns'> {
  /** The function that contains the text; null if there is none. */
  around?: string | null;
}

/**
 * A prompt with the selection, the turns, and the beginning of the answer to the last turn. If not all turns fit, the
 * oldest are left out. The first of the others has the selection.
 */
export async function explainPrompt(
  { engine, traits: { chatTemplate } }: Model,
  { text, languageId, turns, around = null }: Explained,
  maxPromptTokens: number,
): Promise<ExplainPrompt> {
  if (chatTemplate === null)
    throw new Error(
      'This model completes code, but was not trained to explain it. Choose an instruct model for explanations with "Hearth: Choose Model".',
    );
  const whole = text.trimEnd();
  const code = head(engine, whole, Math.floor(engine.info.contextTokens * selectionShare));
  const fits = around !== null && code === whole && isAtMost(engine, around, functionShare);
  const block =
    fenced(code, languageId) + (fits ? `\nIt is part of this function:\n${fenced(around, languageId)}` : '');
  for (let first = 0; first < turns.length; first++) {
    const texts = textsOf(block, turns.slice(first)).map((message) => tokenizeText(engine, message));
    if (tokenSum(texts) > maxPromptTokens) continue;
    const tokens = await chatTokens(engine, chatTemplate, texts);
    if (tokens.length > maxPromptTokens) continue;
    return code === whole ? { tokens } : { tokens, linesRead: code.split('\n').length };
  }
  throw new Error("This no longer fits into the model's context. Select less code, or ask again from the start.");
}

function fenced(code: string, languageId: string): string {
  const longest = Math.max(2, ...(code.match(/`{3,}/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${languageId}\n${code}\n${fence}`;
}

function isAtMost(engine: Engine, text: string, share: number): boolean {
  const maxTokens = Math.floor(engine.info.contextTokens * share);
  return text.length <= maxTokens * maxCharsPerToken && tokenCount(engine, text) <= maxTokens;
}

/** As many whole lines as fit into maxTokens, or the beginning of the first line if that alone is too long. */
function head(engine: Engine, text: string, maxTokens: number): string {
  let shown = text.slice(0, maxTokens * maxCharsPerToken);
  for (let tokens = tokenCount(engine, shown); tokens > maxTokens; tokens = tokenCount(engine, shown)) {
    // The beginning may have more tokens per character than the whole text, so it is cut a little shorter.
    shown = shown.slice(0, Math.floor(((shown.length * maxTokens) / tokens) * 0.95));
  }
  const lineEnd = shown.lastIndexOf('\n');
  return shown.length < text.length && lineEnd > 0 ? shown.slice(0, lineEnd).trimEnd() : shown;
}

function tokenCount(engine: Engine, text: string): number {
  return tokenizeText(engine, text).length;
}

/** The texts of the user and of the model, in turn. The last text is the beginning of the answer. */
function textsOf(selection: string, turns: ExplainTurn[]): string[] {
  return turns.flatMap(({ question = 'Explain this code:', answer }, i) => [
    i === 0 ? `${question}\n${selection}` : question,
    answer,
  ]);
}

/**
 * Renders the template with a mark in place of each message, and then replaces the marks with the messages' tokens. So
 * special tokens are recognized only in the template's own text, not in the messages.
 */
async function chatTokens(engine: Engine, template: ChatTemplate, texts: Uint32Array[]): Promise<Uint32Array> {
  const messages = texts
    .slice(0, -1)
    .map((_, i): ChatMessage => ({ role: i % 2 === 0 ? 'user' : 'assistant', content: mark(i) }));
  // The template's own text alternates with the numbers of the marks.
  const parts = (await renderChat({ ...template, messages })).split(markPattern);
  const own = parts.filter((_, i) => i % 2 === 0);
  const marks = parts.filter((_, i) => i % 2 === 1);
  if (marks.join() !== [...messages.keys()].join())
    throw new Error("The chat template in the model's file does not say what was asked.");
  const tokens = concatTokens(...texts.flatMap((text, i) => [engine.tokenize(own[i] ?? '', true), text]));
  const { bosToken } = engine.info;
  // Some templates write BOS themselves, others leave it to the tokenizer.
  return bosToken < 0 || tokens[0] === bosToken ? tokens : concatTokens(bosToken, tokens);
}

const tokenSum = (texts: Uint32Array[]) => texts.reduce((sum, { length }) => sum + length, 0);

// Characters of the private use area, which no template contains.
const mark = (i: number) => `\u{e000}${i}\u{e001}`;
const markPattern = /\u{e000}(\d+)\u{e001}/u;
