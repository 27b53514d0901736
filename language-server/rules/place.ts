// What the rules know about the cursor's place: which brackets are open, the lines around it, and the document that is
// completed. After a block's opener, that is the document as it would be after pressing Enter.
import type { CursorDocument, Surroundings } from '../prompt/text-window.ts';
import type { Language } from './languages.ts';
import type { Open, Within } from './scanner.ts';

/** How far a completion may go: to the end of the line, of the brackets, of the statement or of the block. */
export type Extent = 'line' | 'brackets' | 'statement' | 'block';

export interface Place {
  /** The document that the engine completes. */
  document: CursorDocument;
  language: Language;
  around: Surroundings;
  /** The brackets, quotes and comments that are open at the cursor, outermost first. */
  open: readonly Open[];
  /** Where the cursor's line begins, in the same coordinates as Open.at. */
  lineStart: number;
  /** The open brackets that nothing below closes, innermost first. */
  unclosed: readonly Open[];
  /** The closing brackets below that close nothing, in order: the text may open them. */
  surplus: readonly string[];
  /** Whether the document begins further up than was scanned. */
  isWindowCut: boolean;
  within: Within;
  extent: Extent;
  /** The indentation of the block's opener, or of the cursor's line. */
  depth: number;
  /** One level of indentation. */
  unit: string;
  /** A line break and indentation to insert before the text, as if Enter had been pressed; often empty. */
  lineBreak: string;
  /** The lines that close the block, to insert after the text; often empty. */
  tail: string;
  /** The number of characters after the cursor that the tail repeats and therefore replaces. */
  replaces: number;
  /** Whether only whole lines may be shown. */
  isWholeLines: boolean;
}
