// What a model that was trained on next edits is asked, and how its answer is read.
import type { Engine } from '../../../native/index.ts';
import type { EditedDocument } from '../text/text-edit.ts';

/** Lines of the document. */
export interface EditWindow {
  start: number;
  end: number;
  /** Ends with a line feed, which the document may lack. */
  text: string;
}

export interface EditQuestion {
  window: EditWindow;
  prompt: Uint32Array;
  /** The answer that changes nothing, with the token that ends it; empty if there is no single one. */
  unchanged: Uint32Array;
  stopTokens: Uint32Array;
  /** Control tokens that may be in the answer, with their names. */
  names: ReadonlyMap<number, string>;
  /** The lines of the window as the answer says; undefined if it is not of the format. */
  parse(answer: string): string | undefined;
}

export interface EditFormat {
  /** Undefined if the text cannot be asked about, since it has what marks the parts of the prompt. */
  ask(engine: Engine, document: EditedDocument): EditQuestion | undefined;
}
