import { expect, test } from 'vitest';
import { fimTokensOf, ownAdaptersOf, tokenNames, traitsOf } from '../../../language-server/models/model-traits.ts';

const qwenTokens = ['endoftext', 'im_start', 'im_end', 'fim_prefix', 'fim_middle', 'fim_suffix', 'fim_pad', 'file_sep'];
const chatTemplate = { 'tokenizer.chat_template': '<|im_start|>user' };

const header = (metadata: Record<string, string>, tokens = qwenTokens.map((name) => `<|${name}|>`)) => ({
  metadata,
  specialTokens: tokens,
});

test('a base model of qwen2.5-coder completes, whatever template its file has', () => {
  const traits = traitsOf(header({ 'general.name': 'Qwen2.5 Coder 1.5B', ...chatTemplate }));
  expect(traits).toMatchObject({ kind: 'base', chatTemplate: null });
  expect(traits.fim).toEqual({ prefix: '<|fim_prefix|>', suffix: '<|fim_suffix|>', middle: '<|fim_middle|>' });
});

test('an instruct model completes and explains', () => {
  const traits = traitsOf(header({ 'general.name': 'qwen2.5-coder-7b-instruct', ...chatTemplate }));
  expect(traits).toMatchObject({ kind: 'instruct', chatTemplate: { template: '<|im_start|>user' } });
  expect(traits.fim).not.toBeNull();
});

test('if the metadata have no name, the name of the file counts', () => {
  expect(traitsOf(header({ 'general.name': 'models' }), 'Qwen2.5-Coder-3B-Instruct-Q4_K_M').kind).toBe('instruct');
  expect(traitsOf(header({ 'general.name': 'Qwen2.5 Coder 7B' }), 'qwen2.5-coder:7b-base').kind).toBe('base');
});

test('Qwen2.5 has the tokens of Qwen2.5-Coder, but only explains', () => {
  const traits = traitsOf(header({ 'general.name': 'Qwen2.5 7B Instruct' }));
  expect(traits).toMatchObject({ kind: 'instruct', fim: null });
  expect(traits.chatTemplate).not.toBeNull();
  expect(traitsOf(header({ 'general.name': 'Qwen2.5 7B' }))).toMatchObject({ fim: null, chatTemplate: null });
});

test('CodeQwen1.5 has its own tokens', () => {
  const tokens = ['<fim_prefix>', '<fim_middle>', '<fim_suffix>'];
  expect(traitsOf(header({ 'general.name': 'CodeQwen1.5-7B' }, tokens)).fim).toEqual({
    prefix: '<fim_prefix>',
    suffix: '<fim_suffix>',
    middle: '<fim_middle>',
  });
});

test('a family whose vocabulary lacks the tokens cannot fill in the middle', () => {
  expect(traitsOf(header({ 'general.name': 'Qwen2.5 Coder 1.5B' }, ['<|im_start|>', '<|im_end|>'])).fim).toBeNull();
});

test('a model without a known name is recognized by its tokens and its template', () => {
  expect(traitsOf(header({ 'general.name': 'my tune' }))).toMatchObject({ kind: 'base' });
  expect(traitsOf(header({ 'general.name': 'my tune', ...chatTemplate })).kind).toBe('instruct');
  const tuned = header({
    'general.name': 'Next Edit',
    'general.base_model.0.name': 'Qwen2.5 Coder 1.5B',
    ...chatTemplate,
  });
  expect(traitsOf(tuned).kind).toBe('base');
});

test.each([
  ['Seed-Coder-8B-Base', ['<[fim-prefix]>', '<[fim-suffix]>', '<[fim-middle]>']],
  ['deepseek-coder-1.3b-base', ['<｜fim▁begin｜>', '<｜fim▁hole｜>', '<｜fim▁end｜>']],
  ['Granite 3b Code Base', ['<fim_prefix>', '<fim_suffix>', '<fim_middle>']],
  ['CodeLlama 7B', ['▁<PRE>', '▁<SUF>', '▁<MID>']],
])('%s fills in the middle with its own tokens', (name, tokens) => {
  const [prefix, suffix, middle] = tokens;
  const { fim } = traitsOf(header({ 'general.name': name }, tokens));
  expect(fim).toMatchObject({ prefix, suffix, middle });
  expect(fim?.suffixFirst === true).toBe(name.startsWith('Seed'));
});

test('Codestral puts the suffix first and has no token before the middle', () => {
  const traits = traitsOf(header({ 'general.name': 'Codestral 22B v0.1' }, ['[PREFIX]', '[SUFFIX]']));
  expect(tokenNames(traits)).toMatchObject({
    special: { fimPrefix: '[PREFIX]', fimSuffix: '[SUFFIX]', fimMiddle: '' },
    suffixFirst: true,
  });
});

test('Mellum has its own token for file names', () => {
  const tokens = ['<fim_prefix>', '<fim_suffix>', '<fim_middle>', '<filename>'];
  const metadata = { 'general.name': 'Mellum 4b base', 'general.architecture': 'llama' };
  expect(tokenNames(traitsOf(header(metadata, tokens)))).toMatchObject({
    special: { fileSep: '<filename>' },
    suffixFirst: true,
  });
});

test.each([
  ['Sweep Next Edit 0.5B', '', 'sweep-1'],
  ['Qwen2.5 Coder 1.5B', 'sweep-next-edit-1.5b.q8_0.v2.gguf', 'sweep-2'],
  ['sweep_next_edit_v2_7B', '', 'sweep-2'],
  ['Zeta 2.1', '', 'zeta-2.1'],
  ['Zeta 2', '', null],
  ['Qwen2.5 Coder 1.5B', '', null],
])('%s %s writes next edits as %s', (name, file, format) => {
  expect(traitsOf(header({ 'general.name': name }), file).editFormat).toBe(format);
});

test('only 500 characters of a name are examined, whatever a server or a file says', () => {
  const name = `${'granite'.repeat(80)}-code`;
  expect(fimTokensOf(name)).toBeUndefined();
  expect(fimTokensOf(name.slice(-100))).toMatchObject({ prefix: '<fim_prefix>' });
  expect(traitsOf(header({ 'general.name': `${name}-instruct` })).kind).toBe('base');
});

test('each size has adapters of its own', () => {
  expect(ownAdaptersOf({ 'general.name': 'Qwen2.5 Coder 0.5B Instruct AWQ' })).toEqual({
    completions: 'completion-0.5b.gguf',
    edits: 'next-edit-0.5b.gguf',
  });
});

test.each<[string, Record<string, string>]>([
  ['its name', { 'general.name': 'Qwen2.5 Coder 1.5B Instruct GGUF' }],
  ['its name, written otherwise', { 'general.name': 'qwen2.5-coder-1.5b-instruct' }],
  [
    'the parts of its name',
    {
      'general.name': 'models',
      'general.basename': 'Qwen2.5-Coder',
      'general.size_label': '1.5B',
      'general.finetune': 'Instruct-GGUF',
    },
  ],
])('the model that our adapters were trained for is recognized by %s', (_, metadata) => {
  expect(ownAdaptersOf(metadata)).toEqual({
    completions: 'completion-1.5b.gguf',
    edits: 'next-edit-1.5b.gguf',
  });
});

test.each<[string, Record<string, string>]>([
  ['the base model', { 'general.name': 'Qwen2.5 Coder 1.5B', 'general.basename': 'Qwen2.5-Coder' }],
  ['another size', { 'general.name': 'Qwen2.5 Coder 7B Instruct' }],
  ['the model that is no coder', { 'general.name': 'Qwen2.5 1.5B Instruct' }],
  ['a model made from it', { 'general.name': 'Sweep', 'general.base_model.0.name': 'Qwen2.5 Coder 1.5B Instruct' }],
  ['the starter', { 'general.name': 'Starter Coder v3 83M' }],
  ['a file that says nothing', {}],
])('we have no adapters for %s', (_, metadata) => {
  expect(ownAdaptersOf(metadata)).toBeNull();
});
