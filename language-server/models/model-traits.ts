// A table of the differences between families of models in prompts and explanations. The first row that matches a
// model's name applies. native/model/family.h has the differences that matter to the engine.
import type { Engine, ModelDescription, TokenNames } from '../../native/index.ts';

export interface FimTokens {
  prefix: string;
  suffix: string;
  /** '' if the prefix comes last and the middle follows it directly. */
  middle: string;
  /** Whether the suffix comes before the prefix. */
  suffixFirst?: true;
  /** The token before the path of a file; if absent, qwen2.5-coder's applies. */
  file?: string;
}

/** How a model was trained to write next edits; see edits/generation/. */
export type EditFormatName = 'sweep-1' | 'sweep-2' | 'zeta-2.1';

/** The form in which a model was trained on conversations. */
export interface ChatTemplate {
  /** A template in the language Jinja. */
  template: string;
  /** The names of the tokens that the template may use; '' if the model's file has none. */
  bosToken: string;
  eosToken: string;
}

export interface Traits {
  kind: 'base' | 'instruct';
  /** Null if the model was not trained to fill in the middle and can only explain. */
  fim: FimTokens | null;
  /** Null if the model was not trained to write next edits. */
  editFormat: EditFormatName | null;
  /** Null if the model was not trained on conversations and can only complete. */
  chatTemplate: ChatTemplate | null;
}

/** What an adapter is for: suggestions at the cursor, or next edits. */
export type AdapterTask = 'completions' | 'edits';

/** The files of Hearth's own adapters for one model. */
export type OwnAdapters = Partial<Record<AdapterTask, string>>;

/** A loaded engine with the traits of its model. */
export interface Model {
  engine: Engine;
  traits: Traits;
  /** The paths of Hearth's own adapters that were loaded with this model; absent if there are none. */
  ownAdapters?: OwnAdapters;
  /** Why they were not loaded; absent if they were, or if there are none for this model. */
  adapterProblem?: string;
}

interface Family {
  /** Matches the names of the model and of its base models. */
  name: RegExp;
  fim: FimTokens | null;
  /** Whether even its base models were trained on conversations. */
  explains?: true;
}

const bars: FimTokens = { prefix: '<|fim_prefix|>', suffix: '<|fim_suffix|>', middle: '<|fim_middle|>' };

const plain: FimTokens = { prefix: '<fim_prefix>', suffix: '<fim_suffix>', middle: '<fim_middle>' };
const square: FimTokens = { prefix: '<[fim-prefix]>', suffix: '<[fim-suffix]>', middle: '<[fim-middle]>' };
const wide: FimTokens = { prefix: '<｜fim▁begin｜>', suffix: '<｜fim▁hole｜>', middle: '<｜fim▁end｜>' };
const pieces: FimTokens = { prefix: '▁<PRE>', suffix: '▁<SUF>', middle: '▁<MID>' };
const brackets: FimTokens = { prefix: '[PREFIX]', suffix: '[SUFFIX]', middle: '', suffixFirst: true };

/**
 * The middle comes last in all prompts. Qwen2.5 also has fill-in-the-middle tokens, but only Qwen2.5-Coder was trained
 * with them.
 */
const families: Family[] = [
  { name: /starter-coder/i, fim: bars, explains: true },
  { name: /qwen-?2\.5-?coder|sweep/i, fim: bars },
  { name: /codeqwen-?1\.5/i, fim: plain },
  { name: /granite.*code/i, fim: plain },
  { name: /qwen-?(1\.5|2|2\.5)(?![\d.])/i, fim: null },
  { name: /zeta-2\.1/i, fim: null },
  { name: /seed-?coder/i, fim: { ...square, suffixFirst: true } },
  { name: /mellum/i, fim: { ...plain, suffixFirst: true, file: '<filename>' } },
  { name: /deepseek-?coder/i, fim: wide },
  { name: /code-?llama/i, fim: pieces },
  { name: /codestral/i, fim: brackets },
];
/** The models that were trained to write next edits. Sweep's 7B model has had the second format from its beginning. */
const editFormats: { name: RegExp; format: EditFormatName }[] = [
  { name: /sweep-next-edit.*(\bv2\b|-7b)/i, format: 'sweep-2' },
  { name: /sweep-next-edit/i, format: 'sweep-1' },
  { name: /zeta-2\.1/i, format: 'zeta-2.1' },
];
/** Hearth's own adapters (models/training), and the models that they were trained for. */
const ownAdapters: { name: RegExp; files: Required<OwnAdapters> }[] = [
  {
    name: /^qwen-?2\.5-?coder-0\.5b-instruct/i,
    files: { completions: 'completion-0.5b.gguf', edits: 'next-edit-0.5b.gguf' },
  },
  {
    name: /^qwen-?2\.5-?coder-1\.5b-instruct/i,
    files: { completions: 'completion-1.5b.gguf', edits: 'next-edit-1.5b.gguf' },
  },
];
/** A model with another name is judged by its tokens and its chat template. */
const unknownFamily: Family = { name: /(?:)/, fim: bars };

/** ChatML, for a model's file that has ChatML's tokens but no template. */
const plainTemplate =
  "{% for message in messages %}<|im_start|>{{ message.role + '\\n' + message.content }}<|im_end|>{{ '\\n' }}" +
  "{% endfor %}{% if add_generation_prompt %}<|im_start|>{{ 'assistant\\n' }}{% endif %}";

/** The tokens of all families. A server can be asked which of them its model has. */
export const knownFimTokens: FimTokens[] = [...new Set(families.flatMap(({ fim }) => fim ?? []))];

/** A model's tokens by its name: null if it was not trained to fill in the middle, undefined if its name is unknown. */
export function fimTokensOf(name: string): FimTokens | null | undefined {
  return families.find((family) => family.name.test(titleOf(name)))?.fim;
}

// A hostile server or file may have a name of any length, and some patterns above take quadratic time.
const maxNameChars = 500;
const titleOf = (names: string): string => names.slice(0, maxNameChars).replaceAll(/[_ ]/g, '-');

type Texts = Pick<ModelDescription, 'metadata' | 'specialTokens'>;

/** Derives a model's traits from its names and tokens. knownAs: another name of the model, such as its file's name. */
export function traitsOf({ metadata, specialTokens }: Texts, knownAs = ''): Traits {
  const names = [
    knownAs,
    ...Object.entries(metadata)
      .filter(([key]) => isName(key))
      .map(([, value]) => value),
  ];
  const title = titleOf(names.join(' '));
  const family = families.find(({ name }) => name.test(title)) ?? unknownFamily;
  const fim = family.fim && tokensOf(family.fim).every((token) => specialTokens.includes(token)) ? family.fim : null;
  const text = (key: string) => metadata[`tokenizer.${key}`] ?? '';
  const ownTemplate = text('chat_template');
  // Qwen's base models have a chat template, too. So a template makes a model "instruct" only if its family is unknown.
  const isTuned = family === unknownFamily && ownTemplate !== '' && !/\bbase\b/i.test(title);
  const isInstruct = /instruct|chat/i.test(title) || isTuned;
  const hasTurns = specialTokens.includes('<|im_start|>') && specialTokens.includes('<|im_end|>');
  const template = ownTemplate || (hasTurns ? plainTemplate : '');
  const explains = template !== '' && (isInstruct || family.explains === true);
  return {
    kind: isInstruct ? 'instruct' : 'base',
    fim,
    editFormat: editFormats.find(({ name }) => name.test(title))?.format ?? null,
    chatTemplate: explains ? { template, bosToken: text('ggml.bos_token'), eosToken: text('ggml.eos_token') } : null,
  };
}

/**
 * The names of the files with Hearth's own adapters for this model; null if there are none. What counts is what the
 * model's file says about it, in two ways, since quantizers change either; a file's own name can be anything.
 */
export function ownAdaptersOf(metadata: ModelDescription['metadata']): Required<OwnAdapters> | null {
  const text = (key: string) => metadata[`general.${key}`] ?? '';
  const titles = [text('name'), [text('basename'), text('size_label'), text('finetune')].join('-')].map(titleOf);
  return ownAdapters.find(({ name }) => titles.some((title) => name.test(title)))?.files ?? null;
}

const tokensOf = ({ prefix, suffix, middle, file }: FimTokens) =>
  [prefix, suffix, middle, file].filter((token) => token !== undefined && token !== '') as string[];

const isName = (key: string) => /^general\.(name|basename|finetune|base_model\.\d+\.name)$/.test(key);

/** The model's special tokens, in the form that the engine expects. */
export function tokenNames({ fim }: Traits): TokenNames {
  const { prefix, suffix, middle, file, suffixFirst = false } = fim ?? { prefix: '', suffix: '', middle: '' };
  const names = { fimPrefix: prefix, fimSuffix: suffix, fimMiddle: middle, ...(file && { fileSep: file }) };
  return { special: names, suffixFirst };
}
