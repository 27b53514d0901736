// Finds out from the syntax tree what kind of place the cursor is at, and how far a completion may go there.
import { type CursorDocument, type Surroundings, surroundings } from '../prompt/text-window.ts';
import type { Settings } from '../protocol/messages.ts';
import { badness, extentOf, faultsOf } from '../syntax/faults.ts';
import { grammarOf } from '../syntax/grammars.ts';
import { loadedGrammar, loadGrammar } from '../syntax/runtime.ts';
import { treeOf } from '../syntax/trees.ts';
import { type Block, emptyBlockAt, openAt } from './blocks.ts';
import { closersOnly } from './delimiters.ts';
import { type Code, codeAt } from './embedded.ts';
import { unitOf } from './indentation.ts';
import { Mend } from './mend.ts';
import { type Kind, kindOf } from './plain.ts';
import { inProse, type TextAround, textAt } from './texts.ts';

/** How far a completion may go: to the end of the line, of the statement or of the block, or without limit. */
type Extent = 'line' | 'statement' | 'block' | 'all';

/** The closer is that of the comment or string around the cursor. */
export interface Place extends TextAround {
  /** The document that the engine completes, perhaps with a line break inserted at the cursor. */
  document: CursorDocument;
  /** The code around the cursor: the document, or a part of it in another language, mended if it is broken there. */
  code: Code;
  kind: Kind;
  around: Surroundings;
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

/** Resolves when the grammar of the code around the cursor is loaded; null: it is loaded already, or there is none. */
export function grammarFor(document: CursorDocument): Promise<unknown> | null {
  const { languageId } = codeAt(document);
  return grammarOf(languageId) && !loadedGrammar(languageId) ? loadGrammar(languageId) : null;
}

/** The code with the closers that leave it with the fewest faults; unchanged if none help. */
function mended(code: Code): Code {
  const grammar = grammarOf(code.languageId);
  if (!grammar) return code;
  const hasBraces = grammar.closers.length === 0 && grammar.heads === null;
  const uri = `${code.uri}#mended`;
  const variants = Mend.allAt(code.text, code.offset, hasBraces).map(
    (mend): Code => ({ ...code, mend, uri, text: code.text.with(mend.at, mend.at, mend.closers) }),
  );
  if (variants.length === 0) return code;
  let best = code;
  let least = { badness: Number.POSITIVE_INFINITY, extent: 0 };
  for (const variant of [...variants, code]) {
    const tree = treeOf(variant);
    if (!tree) return code;
    const now = { badness: badness(tree), extent: extentOf(faultsOf(tree)) };
    const isBetter = now.badness < least.badness || (now.badness === least.badness && now.extent < least.extent);
    if (isBetter) [best, least] = [variant, now];
    if (now.badness === 0) break;
  }
  return best;
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
    document: { ...moved, uri: document.uri },
    code: codeAt(document),
    tail: `${place.tail}\n${lineSuffix}`,
    replaces: lineSuffix.length,
  };
}

function placeIn(document: CursorDocument, multiline: Settings['completion.multiline']): Place {
  const around = surroundings(document.text, document.offset);
  const code = mended(codeAt(document));
  const tree = treeOf(code);
  const kind = kindOf(code.languageId);
  const unit = unitOf(document.text, document.offset, tree?.grammar.indent ?? 2);
  const place: Place = {
    document,
    code,
    kind,
    around,
    ...(kind === 'prose' ? inProse : textAt(tree, code)),
    open: tree ? openAt(tree, code.offset).map(({ type }) => type) : [],
    extent: 'line',
    unit,
    block: null,
    lineBreak: '',
    tail: '',
    replaces: 0,
  };
  if (multiline === 'never' || place.within !== 'code') return place;
  const block = emptyBlockAt(code, tree, around, unit);
  if (block && around.linePrefix.trim() !== '') return afterEnter(place, block);
  if (kind === 'data') return place;
  const extent = multiline === 'always' ? 'all' : block ? 'block' : 'statement';
  if (around.lineSuffix.trim() === '') return { ...place, extent, block, tail: block ? closingLine(block) : '' };
  return { ...place, extent: closersOnly.test(around.lineSuffix) && place.open.length > 0 ? 'statement' : 'line' };
}

/** The line that closes the block, with what the editor has put after its closers. */
function closingLine({ closers, indentation }: Block, rest = ''): string {
  return closers + rest === '' ? '' : `\n${indentation}${closers}${rest}`;
}

/** The place as it would be if Enter were pressed at the cursor, which is right after the head of a block. */
function afterEnter(place: Place, block: Block): Place {
  const { document, unit, kind } = place;
  const { lineSuffix } = place.around;
  const lineBreak = `\n${block.indentation}${unit}`;
  // A closing bracket that the editor has inserted moves to a line of its own.
  const rest = lineSuffix.trimStart();
  const moved = rest === '' ? '' : `\n${block.indentation}${block.closers}`;
  const offset = document.offset + lineBreak.length;
  const restAt = document.offset + lineSuffix.length - rest.length;
  const text = document.text.with(document.offset, restAt, lineBreak + moved);
  return {
    ...place,
    document: { ...document, text, offset },
    // The model may repeat what was moved.
    around: { ...surroundings(text, offset), linesBelow: place.around.linesBelow },
    extent: kind === 'data' ? 'line' : 'block',
    block,
    lineBreak,
    tail: closingLine(block, rest),
    replaces: lineSuffix.length,
  };
}
