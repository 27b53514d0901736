// hearth generate --prompt TEXT|@FILE
import {
  type Command,
  count,
  engineOptions,
  print,
  printJson,
  readText,
  text,
  UsageError,
  withEngine,
} from './command.ts';

const defaultMaxTokens = 128;

export const generateCommand: Command = {
  summary: 'continue a text as the model does, without a template around it',
  hint: 'How long each layer takes: "hearth doctor --trace FILE".',
  operands: '',
  options: {
    ...engineOptions,
    adapter: { type: 'string', value: 'FILE', help: 'LoRA adapter for the model, a GGUF file' },
    prompt: {
      type: 'string',
      short: 'p',
      value: 'TEXT',
      help: 'text to continue; "@FILE" reads it from a file',
    },
    'max-tokens': {
      type: 'string',
      short: 'n',
      value: 'N',
      help: `maximum tokens to write; default: ${defaultMaxTokens}`,
    },
    special: { type: 'boolean', help: 'turn names of special tokens in the prompt into these tokens' },
  },
  async run(values) {
    const given = text(values, 'prompt') ?? '';
    const prompt = given.startsWith('@') ? readText(given.slice(1)) : given;
    if (prompt === '') throw new UsageError('--prompt needs a text to continue');
    const maxTokens = count(values, 'max-tokens') ?? defaultMaxTokens;
    await withEngine(values, async (engine) => {
      const isJson = values.json === true;
      const tokens = engine.tokenize(prompt, values.special === true);
      const left = engine.info.contextTokens - tokens.length;
      if (left < 1)
        throw new Error(`the prompt has ${tokens.length} tokens; the context has ${engine.info.contextTokens}`);
      const adapter = text(values, 'adapter');
      const request = { tokens, maxTokens: Math.min(maxTokens, left), ...(adapter !== undefined && { adapter }) };
      const result = await engine.generate(request, (written) => {
        if (!isJson) process.stdout.write(written);
      });
      if (isJson) printJson({ text: result.text, finishReason: result.finishReason, timings: result.timings });
      else print('');
    });
  },
};
