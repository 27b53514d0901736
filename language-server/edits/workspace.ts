// The documents that a search for next edits reads: the one that the user is editing and other open ones, with the
// history of the edits in them.
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

/** Documents as they are now, or as they would be after an edit. */
export interface Workspace {
  /** The one that the user is editing comes first. */
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
  /** If the edit renames something: the edits of all other lines of the document, applied together with this one. */
  otherLines: TextEdit[];
  probability: number;
}

// This many other documents are searched: those that the user edited last.
const maxOthers = 6;
const editorLimitMs = 300;
const none: string[] = [];

/** The open documents of a window. */
export class OpenDocuments {
  /** The URIs of the documents that the user has edited, in the order of their last edits. */
  private readonly edited = new Set<string>();

  constructor(
    private readonly editor: EditorWindow,
    private readonly history: EditHistory,
  ) {}

  of(uri: string): OpenDocument | undefined {
    return this.editor.openDocuments().find((document) => document.uri === uri);
  }

  noteEdit(uri: string): void {
    this.edited.delete(uri);
    this.edited.add(uri);
  }

  forget(uri: string): void {
    this.edited.delete(uri);
  }

  async workspace(document: OpenDocument, cursor: number): Promise<Workspace> {
    const all = [document, ...(await this.others(document))].map((open) => this.searched(open));
    // The history knows documents by their paths, but all untitled documents of a language have the same path.
    const documents = all.filter(({ path }, i) => all.findIndex((other) => other.path === path) === i);
    const byUri = new Map(documents.map((searched) => [searched.uri, searched]));
    const edits = this.history.edits((uri) => byUri.get(uri)?.text);
    const history = edits.map(({ uri, ...edit }) => ({ path: byUri.get(uri)?.path ?? '', ...edit }));
    return { documents, cursor, history };
  }

  /** The other open documents, without those that are excluded, ignored by git, or in an untrusted workspace. */
  private async others({ uri }: OpenDocument): Promise<OpenDocument[]> {
    const isUsable = (other: OpenDocument) =>
      other.uri !== uri && !hasSecretName(other.uri) && other.text.length <= maxChars && !hasSecret(other.text);
    const order = [...this.edited];
    const rank = (other: OpenDocument) => order.indexOf(other.uri);
    // Unedited documents come after the edited ones, the last opened one first.
    const usable = this.editor.openDocuments().filter(isUsable).reverse();
    const chosen = usable.sort((a, b) => rank(b) - rank(a)).slice(0, maxOthers);
    if (chosen.length === 0) return [];
    const question = { uri, positions: [], documents: chosen.map((other) => other.uri) };
    const answer = this.editor.related(question).then(
      ({ shared }) => shared,
      () => none,
    );
    const shared = await Promise.race([answer, sleep(editorLimitMs, none, { ref: false })]);
    return chosen.filter((other) => shared.includes(other.uri));
  }

  private searched({ uri, languageId, text }: OpenDocument): SearchedDocument {
    const { path } = promptPlace(uri, languageId, this.editor.folders());
    return { uri, languageId, path, text };
  }
}

/** The workspace as it would be after the edit, with the cursor after the last word that the edit changes. */
export function after({ documents, history }: Workspace, edit: FoundEdit): Workspace {
  const { document, changes, oldText, otherLines } = edit;
  const made = [...otherLines, edit];
  const fromBelow = made.toSorted((a, b) => b.start - a.start);
  const text = fromBelow.reduce((now, next) => now.with(next.start, next.end, next.text), document.text);
  const upToHere = made.filter(({ start }) => start <= edit.start);
  const grown = upToHere.reduce((sum, next) => sum + next.text.length - (next.end - next.start), 0);
  const cursor = (changes.at(-1)?.end ?? edit.end) + grown;
  const others = documents.filter(({ uri }) => uri !== document.uri);
  // The edits of other lines only replace a name, so only the edit itself may add lines.
  const added = edit.text.split('\n').length - oldText.split('\n').length;
  const line = document.text.lineAt(edit.start);
  const earlier = history.map((past) => {
    const isBelow = past.path === document.path && past.line !== undefined && past.line > line;
    return isBelow ? { ...past, line: (past.line ?? 0) + added } : past;
  });
  return {
    documents: [{ ...document, text }, ...others],
    cursor,
    history: [...earlier, ...made.map((next) => pastEdit(document, next))],
  };
}

/** The edit as the history will have it: in whole lines, without those that stay as they are. */
function pastEdit({ path, text }: SearchedDocument, edit: TextEdit): PastEdit {
  const line = text.lineAt(edit.start);
  const head = text.slice(text.lineStart(line), edit.start);
  const [tail = ''] = head === '' ? [] : (/^[^\r\n]*/.exec(text.slice(edit.end, edit.end + maxChars)) ?? []);
  const whole = (part: string) => withPlainBreaks(head + part + tail);
  const [before, now] = [whole(text.slice(edit.start, edit.end)), whole(edit.text)];
  if (!now.startsWith(`${before}\n`)) return { path, before, after: now, line };
  return { path, before: '', after: now.slice(before.length + 1), line: line + 1 };
}
