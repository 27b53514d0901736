// hearth explain FILE:FROM-TO
import { pathToFileURL } from 'node:url';
import { explain } from '../explain/explanations.ts';
import { languageIdOf } from '../prompt/document-path.ts';
import {
  type Command,
  engineOptions,
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
    const { path, code, first } = linesOf(onlyOperand(operands, 'FILE:FROM-TO'));
    await withEngine(values, async (engine, traits) => {
      const isJson = values.json === true;
      const uri = pathToFileURL(path).href;
      const request = { uri, text: code, languageId: languageIdOf(path), turns: [{ answer: '' }], attempt: 0 };
      const result = await explain({ engine, traits }, request, (text) => {
        if (!isJson) process.stdout.write(text);
      });
      if (isJson) return printJson(result);
      print('');
      if (result.linesRead === undefined) return;
      const lastLine = first + result.linesRead - 1;
      console.error(`The lines do not all fit into the model's context: they were read only up to line ${lastLine}.`);
    });
  },
};

function linesOf(place: string): { path: string; code: string; first: number } {
  const [, path, from, to] = /^(.+):(\d+)-(\d+)$/.exec(place) ?? [];
  if (path === undefined) throw new UsageError(`"${place}" is not of the form FILE:FROM-TO`);
  const lines = readText(path).split('\n');
  const first = Number(from);
  const last = Number(to);
  if (first < 1 || last < first || last > lines.length)
    throw new Error(`${path} has lines 1 to ${lines.length}; there are no lines ${from} to ${to}`);
  return { path, code: lines.slice(first - 1, last).join('\n'), first };
}
