// Finds the function around the selected code: a few lines alone often do not show their purpose.
import type { OpenDocument } from '../documents/open-document.ts';
import type { ExplainParams } from '../protocol/messages.ts';
import { functionAround } from '../syntax/outline.ts';
import { wholeTreeOf } from '../syntax/trees.ts';

/** The function's text; null if there is none, or if the document no longer has the selected code at this place. */
export async function functionOf(
  document: OpenDocument,
  selected: string,
  range: NonNullable<ExplainParams['range']>,
): Promise<string | null> {
  const { text } = document;
  const [start, end] = [document.offsetAt(range.start), document.offsetAt(range.end)];
  if (text.slice(start, end) !== selected) return null;
  const tree = await wholeTreeOf({ ...document, text });
  if (!tree) return null;
  const indentation = selected.length - selected.trimStart().length;
  const found = functionAround(tree, start + indentation, start + selected.trimEnd().length);
  if (!found) return null;
  // The text begins at the start of the function's first line, so that all lines keep their indentation.
  return text.slice(text.lineStart(text.lineAt(found.startIndex)), found.endIndex);
}
