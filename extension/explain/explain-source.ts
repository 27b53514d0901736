// The selection to explain, and the title of its page. The selection may be in a file, an untitled document, a notebook
// cell or one side of a diff.
import { basename } from 'node:path';
import { l10n, type Range, type TextDocument, type TextEditor, workspace } from 'vscode';
import type { Selection } from './explain-conversation.ts';

export function selectionOf({ document, selection }: TextEditor): Selection {
  return {
    // The server judges by the file's name whether the file may hold secrets, so the URI must end with this name,
    // without the query of a diff's side or the fragment of a notebook cell.
    uri: document.uri.with({ query: '', fragment: '' }).toString(),
    text: document.getText(selection),
    range: { start: selection.start, end: selection.end },
    languageId: document.languageId,
    firstLine: selection.start.line + 1,
  };
}

export function pageTitle({ document, selection }: TextEditor): string {
  const cell = cellNumber(document);
  const parts = [fileName(document), ...(cell > 0 ? [l10n.t('cell {0}', cell)] : []), lineNumbers(selection)];
  return parts.join(', ');
}

/** The path in the workspace; for a document outside of it, such as the old side of a diff, its name. */
function fileName({ uri }: TextDocument): string {
  const path = workspace.asRelativePath(uri);
  return path === uri.fsPath ? basename(path) : path;
}

/** The number of the notebook cell (the first is 1); 0 if the document is not a cell. */
function cellNumber(document: TextDocument): number {
  const cells = workspace.notebookDocuments.flatMap((notebook) => notebook.getCells());
  const cell = cells.find((candidate) => candidate.document === document);
  return cell ? cell.index + 1 : 0;
}

function lineNumbers({ start, end }: Range): string {
  // A selection of whole lines ends at the start of the next line, which does not belong to it.
  const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
  if (last === start.line) return l10n.t('line {0}', last + 1);
  return l10n.t('lines {0}–{1}', start.line + 1, last + 1);
}
