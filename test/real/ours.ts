// Runs our engine on texts and prompts, and makes the plan for llama.cpp from its answers.

import { readJsonLines } from '../../lab/tools/input.ts';
import { explainPrompt } from '../../language-server/explain/chat-prompt.ts';
import type { Model } from '../../language-server/models/model-traits.ts';
import { canFillInTheMiddle, concatTokens, fimHead, tokenizeText } from '../../language-server/prompt/fim-prompt.ts';
import type { Engine } from '../../native/index.ts';
import type { Plan } from './plan.ts';
import type { Options } from './real.ts';

const fimTokens = 48;
/** The texts that the greedy answers continue. */
const contextTokens = 128;
const explained =
  'export function mean(values: number[]): number {\n  let sum = 0;\n  for (const value of values) sum += value;\n  return sum / values.length;\n}';

/** A greedy answer. llama.cpp is given the same tokens and asked which it would have written at each place. */
export interface Answer {
  name: string;
  prompt: Uint32Array;
  /** Includes the token that ended the answer, if it ended by itself. */
  tokens: number[];
  text: string;
}

export interface Asked {
  plan: Omit<Plan, 'model' | 'threads'>;
  /** One entry per text. */
  ids: Uint32Array[];
  logits: { tokens: Uint32Array; rows: Float32Array } | null;
  /** The prompt of an explanation. */
  chat: Uint32Array | null;
  answers: Answer[];
}

export async function askOurs(model: Model, texts: string[], options: Options): Promise<Asked> {
  const { engine } = model;
  const wants = (part: string) => options.only.includes(part);
  const ids = texts.map((text) => engine.tokenize(text));
  const code = concatTokens(...ids.slice(0, 40));
  const conversation = [{ role: 'user', content: `Explain this code:\n\`\`\`typescript\n${explained}\n\`\`\`` }];
  const chat = wants('template') || wants('explain') ? await chatPrompt(model) : null;
  const tokens = code.slice(0, options.positions);
  const logits = wants('logits') ? { tokens, rows: await engine.logits(tokens) } : null;
  const answers: Answer[] = [];
  const answer = async (name: string, prompt: Uint32Array, maxTokens: number) =>
    answers.push(await greedy(engine, name, prompt, maxTokens));
  if (wants('greedy'))
    await answer('greedy', code.slice(options.positions, options.positions + contextTokens), options.tokens);
  if (wants('explain') && chat) await answer('explain', chat, options.tokens);
  for (const [i, prompt] of fimPrompts(engine, wants('fim') ? options.cases : undefined).entries()) {
    await answer(`fim ${i + 1}`, prompt, fimTokens);
  }
  const runs = answers.map(({ name, prompt, tokens: written }) => ({
    ...{ name, from: prompt.length - 1, wholeRows: false },
    tokens: [...prompt, ...written.slice(0, -1)],
  }));
  const logitsRun = logits ? [{ name: 'logits', tokens: [...tokens], from: 0, wholeRows: true }] : [];
  const asksTexts = wants('tokenizer') ? texts : [];
  return {
    plan: { texts: asksTexts, conversation: chat && conversation, runs: [...logitsRun, ...runs] },
    ...{ ids, logits, chat, answers },
  };
}

async function chatPrompt(model: Model): Promise<Uint32Array | null> {
  if (model.traits.chatTemplate === null) return null;
  const asked = { text: explained, languageId: 'typescript', turns: [{ answer: '' }] };
  return (await explainPrompt(model, asked, model.engine.info.contextTokens)).tokens;
}

function fimPrompts(engine: Engine, cases: string | undefined): Uint32Array[] {
  if (cases === undefined || !canFillInTheMiddle(engine)) return [];
  return readJsonLines(cases).map(({ entry }) => {
    const part = (key: string) => tokenizeText(engine, String(entry[key]));
    return fimHead(engine, part('prefix'), part('suffix'));
  });
}

async function greedy(engine: Engine, name: string, prompt: Uint32Array, maxTokens: number): Promise<Answer> {
  const { tokens, text } = await engine.generate({ tokens: prompt, maxTokens });
  return { name, prompt, tokens: [...tokens], text };
}
