// Inline completions between VS Code and LSP: requests and items, and asking our provider alone.
import {
  type Command,
  commands,
  type InlineCompletionContext,
  InlineCompletionItem,
  InlineCompletionTriggerKind,
  type Position,
  Range,
  type TextDocument,
  version,
} from 'vscode';
import type { InlineCompletionParams, InlineCompletionItem as Item } from 'vscode-languageclient/node';

const extensionId = 'hearth.hearth';

/** From here on the editor can ask one provider alone, without a wish of the user's. */
export const canTriggerAlone = isAtLeast(version, 1, 110);

/** Asks our provider, and no other one, as if a key had been pressed. */
export async function triggerAlone(): Promise<void> {
  const ours = { providerId: `${extensionId}:*`, explicit: false };
  await commands.executeCommand('editor.action.inlineSuggest.trigger', ours);
}

export function toItem({ insertText, range }: Item, command: Command | undefined): InlineCompletionItem {
  const text = typeof insertText === 'string' ? insertText : insertText.value;
  const at = range && new Range(range.start.line, range.start.character, range.end.line, range.end.character);
  return new InlineCompletionItem(text, at, command);
}

/** Without VS Code's own way of writing itself as JSON. */
export const plainPosition = ({ line, character }: Position) => ({ line, character });

export function placeOf(document: TextDocument, position: Position) {
  return { textDocument: { uri: document.uri.toString() }, position: plainPosition(position) };
}

export function contextOf(context: InlineCompletionContext): InlineCompletionParams['context'] {
  const { triggerKind, selectedCompletionInfo: info } = context;
  const kind = triggerKind === InlineCompletionTriggerKind.Invoke ? 1 : 2;
  if (!info) return { triggerKind: kind };
  const range = { start: plainPosition(info.range.start), end: plainPosition(info.range.end) };
  return { triggerKind: kind, selectedCompletionInfo: { range, text: info.text } };
}

function isAtLeast(text: string, major: number, minor: number): boolean {
  const [a = 0, b = 0] = text.split('.').map(Number);
  return a > major || (a === major && b >= minor);
}
