// After the user has renamed a declaration by typing, Tab renames all of its uses, but no namesake.
import { expect, test } from 'vitest';
import { LongText } from '../../../../../language-server/documents/long-text.ts';
import { pastChanges } from '../../../../../language-server/edits/history/past-changes.ts';
import { candidatesFor } from '../../../../../language-server/edits/proposals/candidates.ts';
import {
  namesakesIn,
  renamedUses,
  renamesHere,
} from '../../../../../language-server/edits/proposals/renames/renamed-uses.ts';
import { renamesIn } from '../../../../../language-server/edits/proposals/renames/renames.ts';
import { linesOf } from '../../../../../language-server/edits/text/lines.ts';
import {
  applyEdit,
  changesOf,
  type PastEdit,
  type TextEdit,
} from '../../../../../language-server/edits/text/text-edit.ts';
import { forgetTree } from '../../../../../language-server/syntax/trees.ts';
import { type RenameCase, renameCases } from '../../../../support/marked-renames.ts';

const lineOf = (text: string, line: number) => text.split('\n')[line] ?? '';

function typed({ files: [first], old, now, line, column, ...of }: RenameCase) {
  const text = first?.before ?? '';
  const before = lineOf(text, line);
  const after = before.slice(0, column) + now + before.slice(column + old.length);
  const start = text.split('\n').slice(0, line).join('\n').length + (line > 0 ? 1 : 0);
  const history: PastEdit[] = [{ path: first?.path ?? '', before, after, line }];
  return { ...of, text: applyEdit(text, { start, end: start + before.length, text: after }), history };
}

/** The texts after all offered edits, and the edits that the finders would still propose. */
async function followed(renameCase: RenameCase): Promise<{ texts: string[]; candidates: string[] }> {
  const { text, history, languageId } = typed(renameCase);
  const texts = renameCase.files.map(({ before }, i) => (i === 0 ? text : before));
  const documents = () =>
    renameCase.files.map(({ path }, i) => ({
      uri: `case:${path}`,
      languageId,
      path,
      text: LongText.of(texts[i] ?? ''),
    }));
  for (let tabs = 0; tabs < 30; tabs++) {
    const renames = await renamesIn(documents(), history);
    const isDone = await documents().reduce(async (done, document, i) => {
      if (!(await done)) return false;
      const use = renamedUses(document, -1, await renamesHere(document, renames), () => false)?.next;
      if (!use) return true;
      const current = texts[i] ?? '';
      const [path, line] = [document.path, document.text.lineAt(use.start)];
      const known = history.find((each) => each.path === path && each.line === line);
      if (known) known.after = use.text;
      else history.push({ path, before: current.slice(use.start, use.end), after: use.text, line });
      texts[i] = applyEdit(current, use);
      return false;
    }, Promise.resolve(true));
    if (isDone) break;
  }
  const renames = await renamesIn(documents(), history);
  const candidates: string[] = [];
  for (const document of documents()) {
    const isNamesake = namesakesIn(document.text.toString(), await renamesHere(document, renames));
    const place = { path: document.path, text: document.text.toString(), cursor: -1, history, isNamesake };
    // The rule does not decide about members of other objects: that is left to the model.
    const isRename = ({ start, end, text: now }: TextEdit) =>
      now === renameCase.now &&
      place.text.slice(start, end) === renameCase.old &&
      !/[.>]$/.test(place.text.slice(0, start));
    const edits = candidatesFor(place, linesOf(place.text), pastChanges(history));
    candidates.push(...edits.filter((edit) => changesOf(edit, place.text).some(isRename)).map((edit) => edit.text));
    forgetTree(document.uri);
  }
  return { texts, candidates };
}

test.each(renameCases().map((renameCase) => [renameCase.title, renameCase] as const))('%s', async (_, renameCase) => {
  const { texts, candidates } = await followed(renameCase);
  expect(texts).toEqual(renameCase.files.map(({ after }) => after));
  expect(candidates).toEqual([]);
});
