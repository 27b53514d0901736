// What a search for next edits reads: the document that is being edited, other open ones, and what was edited in them.
import { setTimeout as sleep } from 'node:timers/promises';
import type { LongText } from '../documents/long-text.ts';
import type { OpenDocument } from '../documents/open-document.ts';
import { promptPlace } from '../prompt/document-path.ts';
import { hasSecretName } from '../protocol/secret-names.ts';
import type { EditorWindow } from '../related-code/related-code.ts';
import { hasSecret } from '../secrets/secrets.ts';
import { type EditHistory, maxChars } from './history/edit-history.ts';
import { withPlainBreaks } from './text/plain-breaks.ts';
import type { PastEdit, TextEdit } from './text/text-edit.ts';

/** The documents as they are, or as they would be after an edit. */
export interface Workspace {
  /** The edited one comes first. */
  documents: readonly SearchedDocument[];
  /** The offset of the cursor in the first document. */
  cursor: number;
  /** Oldest first. */
  history: readonly PastEdit[];
}

export interface SearchedDocument {
  uri: string;
  languageId: string;
  path: string;
  text: LongText;
}

export interface FoundEdit extends TextEdit {
  document: SearchedDocument;
  oldText: string;
  /** The edit as changes of single words. */
  changes: TextEdit[];
  /** The same rename in all other lines of the document, applied together with this edit. */
  otherLines: TextEdit[];
  probability: number;
}

// At most this many other documents are searched: those that were edited last.
const maxOthers = 6;
const editorLimitMs = 300;
const none: string[] = [];

/** The open documents of a window. */
export class OpenDocuments {
  /** The documents that were edited, the latest last. */
  private readonly edited = new Set<string>();

  constructor(
    private readonly editor: EditorWindow,
    private readonly history: EditHistory,
  ) {}

  of(uri: string): OpenDocument | undefined {
    return this.editor.openDocuments().find((each) => each.uri === uri);
  }

  noteEdit(uri: string): void {
    this.edited.delete(uri);
    this.edited.add(uri);
  }

  forget(uri: string): void {
    this.edited.delete(uri);
  }

  async workspace(document: OpenDocument, cursor: number): Promise<Workspace> {
    const all = [document, ...(await this.others(document))].map((each) => this.searched(each));
    // The history knows documents by their paths, but all untitled documents of a language have the same path.
    const documents = all.filter(({ path }, i) => all.findIndex((each) => each.path === path) === i);
    const byUri = new Map(documents.map((each) => [each.uri, each]));
    const edits = this.history.edits((uri) => byUri.get(uri)?.text);
    const history = edits.map(({ uri, ...edit }) => ({ path: byUri.get(uri)?.path ?? '', ...edit }));
    return { documents, cursor, history };
  }

  /**
   * The other open documents that the editor shares: neither excluded, nor ignored by git, nor in an untrusted
   * workspace.
   */
  private async others({ uri }: OpenDocument): Promise<OpenDocument[]> {
    const isUsable = (each: OpenDocument) =>
      each.uri !== uri && !hasSecretName(each.uri) && each.text.length <= maxChars && !hasSecret(each.text);
    const order = [...this.edited];
    const rank = (each: OpenDocument) => order.indexOf(each.uri);
    // Unedited documents come last; among these, the one that was opened last comes first.
    const usable = this.editor.openDocuments().filter(isUsable).reverse();
    const last = usable.sort((a, b) => rank(b) - rank(a)).slice(0, maxOthers);
    if (last.length === 0) return [];
    const question = { uri, positions: [], documents: last.map((each) => each.uri) };
    const answer = this.editor.related(question).then(
      ({ shared }) => shared,
      () => none,
    );
    const shared = await Promise.race([answer, sleep(editorLimitMs, none, { ref: false })]);
    return last.filter((each) => shared.includes(each.uri));
  }

  private searched({ uri, languageId, text }: OpenDocument): SearchedDocument {
    const { path } = promptPlace(uri, languageId, this.editor.folders());
    return { uri, languageId, path, text };
  }
}

/** The workspace as it would be after the edit, with the cursor after the last word that it changes. */
export function after({ documents, history }: Workspace, edit: FoundEdit): Workspace {
  const { document, changes, oldText, otherLines } = edit;
  const made = [...otherLines, edit];
  const fromBelow = made.toSorted((one, other) => other.start - one.start);
  const text = fromBelow.reduce((now, each) => now.with(each.start, each.end, each.text), document.text);
  const upToHere = made.filter(({ start }) => start <= edit.start);
  const grown = upToHere.reduce((sum, each) => sum + each.text.length - (each.end - each.start), 0);
  const cursor = (changes.at(-1)?.end ?? edit.end) + grown;
  const others = documents.filter(({ uri }) => uri !== document.uri);
  // The other lines only get a new name, so only the edit itself may add lines.
  const added = edit.text.split('\n').length - oldText.split('\n').length;
  const line = document.text.lineAt(edit.start);
  const earlier = history.map((each) => {
    const isBelow = each.path === document.path && each.line !== undefined && each.line > line;
    return isBelow ? { ...each, line: (each.line ?? 0) + added } : each;
  });
  return {
    documents: [{ ...document, text }, ...others],
    cursor,
    history: [...earlier, ...made.map((each) => pastEdit(document, each))],
  };
}

function pastEdit({ path, text }: SearchedDocument, edit: TextEdit): PastEdit {
  const before = withPlainBreaks(text.slice(edit.start, edit.end));
  return { path, before, after: withPlainBreaks(edit.text), line: text.lineAt(edit.start) };
}
