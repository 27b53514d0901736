// Finds the edit that follows from a rename, in documents that are given as texts.
import { LongText } from '../../language-server/documents/long-text.ts';
import { namesakesIn, renamedUses, renamesHere } from '../../language-server/edits/proposals/renames/renamed-uses.ts';
import { renamesIn } from '../../language-server/edits/proposals/renames/renames.ts';
import type { PastEdit, TextEdit } from '../../language-server/edits/text/text-edit.ts';
import { loadGrammar } from '../../language-server/syntax/runtime.ts';
import { forgetTree } from '../../language-server/syntax/trees.ts';

interface Place {
  path: string;
  languageId: string;
  text: string;
  cursor: number;
}

/**
 * The next use of what was renamed, and a function that says whether an edit changes a namesake instead. Of other
 * files, only the lines that the history's edits wrote are known.
 */
export async function nextUse(
  { path, languageId, text, cursor }: Place,
  history: readonly PastEdit[],
  isDismissed: (edit: TextEdit) => boolean = () => false,
): Promise<{ use: TextEdit | undefined; isNamesake: (edit: TextEdit) => boolean }> {
  const named = (name: string, content: string) => ({
    ...{ uri: `next-use:${name}`, path: name, languageId },
    text: LongText.of(content),
  });
  const document = named(path, text);
  const written = new Map<string, string>();
  for (const edit of history)
    if (edit.path !== path) written.set(edit.path, `${written.get(edit.path) ?? ''}${edit.after}\n`);
  await loadGrammar(languageId);
  const documents = [document, ...[...written].map(([name, content]) => named(name, content))];
  const here = await renamesHere(document, await renamesIn(documents, history));
  const found = { use: renamedUses(document, cursor, here, isDismissed)?.next, isNamesake: namesakesIn(text, here) };
  for (const { uri } of documents) forgetTree(uri);
  return found;
}
