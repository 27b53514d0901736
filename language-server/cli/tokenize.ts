// hearth tokenize TEXT | --file FILE
import {
  type Command,
  engineOptions,
  onlyOperand,
  printJson,
  readText,
  text,
  UsageError,
  withEngine,
} from './command.ts';

export const tokenizeCommand: Command = {
  summary: 'print the token ids of a text as an array',
  operands: '[TEXT]',
  options: {
    ...engineOptions,
    file: { type: 'string', value: 'FILE', help: 'read the text from a file' },
    special: { type: 'boolean', help: 'turn names of special tokens into these tokens' },
  },
  async run(values, operands) {
    const file = text(values, 'file');
    if (file !== undefined && operands.length > 0) throw new UsageError('give TEXT or --file, not both');
    const content = file === undefined ? onlyOperand(operands, 'TEXT') : readText(file);
    await withEngine(values, async (engine) => printJson([...engine.tokenize(content, values.special === true)]));
  },
};
