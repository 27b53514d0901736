// The question to a model that was trained on next edits, and how to read its answer.
import type { Engine } from '../../../native/index.ts';
import type { EditedDocument } from '../text/text-edit.ts';

/** Whole lines of the document. */
export interface EditWindow {
  /** Offsets in the document. */
  start: number;
  end: number;
  /** Ends with a line feed, even if the document does not. */
  text: string;
}

export interface EditQuestion {
  window: EditWindow;
  prompt: Uint32Array;
  /** The answer that changes nothing, with its end token; empty if more than one answer changes nothing. */
  unchanged: Uint32Array;
  stopTokens: Uint32Array;
  /** The control tokens that an answer may contain, with their names. */
  names: ReadonlyMap<number, string>;
  /** The window's text after the edit in the answer; undefined if the answer does not have the format. */
  parse(answer: string): string | undefined;
}

export interface EditFormat {
  /** Undefined if the model cannot be asked, for example because the text contains marks of the prompt's format. */
  ask(engine: Engine, document: EditedDocument): EditQuestion | undefined;
}
