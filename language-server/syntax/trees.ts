// Keeps the syntax trees of the documents in use, for the whole process. treeOf() makes a tree when a caller asks for
// it, from the document's last tree and the difference between the two texts, so nobody needs to report changes. No
// call takes longer than the budget in syntax-tree.ts. If a tree needs more time, parsing goes on in the background.
// Until it is done, the caller gets the last tree with its nodes moved, or none.
import { setTimeout as sleep } from 'node:timers/promises';
import type { LongText } from '../documents/long-text.ts';
import type { Grammar } from './grammars.ts';
import { giveUp, type LoadedGrammar, loadedGrammar, loadGrammar } from './runtime.ts';
import { budget, Parsing, type SyntaxTree } from './syntax-tree.ts';

/** A document, open or not. */
export interface SourceText {
  uri: string;
  languageId: string;
  text: LongText;
}

export const maxTrees = 16;
/** Longer documents have no tree. */
export const maxChars = 500_000;
/** The longest that all documents with trees may be together. A tree takes 20 to 80 bytes per character. */
export const maxCharsOfAll = 2_000_000;
/**
 * How long a text is parsed in the background before parsing is given up. Each text that is given up halves this time
 * for the next text of the document.
 */
const initialPatienceMs = 4000;
/** The pause between two steps in the background. */
const pauseMs = 1;
/**
 * How many times wholeTreeOf() looks for the tree. A look and the pause after it take about 11 ms, so all of them take
 * about a second. Looks are counted, not timed, because each takes longer on a busy machine.
 */
const maxLooks = 90;

/** By URI, the least recently used first. */
const documents = new Map<string, DocumentTree>();

/**
 * The tree of a text. Use it at once: it may be deleted when somebody asks for another text of the same document, or
 * for trees of 16 other documents. null: there is no tree yet, or there will be none.
 */
export function treeOf({ uri, languageId, text }: SourceText): SyntaxTree | null {
  const loaded = loadedGrammar(languageId);
  const isRefused = text.length > maxChars || (loaded !== null && cannotCopeWith(loaded.grammar, text));
  const known = documents.get(uri);
  documents.delete(uri);
  const document = known?.loaded === loaded ? known : null;
  if (!document || isRefused) known?.delete();
  if (!loaded) void loadGrammar(languageId);
  if (!loaded || isRefused) return null;
  const current = document ?? new DocumentTree(loaded);
  documents.set(uri, current);
  makeRoom(text.length);
  try {
    return current.treeFor(text);
  } catch (error) {
    giveUp(loaded.grammar, error);
    forgetTree(uri);
    return null;
  }
}

/**
 * Deletes the least recently used trees until the others are within the limits. currentChars: the length of the
 * document that was used last, whose tree is kept.
 */
function makeRoom(currentChars: number): void {
  let otherChars = [...documents.values()].slice(0, -1).reduce((sum, each) => sum + each.chars, 0);
  for (const [uri, { chars }] of [...documents].slice(0, -1)) {
    if (documents.size <= maxTrees && otherChars + currentChars <= maxCharsOfAll) break;
    forgetTree(uri);
    otherChars -= chars;
  }
}

/**
 * Like treeOf(), but never takes the place of another document's tree: null if this document is not one of those kept.
 */
export function keptTreeOf(source: SourceText): SyntaxTree | null {
  return documents.has(source.uri) ? treeOf(source) : null;
}

/** Loads the grammar and begins to parse, so that the tree is ready when it is needed. */
export async function prepareTree(source: SourceText): Promise<void> {
  if (await loadGrammar(source.languageId)) treeOf(source);
}

/**
 * Like treeOf(), but waits up to a second for the tree of exactly this text, so do not use it to answer a key. null:
 * there is no such tree, or it takes longer.
 */
export async function wholeTreeOf(source: SourceText): Promise<SyntaxTree | null> {
  if (!(await loadGrammar(source.languageId))) return null;
  for (let looks = 0; looks < maxLooks; looks++) {
    const tree = treeOf(source);
    if (tree?.isCurrent) return tree;
    if (!documents.get(source.uri)?.isParsing) return null;
    await sleep(pauseMs);
  }
  return null;
}

/**
 * Call when the document is closed. Also deletes the trees of its parts and variants: their URIs are the document's
 * URI, followed by "#" and a fragment.
 */
export function forgetTree(uri: string): void {
  for (const [each, document] of documents) {
    if (each !== uri && !each.startsWith(`${uri}#`)) continue;
    document.delete();
    documents.delete(each);
  }
}

const refusedChunks = new WeakMap<object, boolean>();

/** Whether the text contains something that the grammar cannot parse safely. */
function cannotCopeWith({ refused }: Grammar, { chunks }: LongText): boolean {
  return (
    refused !== null &&
    chunks.some((chunk) => {
      const isRefused = refusedChunks.get(chunk) ?? refused.test(chunk.text);
      refusedChunks.set(chunk, isRefused);
      return isRefused;
    })
  );
}

/** The last tree of one document, and the parsing of its newest text. */
class DocumentTree {
  /** The last tree that was parsed to the end. */
  private tree: SyntaxTree | null = null;
  /** The text that is being parsed, or whose parsing was given up. */
  private wanted: LongText | null = null;
  private parsing: Parsing | null = null;
  /** A copy of `tree` with its nodes moved to where they are in `wanted`. */
  private moved: SyntaxTree | null = null;
  private pause: NodeJS.Timeout | undefined;
  private patienceMs = initialPatienceMs;

  constructor(readonly loaded: LoadedGrammar) {}

  get chars(): number {
    return this.wanted?.length ?? this.tree?.text.length ?? 0;
  }

  get isParsing(): boolean {
    return this.parsing !== null;
  }

  treeFor(text: LongText): SyntaxTree | null {
    if (this.tree?.text !== text) {
      if (this.wanted !== text) this.begin(text);
      this.step();
    }
    return this.tree?.text === text ? this.tree : this.moved;
  }

  delete(): void {
    this.stop();
    this.tree?.delete();
    this.tree = null;
  }

  private begin(text: LongText): void {
    this.stop();
    this.wanted = text;
    this.moved = this.tree?.movedTo(text) ?? null;
    this.parsing = this.moved?.parse() ?? new Parsing(this.loaded, text);
  }

  private step(): void {
    clearTimeout(this.pause);
    if (!this.parsing) return;
    const tree = this.parsing.step(budget.ms);
    if (tree) {
      this.delete();
      this.tree = tree;
      this.patienceMs = initialPatienceMs;
      return;
    }
    if (this.parsing.isHopeless || this.parsing.spentMs > this.patienceMs) {
      this.parsing.end();
      this.parsing = null;
      this.patienceMs /= 2;
    } else this.pause = setTimeout(() => this.step(), pauseMs).unref();
  }

  private stop(): void {
    clearTimeout(this.pause);
    this.parsing?.end();
    this.moved?.delete();
    this.parsing = null;
    this.moved = null;
    this.wanted = null;
  }
}
