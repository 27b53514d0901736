// Loads tree-sitter's runtime and the grammars when they are first needed. All are WebAssembly and share one memory. A
// grammar that fails, while it is loaded or while it parses, is not used again in this process.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Language, Parser } from 'web-tree-sitter';
import { type Grammar, grammarOf } from './grammars.ts';

export interface LoadedGrammar {
  readonly grammar: Grammar;
  hasFailed: boolean;
  readonly language: Language;
  /** The words of the language, such as "if": the types of the grammar's anonymous nodes that are words. */
  readonly keywords: ReadonlySet<string>;
}

/** Where the grammars can be: beside the bundles, or in dist/ if this runs from the sources or from build/. */
const folders = [['grammars'], ['..', 'dist', 'grammars'], ['..', '..', 'dist', 'grammars']].map((parts) =>
  join(__dirname, ...parts),
);
const fileOf = (name: string) => join(folders.find((each) => existsSync(each)) ?? folders[0] ?? '', `${name}.wasm`);

let runtime: Promise<void> | undefined;
/** The key is the row in grammars.ts, not the file's name, since two rows can use the same file. */
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

/** The grammar of a language; null: there is none, it is not loaded, or it has failed. */
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

/** Logs that a grammar has failed, and stops using it. */
export function giveUp(grammar: Grammar, error: unknown): void {
  const failed = loaded.get(grammar);
  if (failed) failed.hasFailed = true;
  loaded.delete(grammar);
  console.error(`The grammar ${grammar.name} has failed and is not used until the next start: ${error}`);
}

/**
 * Objects of failed grammars. Freeing one could fail, too, so we keep them here, where the garbage collector cannot
 * free them either.
 */
const unfreed: { delete(): void }[] = [];

/** Frees an object in the runtime's memory, unless its grammar has failed. */
export function free({ hasFailed }: LoadedGrammar, object: { delete(): void }): void {
  if (hasFailed) unfreed.push(object);
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
