// A text and its syntax. The tree lies in the memory of the runtime until it is deleted; its nodes must not be used after.
import { type Node, type ParseCallback, Parser, type Tree } from 'web-tree-sitter';
import type { LongText } from '../documents/long-text.ts';
import type { Grammar } from './grammars.ts';
import { free, giveUp, type LoadedGrammar } from './runtime.ts';
import { editBetween, reader, treeEdit } from './text-input.ts';

/** The time that a text may take at once. */
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
    /** false: this is an earlier tree, moved to where its text is now, as there was no time for more. */
    readonly isCurrent = true,
  ) {
    this.grammar = loaded.grammar;
    this.keywords = loaded.keywords;
  }

  get root(): Node {
    if (this.isDeleted) throw new Error('this tree has been deleted');
    return this.tree.rootNode;
  }

  /** The same tree, with its nodes where they are in another text. */
  movedTo(text: LongText): SyntaxTree {
    const edit = editBetween(this.text, text);
    const tree = this.tree.copy();
    if (edit) tree.edit(edit);
    return new SyntaxTree(this.loaded, text, tree, false);
  }

  /**
   * The tree of the text with another one in place of [start, end), for the caller to delete. null: there was no time for it,
   * or the grammar has failed.
   */
  withText(start: number, end: number, inserted: string, ms = budget.ms): SyntaxTree | null {
    const text = this.text.with(start, end, inserted);
    const old = this.tree.copy();
    old.edit(treeEdit(this.text, text, start, end));
    const parsing = new Parsing(this.loaded, text, old);
    const tree = parsing.step(ms);
    parsing.end();
    free(this.loaded, old);
    return tree;
  }

  /** Begins to parse the text, with what is left of the tree. */
  parse(): Parsing {
    return new Parsing(this.loaded, this.text, this.tree);
  }

  delete(): void {
    if (!this.isDeleted) free(this.loaded, this.tree);
    this.isDeleted = true;
  }
}

/** A step may take so much longer than it should before the text is cut short: a busy machine takes time, too. */
const cutFactor = 5;
const maxCuts = 3;
/** Between two steps of the parser. If there is more, another task of the machine has had it. */
const maxGapMs = 3;

/** The time since this call without what other tasks of the machine have had, if it is asked often. */
function ownTime(): () => number {
  let [spent, last] = [0, performance.now()];
  return () => {
    const now = performance.now();
    spent += Math.min(now - last, maxGapMs);
    last = now;
    return spent;
  };
}

/** A text that is being parsed, in as many steps as it takes. It must be ended. */
export class Parsing {
  private readonly parser: Parser;
  /** How often the parser had to be told that the text ends where it does not, and to begin again. */
  private cuts = 0;

  constructor(
    private readonly loaded: LoadedGrammar,
    readonly text: LongText,
    private readonly old: Tree | null = null,
  ) {
    this.parser = new Parser();
    this.parser.setLanguage(loaded.language);
  }

  get isHopeless(): boolean {
    return this.loaded.hasFailed || this.cuts === maxCuts;
  }

  /** Parses for about so long. null: there is more to do, or it is hopeless. */
  step(ms: number): SyntaxTree | null {
    if (this.isHopeless) return null;
    const spentMs = ownTime();
    const read = reader(this.text);
    let [isCut, isParsing] = [false, true];
    // The parser asks between its steps. Within one of them, a grammar may read all of the text again and again, and then
    // only the end of the text stops it. The tree reads the text of its nodes by this, too, as long as it lasts.
    const readInTime: ParseCallback = (index, position) => {
      isCut ||= isParsing && spentMs() > ms * cutFactor;
      return isCut ? undefined : read(index, position);
    };
    const progressCallback = () => isCut || spentMs() > ms;
    try {
      const tree = this.parser.parse(readInTime, this.old, { progressCallback });
      isParsing = false;
      if (!isCut) return tree && new SyntaxTree(this.loaded, this.text, tree);
      tree?.delete();
      this.parser.reset();
      this.cuts++;
    } catch (error) {
      giveUp(this.loaded.grammar, error);
    }
    return null;
  }

  end(): void {
    free(this.loaded, this.parser);
  }
}
