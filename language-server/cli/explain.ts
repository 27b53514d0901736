// hearth explain FILE:FROM-TO
import { explain } from '../explain/provider.ts';
import {
  type Command,
  engineOptions,
  languageIdOf,
  onlyOperand,
  print,
  printJson,
  readText,
  UsageError,
  withEngine,
} from './command.ts';

export const explainCommand: Command = {
  summary: 'explain lines of a file',
  operands: 'FILE:FROM-TO',
  options: engineOptions,
  async run(values, operands) {
    const { path, code } = linesOf(onlyOperand(operands, 'FILE:FROM-TO'));
    await withEngine(values, async (engine) => {
      const isJson = values.json === true;
      const result = await explain(engine, code, languageIdOf(path), (text) => {
        if (!isJson) process.stdout.write(text);
      });
      if (isJson) printJson(result);
      else print('');
    });
  },
};

function linesOf(place: string): { path: string; code: string } {
  const [, path, from, to] = /^(.+):(\d+)-(\d+)$/.exec(place) ?? [];
  if (path === undefined) throw new UsageError(`"${place}" is not of the form FILE:FROM-TO`);
  const lines = readText(path).split('\n');
  const first = Number(from);
  const last = Number(to);
  if (first < 1 || last < first || last > lines.length)
    throw new Error(`${path} has lines 1 to ${lines.length}; there are no lines ${from} to ${to}`);
  return { path, code: lines.slice(first - 1, last).join('\n') };
}
