// npm run tool -- key-path: lists the files and functions of language-server/ that run for one key, from the request to
// its answer. A fake engine answers; V8 counts the calls.
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { type Command, print, printJson } from '../../language-server/cli/command.ts';
import { OpenDocument } from '../../language-server/documents/open-document.ts';
import { CompletionProvider } from '../../language-server/offers/provider.ts';
import { defaultSettings } from '../../language-server/protocol/settings.ts';
import { FakeEngine, loaded } from '../../test/fixtures/fake-engine.ts';

const uri = 'file:///shop/prices.ts';
const before = `export const baseRate = 0.19;

export function withTax(price: number): number {
  return price * (1 + baseRate);
}

export function total(prices: number[]): number {
  const sum = pri`;
const after = '\n  return sum;\n}\n';
const answer = 'ces.reduce((all, price) => all + price, 0);\n';

export const keyPathCommand: Command = {
  summary: 'the files and functions that run for one key',
  operands: '',
  options: {
    functions: { type: 'boolean', help: 'name the functions, too' },
    json: { type: 'boolean', help: 'print JSON' },
  },
  async run(values) {
    const files = await functionsOfAKey();
    if (values.json) return printJson(Object.fromEntries(files));
    const all = [...files.values()].flat();
    for (const [file, names] of [...files].sort(([, a], [, b]) => b.length - a.length))
      print(`${String(names.length).padStart(4)} ${file}${values.functions ? `: ${names.join(' ')}` : ''}`);
    const named = all.filter((name) => name !== anonymous).length;
    print(`${files.size} files, ${all.length} functions, of which ${named} have a name`);
  },
};

const anonymous = '=>';

/** The names of the functions that are called, by file. */
async function functionsOfAKey(): Promise<Map<string, string[]>> {
  const provider = new CompletionProvider();
  const engine = loaded(new FakeEngine({ respond: () => answer }));
  const ask = (text: string, version: number) => {
    const document = OpenDocument.create(uri, 'typescript', version, text + after);
    const request = { document, position: document.positionAt(text.length), context: { triggerKind: 2 as const } };
    return provider.provide(request, engine, () => defaultSettings);
  };
  await ask(before.slice(0, -4), 1); // an earlier key has placed the anchor
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const { items } = await ask(before, 2);
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  if (items.length === 0) throw new Error('the key got no text, so it did not take the whole path');
  const bundle = result.find(({ url }) => url.endsWith(__filename));
  const fileAt = filesOfBundle();
  const files = new Map<string, string[]>();
  for (const { functionName, ranges } of bundle?.functions ?? []) {
    const [range] = ranges;
    const file = range && range.count > 0 ? fileAt(range.startOffset) : '';
    if (file.startsWith('language-server/')) files.set(file, [...(files.get(file) ?? []), functionName || anonymous]);
  }
  return files;
}

/**
 * Returns a function that finds the source file of the code at an offset of the bundle. esbuild names each file in a
 * comment before its code.
 */
function filesOfBundle(): (offset: number) => string {
  const starts = [...readFileSync(__filename, 'utf8').matchAll(/^\/\/ (\S+\.(?:ts|json))$/gm)];
  return (offset) => starts.findLast(({ index }) => index < offset)?.[1] ?? '';
}
