// The edits that the user has dismissed. Each is kept with its place until the text there changes.
import type { DocumentChange } from '../../documents/open-document.ts';
import type { TextEdit } from '../text/text-edit.ts';

interface Dismissed extends TextEdit {
  uri: string;
}

// If the user dismisses more, the oldest may be offered again.
const most = 100;

export class DismissedEdits {
  private edits: Dismissed[] = [];

  add(uri: string, { start, end, text }: TextEdit): void {
    this.edits = [...this.edits, { uri, start, end, text }].slice(-most);
  }

  /** Call with each change of a document. */
  follow({ uri, edit }: DocumentChange): void {
    const delta = edit.text.length - (edit.end - edit.start);
    this.edits = this.edits.flatMap((each) => {
      if (each.uri !== uri || each.end < edit.start) return each;
      if (each.start <= edit.end && !isWhollyBefore(edit, each)) return [];
      return { ...each, start: each.start + delta, end: each.end + delta };
    });
  }

  of(uri: string): TextEdit[] {
    return this.edits.filter((each) => each.uri === uri);
  }

  /** Whether an edit was dismissed at this place, whatever the new one would write there. */
  has(uri: string, { start, end }: TextEdit): boolean {
    return this.of(uri).some((each) => each.start <= end && start <= each.end);
  }

  clear(): void {
    this.edits = [];
  }

  forget(uri: string): void {
    this.edits = this.edits.filter((each) => each.uri !== uri);
  }
}

/** Whether the change inserts or removes whole lines above the dismissed edit. */
function isWhollyBefore(edit: TextEdit, { start }: TextEdit): boolean {
  return edit.end === start && (edit.text === '' || edit.text.endsWith('\n'));
}
