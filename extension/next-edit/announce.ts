// Says to those who use a screen reader that an edit is offered. Extensions can speak only through a notification: this
// one goes by itself.
import { ProgressLocation, window, workspace } from 'vscode';

const shownMs = 4000;

export function announce(text: string): void {
  if (workspace.getConfiguration('editor').get('accessibilitySupport') !== 'on') return;
  const options = { location: ProgressLocation.Notification, title: text };
  void window.withProgress(options, () => new Promise((resolve) => setTimeout(resolve, shownMs).unref()));
}
