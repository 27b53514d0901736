// A text with its syntax tree, and how it is parsed. The tree is in the runtime's memory until it is deleted. After
// that, its nodes must not be used.
import { type Node, type ParseCallback, Parser, type Tree } from 'web-tree-sitter';
import type { LongText } from '../documents/long-text.ts';
import type { Grammar } from './grammars.ts';
import { free, giveUp, type LoadedGrammar } from './runtime.ts';
import { editBetween, reader, treeEdit } from './text-input.ts';

/** The time limit for one step of parsing. */
export const budget = { ms: 10 };

export class SyntaxTree {
  readonly grammar: Grammar;
  /** The words of the grammar, such as "if". */
  readonly keywords: ReadonlySet<string>;
  private isDeleted = false;

  constructor(
    private readonly loaded: LoadedGrammar,
    readonly text: LongText,
    private readonly tree: Tree,
    /** false: this is the tree of an earlier text, with its nodes moved to where they are in this text. */
    readonly isCurrent = true,
  ) {
    this.grammar = loaded.grammar;
    this.keywords = loaded.keywords;
  }

  get root(): Node {
    if (this.isDeleted) throw new Error('this tree has been deleted');
    return this.tree.rootNode;
  }

  /** A copy of this tree with its nodes moved to where they are in a changed text. edit: the change; null: none. */
  movedTo(text: LongText, edit = editBetween(this.text, text)): SyntaxTree {
    const tree = this.tree.copy();
    if (edit) tree.edit(edit);
    return new SyntaxTree(this.loaded, text, tree, false);
  }

  /**
   * The tree of the text after [start, end) was replaced with `inserted`. The caller must delete it. null: parsing took
   * too long, or the grammar has failed.
   */
  withText(start: number, end: number, inserted: string, ms = budget.ms): SyntaxTree | null {
    const text = this.text.with(start, end, inserted);
    const moved = this.movedTo(text, treeEdit(this.text, text, start, end));
    const parsing = moved.parse();
    const tree = parsing.step(ms);
    parsing.end();
    moved.delete();
    return tree;
  }

  /** Begins to parse the text, and reuses the parts of this tree that are still right. */
  parse(): Parsing {
    return new Parsing(this.loaded, this.text, this.tree);
  }

  delete(): void {
    if (!this.isDeleted) free(this.loaded, this.tree);
    this.isDeleted = true;
  }
}

/**
 * A step that takes this many times its limit is stopped by cutting the text short. The factor leaves room for busy
 * machines.
 */
const cutFactor = 5;
/** After this many cuts, parsing the text is given up. */
const maxCuts = 3;
/** The longest time between two calls of the parser. If more has passed, another process had the CPU. */
const maxGapMs = 3;

/** Returns a clock that leaves out the time when other processes had the CPU. It must be read often. */
function ownTime(): () => number {
  let [spent, last] = [0, performance.now()];
  return () => {
    const now = performance.now();
    spent += Math.min(now - last, maxGapMs);
    last = now;
    return spent;
  };
}

/** The parsing of one text, in as many steps as it takes. Call end() afterwards. */
export class Parsing {
  private readonly parser: Parser;
  /** How often the text was cut short to stop the parser, which then begins again. */
  private cuts = 0;
  /** The time that all steps have taken, without the time when other processes had the CPU. */
  spentMs = 0;

  constructor(
    private readonly loaded: LoadedGrammar,
    readonly text: LongText,
    /** The tree of an earlier text, with its nodes moved to where they are in this text. */
    private readonly old: Tree | null = null,
  ) {
    this.parser = new Parser();
    this.parser.setLanguage(loaded.language);
  }

  get isHopeless(): boolean {
    return this.loaded.hasFailed || this.cuts === maxCuts;
  }

  /** Parses for about `ms`. null: the tree is not done yet, or parsing is hopeless. */
  step(ms: number): SyntaxTree | null {
    if (this.isHopeless) return null;
    const stepMs = ownTime();
    const read = reader(this.text);
    let [isCut, isParsing] = [false, true];
    // The parser calls progressCallback between its own steps. Within one of those, a grammar might read the text again
    // and again, and only the end of the text stops it. The tree keeps this function to read the text of its nodes, so
    // after parsing it must not cut anything.
    const readInTime: ParseCallback = (index, position) => {
      isCut ||= isParsing && stepMs() > ms * cutFactor;
      return isCut ? undefined : read(index, position);
    };
    const progressCallback = () => isCut || stepMs() > ms;
    try {
      const tree = this.parser.parse(readInTime, this.old, { progressCallback });
      isParsing = false;
      if (!isCut) return tree && new SyntaxTree(this.loaded, this.text, tree);
      tree?.delete();
      this.parser.reset();
      this.cuts++;
    } catch (error) {
      giveUp(this.loaded.grammar, error);
    } finally {
      this.spentMs += stepMs();
    }
    return null;
  }

  end(): void {
    free(this.loaded, this.parser);
  }
}
