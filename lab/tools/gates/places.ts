// npm run tool -- places FOLDER… --out FOLDER: makes places for `record` and `gates`: places where text was cut out of
// files, and sessions in which lines of files are typed.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type Command, count, print, text, UsageError } from '../../../language-server/cli/command.ts';
import { languageIdOf } from '../../../language-server/prompt/document-path.ts';
import { makeTrace } from '../make-trace.ts';
import { formatTrace } from '../trace.ts';
import { cutPlace, type Random, randomFrom, type SourceFile } from './cut-places.ts';
import { loadGrammars, sessionFiles } from './recording.ts';

const maxFileChars = 40_000;
const minFileLines = 12;
const sessionLines = 10;
const tries = 40;

export const placesCommand: Command = {
  summary: 'make places and typing sessions for `record` and `gates` from the files in folders',
  operands: 'FOLDER…',
  options: {
    out: { type: 'string', value: 'FOLDER', help: 'cuts.jsonl and session-N.jsonl are written there' },
    cuts: { type: 'string', value: 'N', help: 'number of places cut out of files; default: 1200' },
    sessions: { type: 'string', value: 'N', help: 'number of sessions, ten lines each; default: 30' },
    seed: { type: 'string', value: 'N', help: 'seed of the random choices; default: 1' },
  },
  async run(values, folders) {
    await loadGrammars();
    const out = text(values, 'out');
    if (out === undefined || folders.length === 0) throw new UsageError('expected --out FOLDER and a FOLDER');
    const files = folders.flatMap((folder) => sourcesIn(folder));
    const random = randomFrom(count(values, 'seed') ?? 1);
    const places = evenly(files, count(values, 'cuts') ?? 1200, random, cutPlace);
    const sessions = evenly(files, count(values, 'sessions') ?? 30, random, session);
    mkdirSync(out, { recursive: true });
    // An earlier run might have left more session files than this one writes.
    for (const name of sessionFiles(out)) rmSync(join(out, name));
    writeFileSync(join(out, 'cuts.jsonl'), places.map((each) => `${JSON.stringify(each)}\n`).join(''));
    for (const [i, each] of sessions.entries()) writeFileSync(join(out, `session-${i + 1}.jsonl`), each);
    print(`${places.length} places and ${sessions.length} sessions from ${files.length} files`);
  },
};

function sourcesIn(folder: string): SourceFile[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name)).sort();
  return paths.flatMap((path) => {
    const language = languageIdOf(path);
    if (language === '' || /\/\.git\/|node_modules|vendor\/|\.min\.|-lock\./.test(path)) return [];
    const text = readFileSync(path, 'utf8').replaceAll('\r\n', '\n');
    const lines = text.split('\n');
    const isWrittenByHand =
      lines.length >= minFileLines && text.length <= maxFileChars && lines.every(({ length }) => length < 300);
    return isWrittenByHand ? [{ path: relative(folder, path), language, text }] : [];
  });
}

/** Makes `wanted` items from random files, the same number for each language, as far as there are files. */
function evenly<T>(
  files: SourceFile[],
  wanted: number,
  random: Random,
  make: (file: SourceFile, random: Random) => T | null,
): T[] {
  const languages = [...new Set(files.map(({ language }) => language))];
  const made: T[] = [];
  for (let i = 0; i < wanted * tries && made.length < wanted; i++) {
    const language = languages[i % languages.length];
    const own = files.filter((file) => file.language === language);
    const file = own[Math.floor(random() * own.length)];
    const each = file && make(file, random);
    if (each) made.push(each);
  }
  return made;
}

/** A trace that types lines of the file again, in an editor that closes brackets. */
function session({ path, text }: SourceFile, random: Random): string | null {
  const rows = text.split('\n').length;
  if (rows < sessionLines * 2) return null;
  const line = 2 + Math.floor(random() * (rows - sessionLines - 2));
  return formatTrace(makeTrace(path, text, { line, lines: sessionLines, intervalMs: 140, autoClose: true }));
}
