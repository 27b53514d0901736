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
  run: (values, operands) =>
    withEngine(values, async (engine) => {
      const { path, code } = linesOf(onlyOperand(operands, 'FILE:FROM-TO'));
      const isJson = values.json === true;
      const result = await explain(engine, code, languageIdOf(path), (text) => {
        if (!isJson) process.stdout.write(text);
      });
      if (isJson) printJson(result);
      else print('');
    }),
};

function linesOf(place: string): { path: string; code: string } {
  const [, path, from, to] = /^(.+):(\d+)-(\d+)$/.exec(place) ?? [];
  if (path === undefined) throw new UsageError(`"${place}" is not of the form FILE:FROM-TO`);
  const lines = readText(path).split('\n');
  const selected = lines.slice(Math.max(0, Number(from) - 1), Number(to));
  if (selected.length === 0) throw new Error(`${path} has ${lines.length} lines; ${from}-${to} selects none`);
  return { path, code: selected.join('\n') };
}
