// What a model that was trained on next edits is asked, and how its answer is read.
import type { Engine } from '../../../native/index.ts';
import type { EditedDocument } from '../text/text-edit.ts';

/** Whole lines of the document, with the offsets where they begin and end. */
export interface EditWindow {
  start: number;
  end: number;
  /** Ends with a line feed, which the document may lack. */
  text: string;
}

export interface EditQuestion {
  window: EditWindow;
  prompt: Uint32Array;
  /** The answer that changes nothing, with the token that ends it; empty if several answers change nothing. */
  unchanged: Uint32Array;
  stopTokens: Uint32Array;
  /** Control tokens that may be in the answer, with their names. */
  names: ReadonlyMap<number, string>;
  /** The new lines of the window according to the answer; undefined if the answer does not have the format. */
  parse(answer: string): string | undefined;
}

export interface EditFormat {
  /** Undefined if the model cannot be asked, for example because the text contains marks of the prompt's format. */
  ask(engine: Engine, document: EditedDocument): EditQuestion | undefined;
}
