// Reads off the syntax tree what kind of place the cursor is at, and how far a completion may go there.
import { type CursorDocument, type Surroundings, surroundings } from '../prompt/text-window.ts';
import type { Settings } from '../protocol/messages.ts';
import { badness, extentOf, faultsOf } from '../syntax/faults.ts';
import { grammarOf } from '../syntax/grammars.ts';
import { loadedGrammar, loadGrammar } from '../syntax/runtime.ts';
import type { SyntaxTree } from '../syntax/syntax-tree.ts';
import { treeOf } from '../syntax/trees.ts';
import { type AddedClosers, type Block, blockAbove, blockAt, openAt } from './blocks.ts';
import { type Code, codeAt } from './embedded.ts';
import { lineBefore, unitOf } from './indentation.ts';
import { Mend } from './mend.ts';
import { type Kind, kindOf, plainBlockAt, plainWithin } from './plain.ts';
import { closersOnly } from './signs.ts';
import { type TextAround, textAt, type Within } from './texts.ts';

/** How far a completion may go: to the end of the line, of the statement or of the block, or without limit. */
export type Extent = 'line' | 'statement' | 'block' | 'all';

export type { Within };

export interface Place {
  /** The document as the editor has it. */
  source: CursorDocument;
  /** The document that the engine completes, perhaps with a line break inserted at the cursor. */
  document: CursorDocument;
  /** The code around the cursor: the document, or a part of it in another language. */
  code: Code;
  /** The code with closers for what it leaves open at the cursor; null if it leaves nothing open. */
  mended: Mended | null;
  kind: Kind;
  around: Surroundings;
  within: Within;
  /** The comment or the string around the cursor. */
  textAround: TextAround;
  /** The brackets that are open at the cursor, innermost first. */
  open: readonly string[];
  extent: Extent;
  /** The empty block around the cursor. */
  block: Block | null;
  /** One level of indentation. */
  unit: string;
  /** A line break and indentation to insert before the text, as if Enter had been pressed; often empty. */
  lineBreak: string;
  /** The lines that close the block, to insert after the text; often empty. */
  tail: string;
  /** The number of characters after the cursor that the tail repeats and therefore replaces. */
  replaces: number;
}

interface Mended {
  code: Code;
  mend: Mend;
  /** Where the closers are in the code's text. */
  addedClosers: AddedClosers;
}

/** Resolves when the grammar of the code around the cursor is loaded; null: it is loaded already, or there is none. */
export function grammarFor(document: CursorDocument): Promise<unknown> | null {
  const { languageId } = codeAt(document);
  return grammarOf(languageId) && !loadedGrammar(languageId) ? loadGrammar(languageId) : null;
}

/** The tree of the code around the cursor, mended if it is broken there; null if there is none. */
export function treeAt({ code, mended }: Pick<Place, 'code' | 'mended'>): SyntaxTree | null {
  return treeOf(mended?.code ?? code);
}

/** The code with closers for what it leaves open, if that has fewer faults than the code itself. */
function mendedAt(code: Code, at: number): Mended | null {
  const grammar = grammarOf(code.languageId);
  const hasBraces = grammar?.closers.length === 0 && grammar.heads === null;
  const mend = grammar && Mend.at(code.text, at, hasBraces ? ' {}' : '');
  if (!mend) return null;
  const lineEnd = at + mend.suffix.length;
  const variant = (each: Mend): Mended => ({
    code: each.isComplete
      ? code
      : { ...code, uri: `${code.uri}#mended`, text: code.text.with(lineEnd, lineEnd, each.closers) },
    mend: each,
    addedClosers: { start: lineEnd, end: lineEnd + each.closers.length },
  });
  let best = variant(mend);
  let leastFaulty = faultiness(best.code, best.addedClosers);
  if (mend.isComplete) return leastFaulty.near === 0 ? null : best;
  const isHead = hasBraces && !isBareWord(`${lineBefore(code.text, at)}${mend.suffix}`.trim(), treeOf(best.code));
  for (const each of [variant(mend.asHead), { code, addedClosers: { start: lineEnd, end: lineEnd }, mend: null }]) {
    if (leastFaulty.all === 0) break;
    if (each.mend && (leastFaulty.near === 0 || !isHead)) continue;
    const now = faultiness(each.code, each.addedClosers);
    if (now.all > leastFaulty.all || (now.all === leastFaulty.all && now.extent >= leastFaulty.extent)) continue;
    if (!each.mend) return null;
    [best, leastFaulty] = [each, now];
  }
  return best;
}

/** Whether the line is one name or unfinished word, so that it is no head of a block yet. */
function isBareWord(line: string, tree: SyntaxTree | null): boolean {
  return /^\w+$/.test(line) && tree?.keywords.has(line) !== true;
}

/** How broken the code is: in all, and (`near`) around the line at whose end closers were added. */
function faultiness(code: Code, { start, end }: AddedClosers): { all: number; extent: number; near: number } {
  const tree = treeOf(code);
  if (!tree) return { all: Number.POSITIVE_INFINITY, extent: 0, near: Number.POSITIVE_INFINITY };
  const faults = faultsOf(tree);
  const lineStart = start - lineBefore(code.text, start).length;
  const near = faults.filter((fault) => fault.start <= end + 1 && fault.end >= lineStart).length;
  return { all: badness(tree), extent: extentOf(faults), near };
}

/**
 * The place at the cursor. In the first column of a line of code, a completion adds lines above that line. The
 * suggestion then replaces the line and repeats it at its end, because editors do not show a suggestion that ends with
 * a line break.
 */
export function placeAt(document: CursorDocument, multiline: Settings['completion.multiline']): Place {
  const { linePrefix, lineSuffix } = surroundings(document.text, document.offset);
  if (linePrefix !== '' || !/\w/.test(lineSuffix)) return placeIn(document, multiline);
  const text = document.text.with(document.offset, document.offset, '\n');
  const place = placeIn({ ...document, text, uri: `${document.uri}#above` }, multiline);
  const { document: moved } = place;
  return {
    ...place,
    source: document,
    document: { ...moved, uri: document.uri },
    code: codeAt(document),
    mended: null,
    tail: `${place.tail}\n${lineSuffix}`,
    replaces: lineSuffix.length,
  };
}

function placeIn(document: CursorDocument, multiline: Settings['completion.multiline']): Place {
  const around = surroundings(document.text, document.offset);
  const code = codeAt(document);
  const at = document.offset - code.start;
  const mended = mendedAt(code, at);
  const tree = treeAt({ code, mended });
  const addedClosers = mended?.addedClosers ?? { start: 0, end: 0 };
  const kind = kindOf(code.languageId);
  const textAround = tree ? textAt(tree, at, addedClosers) : plainWithin(around.linePrefix);
  const unit = unitOf(document.text, document.offset, tree?.grammar.indent ?? 2);
  const place: Place = {
    source: document,
    document,
    code,
    mended,
    kind,
    around,
    within: kind === 'prose' ? 'comment' : textAround.within,
    textAround,
    open: tree ? openAt(tree, at).map(({ type }) => type) : [],
    extent: 'line',
    unit,
    block: null,
    lineBreak: '',
    tail: '',
    replaces: 0,
  };
  if (multiline === 'never' || place.within !== 'code') return place;
  const block = tree ? blockAt(tree, at, around, unit, addedClosers) : plainBlockAt(kind, around);
  if (block) return afterEnter(place, block);
  if (kind === 'data') return place;
  const { lineSuffix } = around;
  if (lineSuffix.trim() !== '') {
    const isInBrackets = closersOnly.test(lineSuffix) && place.open.length > 0;
    return { ...place, extent: isInBrackets ? 'statement' : 'line' };
  }
  const above = tree && around.linePrefix.trim() === '' ? blockAbove(tree, at, around, unit, addedClosers) : null;
  if (above)
    return { ...place, extent: multiline === 'always' ? 'all' : 'block', block: above, tail: closingLines(above) };
  return { ...place, extent: multiline === 'always' ? 'all' : 'statement' };
}

function closingLines({ closers, indentation }: Block): string {
  return closers === '' ? '' : `\n${indentation}${closers}`;
}

/** The place as it would be after pressing Enter right after what opens a block. */
function afterEnter(place: Place, block: Block): Place {
  const { around, document, unit, kind } = place;
  const { lineSuffix, linePrefix } = around;
  const { indentation } = block;
  const rest = lineSuffix.trim();
  const lineBreak = `\n${indentation}${unit}`;
  const { text, offset } = document;
  // A closing bracket that the editor has inserted moves to a line of its own.
  const blank = rest === '' ? 0 : lineSuffix.length - lineSuffix.trimStart().length;
  const moved = `\n${indentation}${block.closers}`;
  return {
    ...place,
    document: {
      ...document,
      text: text.with(offset, offset + blank, rest === '' ? lineBreak : lineBreak + moved),
      offset: offset + lineBreak.length,
    },
    around: {
      ...around,
      linePrefix: lineBreak.slice(1),
      lineSuffix: '',
      linesAbove: [linePrefix, ...around.linesAbove].slice(0, 3),
    },
    extent: kind === 'data' ? 'line' : 'block',
    block,
    lineBreak,
    tail: rest === '' ? closingLines(block) : `${moved}${rest}`,
    replaces: rest === '' ? 0 : lineSuffix.length,
  };
}
