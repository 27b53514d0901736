// npm run tool -- completions FILE.jsonl… --out FOLDER: examples of completions, to train an adapter with or to measure
// one. Each FILE.jsonl is a repository: a line for each file, {path, language, text, isOther}. Files with isOther are
// only context for the others. The server's own code makes the prompts and decides what the model should write.
import { createWriteStream, existsSync, mkdirSync, renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import {
  type Command,
  count,
  engineOptions,
  print,
  UsageError,
  withEngine,
} from '../../../language-server/cli/command.ts';
import { OpenDocument } from '../../../language-server/documents/open-document.ts';
import { ClosedFiles } from '../../../language-server/related-code/closed-files.ts';
import { RelatedCode } from '../../../language-server/related-code/related-code.ts';
import { forgetTree } from '../../../language-server/syntax/trees.ts';
import type { Engine } from '../../../native/index.ts';
import { type Random, randomFrom } from '../gates/cut-places.ts';
import { loadGrammars } from '../gates/recording.ts';
import { readJsonLines, required } from '../input.ts';
import { exampleAt } from './example.ts';
import { Lines, typedPlace } from './typed-places.ts';

// Shorter files say little about a place, and longer ones take the parser too long.
const fileChars = { least: 600, most: 14_000 };
const triesOfFile = 4;
/** The most other files that are open in the editor. */
const maxOpen = 3;

interface File {
  uri: string;
  path: string;
  language: string;
  text: string;
  isOther: boolean;
}

export const completionsCommand: Command = {
  summary:
    'make examples of completions from repositories, as tokens: the prompt, and the answer that a model should write',
  operands: 'FILE.jsonl…',
  options: {
    ...engineOptions,
    out: { type: 'string', value: 'FOLDER', help: 'write a file for each repository there, unless it exists' },
    most: { type: 'string', value: 'N', help: 'examples of each repository; default: 900' },
    'of-file': { type: 'string', value: 'N', help: 'examples of each file; default: 6' },
    cases: { type: 'boolean', help: 'also write the text before and after the cursor' },
    seed: { type: 'string', value: 'N', help: 'seed of the random choices; default: 1' },
  },
  async run(values, operands) {
    const out = required(values, 'out', 'FOLDER');
    if (operands.length === 0) throw new UsageError('expected a FILE.jsonl');
    mkdirSync(out, { recursive: true });
    await loadGrammars();
    const most = count(values, 'most') ?? 900;
    const random = randomFrom(count(values, 'seed') ?? 1);
    const ofFile = count(values, 'of-file') ?? 6;
    await withEngine(values, async (engine) => {
      for (const operand of operands) {
        const target = join(out, basename(operand));
        if (existsSync(target)) continue;
        const startedAt = performance.now();
        const written = createWriteStream(`${target}.part`);
        let made = 0;
        for await (const example of examplesOf(engine, operand, ofFile, random)) {
          const { place, ...rest } = example;
          written.write(`${JSON.stringify(values.cases ? { ...rest, ...place } : rest)}\n`);
          if (++made >= most) break;
        }
        await new Promise((resolve) => written.end(resolve));
        renameSync(`${target}.part`, target);
        print(`${basename(operand)}: ${made} examples, ${Math.round(performance.now() - startedAt)} ms`);
      }
    });
  },
};

async function* examplesOf(engine: Engine, source: string, ofFile: number, random: Random) {
  const name = basename(source, '.jsonl');
  const repository = { uri: `file:///${encodeURIComponent(name)}`, name: name.replace(/^.*\+/, '') };
  const files = filesOf(source, repository.uri);
  const closed = new ClosedFiles();
  for (const { uri, text } of files) closed.set({ uri, text });
  for (const file of shuffled(files, random)) {
    const { length } = file.text;
    if (file.isOther || length < fileChars.least || length > fileChars.most) continue;
    const open = shuffled(neighbours(file, files), random).slice(0, Math.floor(random() * (maxOpen + 1)));
    const documents = open.map(({ uri, language, text }) => OpenDocument.create(uri, language, 1, text));
    const own = { current: OpenDocument.create(file.uri, file.language, 1, file.text) };
    const related = new RelatedCode(
      {
        openDocuments: () => [own.current, ...documents],
        folders: () => [repository],
        related: (question) => Promise.resolve({ defined: [], shared: question.documents }),
      },
      closed,
    );
    const lines = new Lines(file.text);
    let made = 0;
    for (let tries = 0; tries < ofFile * triesOfFile && made < ofFile; tries++) {
      const place = typedPlace(lines, random);
      if (!place) continue;
      own.current = OpenDocument.create(file.uri, file.language, 1, place.prefix + place.suffix);
      const example = await exampleAt(engine, related, own.current, place, random);
      if (!example) continue;
      made++;
      yield { path: file.path, language: file.language, source: name, ...example, place };
    }
    for (const { uri } of [file, ...open]) forgetTree(uri);
  }
}

function filesOf(source: string, root: string): File[] {
  return readJsonLines(source).map(({ entry }) => {
    const { path, language, text, isOther } = entry as unknown as File;
    return { uri: `${root}/${path.split('/').map(encodeURIComponent).join('/')}`, path, language, text, isOther };
  });
}

/** The other files in the file's folder. */
function neighbours(file: File, files: readonly File[]): File[] {
  const folderOf = ({ path }: File) => path.replace(/[^/]*$/, '');
  return files.filter(
    (other) => other !== file && other.language === file.language && folderOf(other) === folderOf(file),
  );
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  return items
    .map((item) => ({ item, key: random() }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ item }) => item);
}
