// The messages about next edits. A next edit is an edit at another place that follows from the user's last ones.
import type { Mode, Settings, VersionedPosition } from './messages.ts';
import type { Reason } from './reasons.ts';
import { NotificationType, RequestType } from './wire.ts';

export type Eagerness = Settings['nextEdit'];

/** The event that made the client ask. */
export type NextEditTrigger = 'line-left' | 'pause' | 'accepted' | 'applied' | 'diagnostic' | 'saved';

/**
 * Client -> server request: asks for the edit that follows from the user's last edits, in this document or in another
 * open one. The search runs in the background, and the next key cancels it.
 */
export const nextEditRequest = new RequestType<NextEditParams, NextEditAnswer>('hearth/nextEdit');
export interface NextEditParams extends VersionedPosition {
  uri: string;
  trigger: NextEditTrigger;
  /** The mode of the document. */
  mode?: Mode;
}
export interface NextEditAnswer {
  reason: Reason;
  edit: NextEdit | null;
  latencyMs: number;
}

/** An edit of whole lines, or an insertion in a line. New lines are inserted at the end of the line before. */
export interface NextEdit {
  uri: string;
  /** The version of the document to which the positions refer. */
  version: number;
  range: Range;
  oldText: string;
  newText: string;
  /** The difference as changes of single words, in order and without overlaps. All positions refer to the old text. */
  changes: Change[];
  /**
   * If the edit renames something: the same rename in all other lines of the document, word by word. It is shown and
   * applied together with the edit.
   */
  otherChanges?: Change[];
  /** The probability that the user would make this edit. */
  probability: number;
}

interface Change {
  range: Range;
  text: string;
}

interface Range {
  start: { line: number; character: number };
  end: { line: number; character: number };
}

/** Client -> server: the user has dismissed the edit. It is not offered at this place again. */
export const dismissEditNotification = new NotificationType<NextEdit>('hearth/dismissEdit');
