// npm run tool -- tree-cost FILE…: the cost of syntax trees. Opens the first 2,000 lines of all files at once. At
// places all over the files, types some keys and then checks a suggestion: first at one place in each file, then at the
// next place in each. Times are CPU times.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { type Command, print, printJson, UsageError } from '../../language-server/cli/command.ts';
import { LongText } from '../../language-server/documents/long-text.ts';
import { languageIdOf } from '../../language-server/prompt/document-path.ts';
import { faultsOf, isWorse } from '../../language-server/syntax/faults.ts';
import { loadGrammar } from '../../language-server/syntax/runtime.ts';
import { type SourceText, treeOf, wholeTreeOf } from '../../language-server/syntax/trees.ts';

const [linesPerFile, placesPerFile, keysPerPlace] = [2000, 60, 6];

interface Cost {
  file: string;
  languageId: string;
  chars: number;
  openMs: number;
  keyMs: Spread;
  suggestionMs: Spread;
  /** The number of keys after which the tree was not ready in time. */
  late: number;
}

interface Spread {
  p50: number;
  p95: number;
  most: number;
}

export const treeCostCommand: Command = {
  summary: 'the cost of syntax trees, per key and in memory',
  operands: 'FILE…',
  options: { json: { type: 'boolean', help: 'print JSON' } },
  async run(values, operands) {
    if (operands.length === 0) throw new UsageError('FILE… is missing');
    const before = process.memoryUsage.rss();
    for (const path of operands) await loadGrammar(languageIdOf(path));
    const loaded = process.memoryUsage.rss();
    const files = [];
    for (const path of operands) files.push(await OpenFile.open(path));
    const opened = process.memoryUsage.rss();
    for (let place = 0; place < placesPerFile; place++) for (const file of files) file.typeAt(place);
    const typed = process.memoryUsage.rss();
    const mib = { grammars: inMiB(loaded - before), trees: inMiB(opened - loaded), typing: inMiB(typed - opened) };
    if (values.json) return printJson({ files: files.map(({ cost }) => cost), mib });
    for (const { cost } of files)
      print(
        `${cost.file} (${cost.languageId}, ${cost.chars} chars): first tree ` +
          `${cost.openMs.toFixed(0)} ms; a key ${spread(cost.keyMs)}, late ${cost.late}; a suggestion ${spread(cost.suggestionMs)}`,
      );
    print(
      `${files.length} documents: the grammars ${mib.grammars} MiB, the trees ${mib.trees}, after typing ${mib.typing} more`,
    );
  },
};

class OpenFile {
  private readonly keyMs: number[] = [];
  private readonly suggestionMs: number[] = [];
  private late = 0;

  private constructor(
    private source: SourceText,
    private readonly openMs: number,
  ) {}

  static async open(path: string): Promise<OpenFile> {
    const text = LongText.of(readFileSync(path, 'utf8').split('\n').slice(0, linesPerFile).join('\n'));
    const source = { uri: path, languageId: languageIdOf(path), text };
    if (!(await loadGrammar(source.languageId))) throw new UsageError(`${path} is in a language without a grammar`);
    const started = cpuNow();
    await wholeTreeOf(source);
    return new OpenFile(source, cpuNow() - started);
  }

  get cost(): Cost {
    const { uri, languageId, text } = this.source;
    const { openMs, late } = this;
    const spreads = { keyMs: spreadOf(this.keyMs), suggestionMs: spreadOf(this.suggestionMs) };
    return { file: basename(uri), languageId, chars: text.length, openMs, late, ...spreads };
  }

  /** Above a line, types the line's beginning once more, and checks the line's rest as if it were the suggestion. */
  typeAt(place: number): void {
    const { text } = this.source;
    const line = Math.floor(((place + 0.5) / placesPerFile) * (text.lineCount - 1));
    const [start, end] = [text.lineStart(line), text.lineStart(line + 1)];
    const written = text.slice(start, end).trimEnd();
    const indentation = written.length - written.trimStart().length;
    this.insert(start, `${written.slice(0, indentation)}\n`);
    let at = start + indentation;
    for (const key of written.slice(indentation, indentation + keysPerPlace)) this.insert(at++, key);
    const rest = written.slice(indentation + keysPerPlace);
    const started = cpuNow();
    const base = treeOf(this.source);
    const tree = base?.withText(at, at, rest);
    if (base && tree) isWorse(base, tree, { start: at, end: at + rest.length });
    tree?.delete();
    this.suggestionMs.push(cpuNow() - started);
    // Takes the typed line out again, so that the document keeps its length.
    const { text: now } = this.source;
    this.source = { ...this.source, text: now.with(start, at + 1, '') };
    treeOf(this.source);
  }

  private insert(at: number, typed: string): void {
    this.source = { ...this.source, text: this.source.text.with(at, at, typed) };
    const started = cpuNow();
    const tree = treeOf(this.source);
    if (tree) faultsOf(tree);
    this.keyMs.push(cpuNow() - started);
    if (!tree?.isCurrent) this.late++;
  }
}

/** This process's CPU time in ms, which other programs do not affect. */
function cpuNow(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function spreadOf(times: readonly number[]): Spread {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (fraction: number) => sorted[Math.floor(fraction * (sorted.length - 1))] ?? 0;
  return { p50: at(0.5), p95: at(0.95), most: at(1) };
}

const spread = ({ p50, p95, most }: Spread) => `${p50.toFixed(2)}, ${p95.toFixed(1)}, ${most.toFixed(1)} ms`;
const inMiB = (bytes: number) => Math.round(bytes / 2 ** 20);
