// Makes prompts as for an editor whose workspace has other files, none of them open. The prompts contain code from
// them.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { OpenDocument } from '../../language-server/documents/open-document.ts';
import { defaultLinesUp } from '../../language-server/prompt/anchor.ts';
import { Anchors } from '../../language-server/prompt/anchors.ts';
import { languageIdOf } from '../../language-server/prompt/document-path.ts';
import { promptBudget } from '../../language-server/prompt/fim-prompt.ts';
import type { CursorDocument } from '../../language-server/prompt/text-window.ts';
import { ClosedFiles } from '../../language-server/related-code/closed-files.ts';
import { RelatedCode } from '../../language-server/related-code/related-code.ts';
import type { Completer } from '../../native/index.ts';

// The starter model's budget for code from other files, on a machine that is fast enough.
const contextTokens = 512;

/** The workspaces in a folder: each of its subfolders is one. */
export class Workspaces {
  private readonly indexed = new Map<string, ClosedFiles>();

  constructor(private readonly folder: string) {}

  /**
   * The prompts for a place, with code from the other files in its workspace; null if no workspace has the place's
   * file.
   */
  async anchorsFor(
    engine: Completer,
    at: CursorDocument,
  ): Promise<{ document: CursorDocument; anchors: Anchors } | null> {
    const root = this.rootOf(at);
    if (root === null) return null;
    const document = { ...at, uri: pathToFileURL(join(root, at.uri)).href };
    const open = [OpenDocument.create(document.uri, at.languageId, 1, at.text.toString())];
    const window = {
      openDocuments: () => open,
      folders: () => [{ uri: pathToFileURL(root).href, name: relative(this.folder, root) }],
      related: () => Promise.resolve({ defined: [], shared: [] }),
    };
    const related = new RelatedCode(window, this.indexOf(root));
    const anchors = new Anchors(engine, defaultLinesUp, related.placeOf);
    anchors.prompt(document);
    const { prefixChars, suffixChars } = promptBudget(engine.info.contextTokens);
    const snippets = await related.gather(document, { before: prefixChars, after: suffixChars });
    anchors.setOtherCode(document, snippets, contextTokens);
    // The next anchor replaces the held one once it has been evaluated.
    anchors.nextPrefill(document)?.done();
    anchors.nextPrefill(document);
    return { document, anchors };
  }

  /**
   * The workspace of the place. If several have a file at its path, chooses the one whose file contains the text before
   * the cursor.
   */
  private rootOf({ uri: path, text, offset }: CursorDocument): string | null {
    const before = text.slice(0, offset);
    const hasFile = (root: string) => {
      const file = join(root, path);
      const isThere = statSync(file, { throwIfNoEntry: false })?.isFile() === true;
      return isThere && readFileSync(file, 'utf8').replaceAll('\r\n', '\n').includes(before);
    };
    const roots = readdirSync(this.folder).map((name) => join(this.folder, name));
    return roots.find(hasFile) ?? null;
  }

  private indexOf(root: string): ClosedFiles {
    const known = this.indexed.get(root);
    if (known) return known;
    const closed = new ClosedFiles();
    for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (!entry.isFile() || languageIdOf(path) === '') continue;
      closed.set({ uri: pathToFileURL(path).href, text: readFileSync(path, 'utf8') });
    }
    this.indexed.set(root, closed);
    return closed;
  }
}
