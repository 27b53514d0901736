// What differs by model, as a table. The first row that fits a model holds.
import type { GgufHeader } from './gguf-header.ts';

export interface FimTokens {
  prefix: string;
  suffix: string;
  middle: string;
}

export interface Traits {
  kind: 'base' | 'instruct';
  /** Null: the model was not trained to fill in the middle, and only explains. */
  fim: FimTokens | null;
  /** It was trained on turns between <|im_start|> and <|im_end|>. */
  hasChatTurns: boolean;
  /** Tokens that end an answer. */
  stopTokens: string[];
  contextTokens: number;
  /** For people; empty if the model does all that Hearth offers. */
  note: string;
}

interface Family {
  /** Of the model's and its base models' names. */
  name: RegExp;
  fim: FimTokens | null;
}

const bars: FimTokens = { prefix: '<|fim_prefix|>', suffix: '<|fim_suffix|>', middle: '<|fim_middle|>' };

/** All put the middle last: prefix, suffix, middle. Qwen2.5 has the tokens too, though only its coder learned them. */
const families: Family[] = [
  { name: /qwen-?2\.5-?coder|starter|sweep/i, fim: bars },
  { name: /codeqwen-?1\.5/i, fim: { prefix: '<fim_prefix>', suffix: '<fim_suffix>', middle: '<fim_middle>' } },
  { name: /qwen-?(1\.5|2|2\.5)(?![\d.])/i, fim: null },
  { name: /(?:)/, fim: bars },
];

/** Base models of qwen2.5-coder go on after the middle with these, beside the ends of text and turn. */
const markers = ['<|fim_pad|>', '<|repo_name|>', '<|file_sep|>', '<|im_start|>'];
const ends = ['<|endoftext|>', '<|im_end|>'];

/** The architecture that native/contract.h checks for. */
export const supportedArchitecture = 'qwen2';
const defaultContextTokens = 32_768;

/** knownAs: what else tells of the model, such as its file's name. */
export function traitsOf({ metadata, specialTokens }: GgufHeader, knownAs = ''): Traits {
  const names = [knownAs, ...[...metadata].filter(([key]) => isName(key)).map(([, value]) => String(value))];
  const title = names.join(' ').replaceAll(/[_ ]/g, '-');
  const family = families.find(({ name }) => name.test(title));
  const isKnown = family !== families.at(-1);
  const fim = family?.fim && Object.values(family.fim).every((token) => specialTokens.has(token)) ? family.fim : null;
  // The base models of Qwen have a chat template, too: it tells the kind only of a model whose name says nothing.
  const hasTemplate = String(metadata.get('tokenizer.chat_template') ?? '').includes('<|im_start|>');
  const isInstruct = /instruct|chat/i.test(title) || (!isKnown && hasTemplate && !/\bbase\b/i.test(title));
  const hasChatTurns = isInstruct && specialTokens.has('<|im_start|>') && specialTokens.has('<|im_end|>');
  const contextTokens = metadata.get(`${supportedArchitecture}.context_length`);
  return {
    kind: isInstruct ? 'instruct' : 'base',
    fim,
    hasChatTurns,
    stopTokens: [...ends, ...markers, ...Object.values(fim ?? {})].filter((token) => specialTokens.has(token)),
    contextTokens: typeof contextTokens === 'number' ? contextTokens : defaultContextTokens,
    note: noteOf(isInstruct, fim !== null, hasChatTurns),
  };
}

const isName = (key: string) => /^general\.(name|basename|finetune|base_model\.\d+\.name)$/.test(key);

export function noteOf(isInstruct: boolean, fills: boolean, chats: boolean): string {
  if (fills) return isInstruct ? 'It explains well; a base model completes better.' : '';
  if (chats) return 'It only explains: it was not trained to fill in the middle.';
  return 'It can neither complete nor explain: it was trained neither to fill in the middle nor on instructions.';
}
