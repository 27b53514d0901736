// Draws the offered edit in the visible editors, and tells VS Code whether Tab and Esc act on it.
import { commands, type Disposable, ProgressLocation, Range, type TextEditor, window, workspace } from 'vscode';
import type { NextEdit } from '../../language-server/protocol/next-edit-messages.ts';
import { EditDecorations } from './decorations.ts';
import { insertionIn } from './insertion.ts';
import type { EditOffer, Step } from './offered-edit.ts';
import { announcement, hint } from './texts.ts';

/** How long the notification for screen readers stays. */
const announcedMs = 4000;

export class EditView implements Disposable {
  private readonly decorations: EditDecorations;
  /** The current values of the context keys. The key bindings in package.json depend on them. */
  private keys: Record<string, boolean> = {};
  private isEmpty = true;

  /** icon: the path of the gutter icon that marks the edit's line. */
  constructor(icon: string) {
    this.decorations = new EditDecorations(icon);
  }

  show(offer: EditOffer): void {
    const { shown } = offer;
    const editor = window.activeTextEditor;
    const hasNothing = this.isEmpty && !shown;
    this.isEmpty = !shown;
    for (const visible of hasNothing ? [] : window.visibleTextEditors) {
      const edit = shown?.edit.uri === uriOf(visible) ? shown.edit : null;
      this.decorations.showEdit(visible, edit, insertionIn(offer, visible) !== null);
      const isHinted = shown && visible === editor && concerns(offer, visible) && !isInView(visible, shown.edit);
      this.decorations.showHint(visible, isHinted ? hint(shown.edit, fileOf(shown.edit, visible)) : '');
    }
    this.setKeys(offer, editor);
  }

  dispose(): void {
    this.decorations.dispose();
  }

  private setKeys(offer: EditOffer, editor: TextEditor | undefined): void {
    const isOffering = editor !== undefined && concerns(offer, editor);
    const keys = {
      // Esc and Alt+Enter act on the edit.
      'hearth.isOfferingEdit': isOffering,
      // Tab acts on the edit, too.
      'hearth.tabIsFree': isOffering && isTabFree(offer, editor),
      // The edit is shown as ghost text at the cursor.
      'hearth.editIsGhostText': isOffering && insertionIn(offer, editor) !== null,
    };
    for (const [key, isSet] of Object.entries(keys))
      if (isSet !== (this.keys[key] ?? false)) void commands.executeCommand('setContext', key, isSet);
    this.keys = keys;
  }
}

/**
 * Tells users of a screen reader that the edit is offered. An extension can only speak through a notification; this one
 * closes by itself. An extension can read the setting for screen readers, but not whether VS Code has detected one. So
 * if VS Code has only detected one, nothing is announced, and Tab does not act on the edit (package.json).
 */
export function announce(offer: EditOffer, edit: NextEdit, editor: TextEditor): void {
  if (workspace.getConfiguration('editor').get('accessibilitySupport') !== 'on') return;
  const key = isTabFree(offer, editor) ? 'Tab' : 'Alt+Enter';
  const title = announcement(edit, fileOf(edit, editor), key, stepIn(offer, editor));
  const options = { location: ProgressLocation.Notification, title };
  void window.withProgress(options, () => new Promise((resolve) => setTimeout(resolve, announcedMs).unref()));
}

/** Whether all lines of the edit are on the screen. */
function isInView(editor: TextEditor, { uri, range: { start, end } }: NextEdit): boolean {
  const lines = new Range(start.line, 0, end.line, 0);
  return uriOf(editor) === uri && editor.visibleRanges.some((visible) => visible.contains(lines));
}

/** The name of the edit's file, unless it is the one in the editor. */
function fileOf({ uri }: NextEdit, editor: TextEditor): string | undefined {
  if (uriOf(editor) === uri) return undefined;
  return decodeURIComponent(uri.slice(uri.lastIndexOf('/') + 1));
}

/**
 * Whether the editor shows the edit or a hint about it: its document has the edit, or the user's edit from which it
 * follows. Also true while Tab waits for the next edit after one was applied.
 */
function concerns({ state, shown, uris }: EditOffer, editor: TextEditor): boolean {
  return state.kind === 'applied' || (shown !== null && uris.includes(uriOf(editor)));
}

/** What Tab does at the editor's cursor. */
export function stepIn(offer: EditOffer, editor: TextEditor): Step {
  const { line } = editor.selection.active;
  return offer.step({ uri: uriOf(editor), line }, offer.edit !== null && isInView(editor, offer.edit));
}

/** Whether Tab may act on the edit. In leading white space, Tab indents, unless Hearth has put the cursor there. */
export function isTabFree({ state, edit }: EditOffer, { document, selection: { active } }: TextEditor): boolean {
  if (state.kind === 'applied') return true;
  const hasJumpedHere = state.kind === 'jumped' && edit?.uri === document.uri.toString();
  const isAtEdit = hasJumpedHere && edit.range.start.line <= active.line && active.line <= edit.range.end.line;
  // After lines are deleted, VS Code updates the cursor a moment later: until then it may be beyond the document's end.
  const { text } = document.lineAt(document.validatePosition(active));
  return isAtEdit || text.slice(0, active.character).trim() !== '';
}

function uriOf({ document }: TextEditor): string {
  return document.uri.toString();
}
