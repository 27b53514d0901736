// Asking our provider alone for inline completions, as if a key had been pressed.
import { commands, version } from 'vscode';

const extensionId = 'hearth.hearth';

/** Whether this version of the editor can ask one provider alone although the user has not asked for anything. */
export const canTriggerAlone = isAtLeast(version, 1, 110);

export async function triggerAlone(): Promise<void> {
  const ours = { providerId: `${extensionId}:*`, explicit: false };
  await commands.executeCommand('editor.action.inlineSuggest.trigger', ours);
}

function isAtLeast(text: string, major: number, minor: number): boolean {
  const [a = 0, b = 0] = text.split('.').map(Number);
  return a > major || (a === major && b >= minor);
}
