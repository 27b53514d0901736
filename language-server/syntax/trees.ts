// The trees of the documents that are worked on, for the whole process. A document's tree is made when it is asked for,
// out of its last one and of what differs between the texts, so nobody needs to report changes. It takes no longer than
// the budget: what is not done then is done in pauses, and until then there is the last tree, or none.
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
/** Of all documents together. A tree takes 20 to 80 bytes a character. */
export const maxCharsOfAll = 2_000_000;
/** How long a text is parsed in pauses; each text that takes longer halves that for the next one. */
const patienceMs = 4000;
const pauseMs = 1;
const maxWaitMs = 1000;

/** By URI, the least recently used first. */
const documents = new Map<string, DocumentTree>();

/**
 * The tree of a text. It is for use at once: it may be deleted as soon as another text of the document is asked for, or 16
 * other documents. null: there is none yet, or none at all.
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
    return current.of(text);
  } catch (error) {
    giveUp(loaded.grammar, error);
    forgetTree(uri);
    return null;
  }
}

/** Deletes the trees of the documents that were not asked for longest. chars: of the one that was asked for last. */
function makeRoom(chars: number): void {
  let others = [...documents.values()].slice(0, -1).reduce((sum, each) => sum + each.chars, 0);
  for (const [uri, { chars: itsChars }] of [...documents].slice(0, -1)) {
    if (documents.size <= maxTrees && others + chars <= maxCharsOfAll) break;
    forgetTree(uri);
    others -= itsChars;
  }
}

/** The same, but it takes no other document's place: null, too, if this one is none of the last 16. */
export function keptTreeOf(source: SourceText): SyntaxTree | null {
  return documents.has(source.uri) ? treeOf(source) : null;
}

/** Loads the grammar and begins to parse, so that the tree is there when it is needed. */
export async function prepareTree(source: SourceText): Promise<void> {
  if (await loadGrammar(source.languageId)) treeOf(source);
}

/**
 * The same for those who can wait: what is not about a key. The tree is for use at once, too. null: there is none, or it
 * takes longer than a second.
 */
export async function wholeTreeOf(source: SourceText): Promise<SyntaxTree | null> {
  if (!(await loadGrammar(source.languageId))) return null;
  const end = performance.now() + maxWaitMs;
  for (let tree = treeOf(source); performance.now() < end; tree = treeOf(source)) {
    if (tree?.isCurrent) return tree;
    if (!documents.get(source.uri)?.isParsing) return null;
    await sleep(pauseMs);
  }
  return null;
}

/** Call when the document is closed. Of its parts and variants, which have its URI and a fragment, there are no trees either. */
export function forgetTree(uri: string): void {
  for (const [each, document] of documents) {
    if (each !== uri && !each.startsWith(`${uri}#`)) continue;
    document.delete();
    documents.delete(each);
  }
}

const refusedChunks = new WeakMap<object, boolean>();

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

class DocumentTree {
  /** The last one that is whole. */
  private tree: SyntaxTree | null = null;
  /** The text that is being parsed, or that has taken too long. */
  private wanted: LongText | null = null;
  private parsing: Parsing | null = null;
  /** The last whole tree, moved to the wanted text. */
  private moved: SyntaxTree | null = null;
  private pause: NodeJS.Timeout | undefined;
  private spentMs = 0;
  private patienceMs = patienceMs;

  constructor(readonly loaded: LoadedGrammar) {}

  get chars(): number {
    return this.wanted?.length ?? this.tree?.text.length ?? 0;
  }

  get isParsing(): boolean {
    return this.parsing !== null;
  }

  of(text: LongText): SyntaxTree | null {
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
    this.spentMs = 0;
  }

  private step(): void {
    clearTimeout(this.pause);
    if (!this.parsing) return;
    const started = performance.now();
    const tree = this.parsing.step(budget.ms);
    if (tree) {
      this.delete();
      this.tree = tree;
      this.patienceMs = patienceMs;
      return;
    }
    this.spentMs += performance.now() - started;
    if (this.parsing.isHopeless || this.spentMs > this.patienceMs) {
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
