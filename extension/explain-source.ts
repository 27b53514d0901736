// What is explained: the selection of an ordinary or untitled file, of a notebook's cell, or of either side of a diff.
import { basename } from 'node:path';
import { l10n, type Range, type TextDocument, type TextEditor, workspace } from 'vscode';
import type { Selection } from './explain-conversation.ts';

export function selectionOf({ document, selection }: TextEditor): Selection {
  return {
    // The sides of a diff and the cells of a notebook add to the path of the file, whose name says if it holds secrets.
    uri: document.uri.with({ query: '', fragment: '' }).toString(),
    text: document.getText(selection),
    languageId: document.languageId,
    firstLine: selection.start.line + 1,
  };
}

export function pageTitle({ document, selection }: TextEditor): string {
  const cell = cellNumber(document);
  const parts = [fileName(document), ...(cell > 0 ? [l10n.t('cell {0}', cell)] : []), lineNumbers(selection)];
  return parts.join(', ');
}

/** A path inside the workspace; of anything else, such as the old side of a diff, the name. */
function fileName({ uri }: TextDocument): string {
  const path = workspace.asRelativePath(uri);
  return path === uri.fsPath ? basename(path) : path;
}

/** Counted from 1; 0: not in a notebook. */
function cellNumber(document: TextDocument): number {
  const cells = workspace.notebookDocuments.flatMap((notebook) => notebook.getCells());
  const cell = cells.find((each) => each.document === document);
  return cell ? cell.index + 1 : 0;
}

function lineNumbers({ start, end }: Range): string {
  // Whole lines are selected up to the start of the next.
  const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
  if (last === start.line) return l10n.t('line {0}', last + 1);
  return l10n.t('lines {0}–{1}', start.line + 1, last + 1);
}
