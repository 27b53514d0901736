// Says to those who use a screen reader that an edit is offered. Extensions can speak only through a notification: this
// one goes by itself. They don't learn that VS Code has detected a screen reader, only what the user has set. Where
// nothing is said, Tab is not ours (package.json).
import { ProgressLocation, type TextEditor, window, workspace } from 'vscode';
import type { NextEdit } from '../../language-server/protocol/next-edit.ts';
import { fileOf, isTabFree, stepIn } from './edit-view.ts';
import type { EditOffer } from './offer.ts';
import { announcement } from './texts.ts';

const shownMs = 4000;

/** The edit is the one that is offered. */
export function announce(offer: EditOffer, edit: NextEdit, editor: TextEditor): void {
  if (workspace.getConfiguration('editor').get('accessibilitySupport') !== 'on') return;
  const key = isTabFree(offer, editor) ? 'Tab' : 'Alt+Enter';
  const title = announcement(edit, fileOf(edit, editor), key, stepIn(offer, editor));
  const options = { location: ProgressLocation.Notification, title };
  void window.withProgress(options, () => new Promise((resolve) => setTimeout(resolve, shownMs).unref()));
}
