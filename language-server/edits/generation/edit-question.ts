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
  /** The lines of the window as the answer says; undefined if it is not of the format. */
  parse(answer: string): string | undefined;
}

export interface EditFormat {
  /** Undefined if the text contains what marks the parts of the prompt, so that it cannot be asked about. */
  ask(engine: Engine, document: EditedDocument): EditQuestion | undefined;
}
