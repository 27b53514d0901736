// Draws the offered edit in the visible editors, and sets the context keys of the active one.
import { type Disposable, Range, type TextEditor, window } from 'vscode';
import type { NextEdit } from '../../language-server/protocol/next-edit.ts';
import { ContextKeys } from './context-keys.ts';
import { EditDecorations } from './decorations.ts';
import { insertionIn } from './insertion.ts';
import type { EditOffer, Step } from './offer.ts';
import { hint } from './texts.ts';

export class EditView implements Disposable {
  private readonly decorations: EditDecorations;
  private readonly keys = new ContextKeys();
  private isEmpty = true;

  /** icon: the path of the mark beside the line of an edit. */
  constructor(icon: string) {
    this.decorations = new EditDecorations(icon);
  }

  show(offer: EditOffer): void {
    const { shown } = offer;
    const editor = window.activeTextEditor;
    const hasNothing = this.isEmpty && !shown;
    this.isEmpty = !shown;
    for (const each of hasNothing ? [] : window.visibleTextEditors) {
      if (shown && uriOf(each) === shown.edit.uri)
        this.decorations.showEdit(each, shown.edit, insertionIn(offer, each) !== null);
      else this.decorations.clear(each);
      const isHinted = each === editor && shown && concerns(offer, each) && !isInView(each, shown.edit);
      if (isHinted) this.decorations.showHint(each, hint(shown.edit, fileOf(shown.edit, each)));
      else this.decorations.clearHint(each);
    }
    this.setKeys(offer, editor);
  }

  dispose(): void {
    this.decorations.dispose();
  }

  private setKeys(offer: EditOffer, editor: TextEditor | undefined): void {
    const isOffering = editor !== undefined && concerns(offer, editor);
    this.keys.set({
      isOffering,
      tabIsFree: isOffering && isTabFree(offer, editor),
      isGhostText: isOffering && insertionIn(offer, editor) !== null,
    });
  }
}

/** Whether all lines of the edit are on the screen. */
function isInView(editor: TextEditor, { uri, range: { start, end } }: NextEdit): boolean {
  const lines = new Range(start.line, 0, end.line, 0);
  return uriOf(editor) === uri && editor.visibleRanges.some((visible) => visible.contains(lines));
}

/** The name of the edit's file, unless it is the one in the editor. */
export function fileOf({ uri }: NextEdit, editor: TextEditor | undefined): string | undefined {
  if (editor && uriOf(editor) === uri) return undefined;
  return decodeURIComponent(uri.slice(uri.lastIndexOf('/') + 1));
}

/** Where it is shown or hinted at: in the editor of the edit, and in the one of the edit that it follows from. */
function concerns({ state, shown, uris }: EditOffer, editor: TextEditor): boolean {
  return state.kind === 'applied' || (shown !== null && uris.includes(uriOf(editor)));
}

/** What the key that takes the edit does where the cursor is. */
export function stepIn(offer: EditOffer, editor: TextEditor): Step {
  const { line, character } = editor.selection.active;
  return offer.step({ uri: uriOf(editor), line, character }, offer.edit !== null && isInView(editor, offer.edit));
}

/** In leading white space Tab indents, unless Hearth has put the cursor there. */
export function isTabFree({ state, edit }: EditOffer, { document, selection: { active } }: TextEditor): boolean {
  if (state.kind === 'applied') return true;
  const isThere = state.kind === 'jumped' && edit?.uri === document.uri.toString();
  const isOurs = isThere && edit.range.start.line <= active.line && active.line <= edit.range.end.line;
  return isOurs || document.lineAt(active.line).text.slice(0, active.character).trim() !== '';
}

function uriOf({ document }: TextEditor): string {
  return document.uri.toString();
}
