// What differs by model, as a table. The first row that fits a model holds.
import type { Engine, TokenNames } from '../../native/index.ts';
import type { GgufHeader } from './gguf-header.ts';

export interface FimTokens {
  prefix: string;
  suffix: string;
  /** Empty: the middle follows the prefix, which stands last. */
  middle: string;
  /** The suffix stands before the prefix. */
  suffixFirst?: true;
  /** Stands before the path of a file; qwen2.5-coder's if absent. */
  file?: string;
}

export interface Traits {
  kind: 'base' | 'instruct';
  /** Null: the model was not trained to fill in the middle, and only explains. */
  fim: FimTokens | null;
  /** A Jinja template for conversations; null: the model was not trained on them, and only completes. */
  chatTemplate: string | null;
  /** For people; empty if the model does all that can be expected of it. */
  note: string;
}

/** A loaded engine, and what is particular to the model in it. */
export interface Model {
  engine: Engine;
  traits: Traits;
}

interface Family {
  /** Of the model's and its base models' names. */
  name: RegExp;
  fim: FimTokens | null;
  /** Its base models were trained on conversations, too. */
  explains?: true;
}

const bars: FimTokens = { prefix: '<|fim_prefix|>', suffix: '<|fim_suffix|>', middle: '<|fim_middle|>' };

const plain: FimTokens = { prefix: '<fim_prefix>', suffix: '<fim_suffix>', middle: '<fim_middle>' };
const square: FimTokens = { prefix: '<[fim-prefix]>', suffix: '<[fim-suffix]>', middle: '<[fim-middle]>' };
const wide: FimTokens = { prefix: '<｜fim▁begin｜>', suffix: '<｜fim▁hole｜>', middle: '<｜fim▁end｜>' };
const pieces: FimTokens = { prefix: '▁<PRE>', suffix: '▁<SUF>', middle: '▁<MID>' };
const brackets: FimTokens = { prefix: '[PREFIX]', suffix: '[SUFFIX]', middle: '', suffixFirst: true };

/** All write the middle last. Qwen2.5 has the tokens too, though only its coder learned them. */
const families: Family[] = [
  { name: /starter-coder/i, fim: bars, explains: true },
  { name: /qwen-?2\.5-?coder|sweep/i, fim: bars },
  { name: /codeqwen-?1\.5/i, fim: plain },
  { name: /granite.*code/i, fim: plain },
  { name: /qwen-?(1\.5|2|2\.5)(?![\d.])/i, fim: null },
  { name: /seed-?coder/i, fim: { ...square, suffixFirst: true } },
  { name: /mellum/i, fim: { ...plain, suffixFirst: true, file: '<filename>' } },
  { name: /deepseek-?coder/i, fim: wide },
  { name: /code-?llama/i, fim: pieces },
  { name: /codestral/i, fim: brackets },
];
/** A model of another name is believed to be what its tokens and its template say. */
const unknownFamily: Family = { name: /(?:)/, fim: bars };

/** ChatML, for a file without a template that has its tokens. */
const plainTemplate =
  "{% for message in messages %}<|im_start|>{{ message.role + '\\n' + message.content }}<|im_end|>{{ '\\n' }}" +
  "{% endfor %}{% if add_generation_prompt %}<|im_start|>{{ 'assistant\\n' }}{% endif %}";

/** Those of native/family.h. */
const architectures = ['qwen2', 'llama', 'qwen3', 'granite'];

/** general.architecture, with which the keys of the model's sizes begin; undefined if the engine does not run it. */
export function architectureOf({ metadata }: GgufHeader): string | undefined {
  return architectures.find((name) => name === metadata.get('general.architecture'));
}

type Texts = Pick<GgufHeader, 'metadata' | 'specialTokens'>;

/** knownAs: what else tells of the model, such as its file's name. */
export function traitsOf({ metadata, specialTokens }: Texts, knownAs = ''): Traits {
  const names = [knownAs, ...[...metadata].filter(([key]) => isName(key)).map(([, value]) => String(value))];
  const title = names.join(' ').replaceAll(/[_ ]/g, '-');
  const family = families.find(({ name }) => name.test(title)) ?? unknownFamily;
  const fim = family.fim && tokensOf(family.fim).every((token) => specialTokens.has(token)) ? family.fim : null;
  const template = String(metadata.get('tokenizer.chat_template') ?? '');
  // The base models of Qwen have a chat template, too: it tells the kind only of a model whose name says nothing.
  const isTuned = family === unknownFamily && template !== '' && !/\bbase\b/i.test(title);
  const isInstruct = /instruct|chat/i.test(title) || isTuned;
  const hasTurns = specialTokens.has('<|im_start|>') && specialTokens.has('<|im_end|>');
  const chatTemplate = template || (hasTurns ? plainTemplate : null);
  const explains = isInstruct || family.explains === true;
  return {
    kind: isInstruct ? 'instruct' : 'base',
    fim,
    chatTemplate: explains ? chatTemplate : null,
    note: noteOf(isInstruct, fim !== null, explains && chatTemplate !== null),
  };
}

const tokensOf = ({ prefix, suffix, middle, file }: FimTokens) =>
  [prefix, suffix, middle, file].filter((token) => token !== undefined && token !== '') as string[];

const isName = (key: string) => /^general\.(name|basename|finetune|base_model\.\d+\.name)$/.test(key);

export function noteOf(isInstruct: boolean, completes: boolean, explains: boolean): string {
  if (completes) return isInstruct ? 'It explains well; a base model completes better.' : '';
  if (explains) return 'It only explains: it was not trained to fill in the middle.';
  return 'It can neither complete nor explain: it was trained neither to fill in the middle nor on instructions.';
}

/** As the engine wants to be told. */
export function tokenNames({ fim }: Traits): TokenNames {
  const { prefix, suffix, middle, file, suffixFirst = false } = fim ?? { prefix: '', suffix: '', middle: '' };
  const names = { fimPrefix: prefix, fimSuffix: suffix, fimMiddle: middle, ...(file && { fileSep: file }) };
  return { special: names, suffixFirst };
}
