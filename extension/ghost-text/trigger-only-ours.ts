// Requests inline completions from Hearth's provider only, as if a key had been pressed.
import { commands, version } from 'vscode';

const extensionId = 'hearth.hearth';

/** Whether this version of VS Code can trigger a single provider without an explicit request by the user. */
export const canTriggerOnlyOurs = isAtLeast(version, 1, 110);

export async function triggerOnlyOurs(): Promise<void> {
  const ours = { providerId: `${extensionId}:*`, explicit: false };
  await commands.executeCommand('editor.action.inlineSuggest.trigger', ours);
}

function isAtLeast(text: string, major: number, minor: number): boolean {
  const [a = 0, b = 0] = text.split('.').map(Number);
  return a > major || (a === major && b >= minor);
}
