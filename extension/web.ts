// The entry point in a browser. An editor there has no processes, so Hearth cannot run, and its commands say so.
import { commands, type ExtensionContext, l10n, StatusBarAlignment, window } from 'vscode';

export function activate({ extension, subscriptions }: ExtensionContext): void {
  const sentence = l10n.t(
    'Hearth does not run in the browser: its model needs a process, which an editor there does not have. Use Hearth in VS Code on your computer or on a remote machine.',
  );
  const item = window.createStatusBarItem('hearth', StatusBarAlignment.Right);
  item.name = 'Hearth';
  item.text = '$(circle-slash) Hearth';
  item.tooltip = sentence;
  const { contributes } = extension.packageJSON as { contributes: { commands: { command: string }[] } };
  const say = () => window.showInformationMessage(sentence);
  const ids = contributes.commands.map(({ command }) => command);
  subscriptions.push(item, ...ids.map((id) => commands.registerCommand(id, say)));
  item.command = 'hearth.showStatus';
  item.show();
}
