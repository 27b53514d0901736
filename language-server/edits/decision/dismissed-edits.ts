// The edits that the user has dismissed. An edit stays dismissed until the text at its place changes.
import type { DocumentChange } from '../../documents/open-document.ts';
import type { TextEdit } from '../text/text-edit.ts';

interface Dismissed extends TextEdit {
  uri: string;
}

// After this many, the oldest dismissed edit is forgotten and may be offered again.
const maxDismissed = 100;

export class DismissedEdits {
  private edits: Dismissed[] = [];

  add(uri: string, { start, end, text }: TextEdit): void {
    this.edits = [...this.edits, { uri, start, end, text }].slice(-maxDismissed);
  }

  /** Call with each change of a document. */
  follow({ uri, edit }: DocumentChange): void {
    const delta = edit.text.length - (edit.end - edit.start);
    this.edits = this.edits.flatMap((dismissed) => {
      if (dismissed.uri !== uri || dismissed.end < edit.start) return dismissed;
      if (dismissed.start <= edit.end && !isWhollyBefore(edit, dismissed)) return [];
      return { ...dismissed, start: dismissed.start + delta, end: dismissed.end + delta };
    });
  }

  of(uri: string): TextEdit[] {
    return this.edits.filter((edit) => edit.uri === uri);
  }

  /** Whether the user has dismissed any edit that overlaps or touches this one, whatever its text. */
  has(uri: string, { start, end }: TextEdit): boolean {
    return this.of(uri).some((dismissed) => dismissed.start <= end && start <= dismissed.end);
  }

  clear(): void {
    this.edits = [];
  }

  forget(uri: string): void {
    this.edits = this.edits.filter((edit) => edit.uri !== uri);
  }
}

/** Whether the change only inserts or removes whole lines directly above the dismissed edit. */
function isWhollyBefore(edit: TextEdit, { start }: TextEdit): boolean {
  return edit.end === start && (edit.text === '' || edit.text.endsWith('\n'));
}
