// The parsers: tree-sitter's runtime and the grammars, all WebAssembly in one memory, each loaded when it is first needed.
// A grammar that fails, be it while loading or in the middle of a text, is not used again in this process.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Language, Parser } from 'web-tree-sitter';
import { type Grammar, grammarOf } from './grammars.ts';

export interface LoadedGrammar {
  readonly grammar: Grammar;
  hasFailed: boolean;
  readonly language: Language;
  /** The words of the grammar, such as "if": its anonymous nodes that are words. */
  readonly keywords: ReadonlySet<string>;
}

/** Beside the bundles, or in dist/ when run from the sources or from build/. */
const folders = [['grammars'], ['..', 'dist', 'grammars'], ['..', '..', 'dist', 'grammars']].map((parts) =>
  join(__dirname, ...parts),
);
const fileOf = (name: string) => join(folders.find((each) => existsSync(each)) ?? folders[0] ?? '', `${name}.wasm`);

let runtime: Promise<void> | undefined;
/** By their rows, since two may have one file. */
const loading = new Map<Grammar, Promise<void>>();
const loaded = new Map<Grammar, LoadedGrammar>();

/** Resolves to whether the language has a grammar that can be used. */
export function loadGrammar(languageId: string): Promise<boolean> {
  const grammar = grammarOf(languageId);
  if (!grammar) return Promise.resolve(false);
  const promise = loading.get(grammar) ?? load(grammar);
  loading.set(grammar, promise);
  return promise.then(() => loaded.has(grammar));
}

/** null: the language has none, or it is not loaded, or it has failed. */
export function loadedGrammar(languageId: string): LoadedGrammar | null {
  const grammar = grammarOf(languageId);
  return (grammar && loaded.get(grammar)) ?? null;
}

async function load(grammar: Grammar): Promise<void> {
  try {
    runtime ??= readFile(fileOf('web-tree-sitter')).then((wasmBinary) => Parser.init({ wasmBinary }));
    await runtime;
    const language = await Language.load(await readFile(fileOf(`tree-sitter-${grammar.name}`)));
    loaded.set(grammar, { grammar, hasFailed: false, language, keywords: keywordsOf(language) });
  } catch (error) {
    giveUp(grammar, error);
  }
}

export function giveUp(grammar: Grammar, error: unknown): void {
  const failed = loaded.get(grammar);
  if (failed) failed.hasFailed = true;
  loaded.delete(grammar);
  console.error(`The grammar ${grammar.name} has failed and is not used until the next start: ${error}`);
}

/** What a grammar that has failed has left in memory: freeing it could fail, too, and so it is not left to the collector. */
const left: { delete(): void }[] = [];

export function free({ hasFailed }: LoadedGrammar, object: { delete(): void }): void {
  if (hasFailed) left.push(object);
  else object.delete();
}

function keywordsOf(language: Language): ReadonlySet<string> {
  const words = new Set<string>();
  for (let id = 0; id < language.nodeTypeCount; id++) {
    const type = language.nodeTypeForId(id);
    if (type && !language.nodeTypeIsNamed(id) && /^[a-z]+$/i.test(type)) words.add(type);
  }
  return words;
}
