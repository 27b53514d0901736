// Counts requests, suggestions shown and suggestions accepted. A suggestion counts once, even though the editor
// requests it again while its text grows or while the user types along.
import { type Command, commands, type InlineCompletionItem, type Position, Range, type TextDocument } from 'vscode';
import type { Reason } from '../language-server/protocol.ts';
import type { CompletionRequest } from './ghost-text.ts';
import type { StatisticsFile } from './statistics-file.ts';

const acceptedCommand = 'hearth.accepted';

/** Requests that ended for these reasons are not counted: the user wants no suggestions there. */
const isUnwanted = (reason: Reason) =>
  ['off', 'manual', 'excluded', 'snoozed', 'on-battery', 'secrets-file'].includes(reason);

interface Shown {
  document: TextDocument;
  position: Position;
  text: string;
}

export class RequestCounter {
  private shown: Shown | null = null;
  private readonly command = commands.registerCommand(acceptedCommand, (languageId: string, characters: number) => {
    this.statistics.add(new Date(), languageId, { accepted: 1, characters });
    this.shown = null;
    // Completes the first step of the walkthrough.
    void commands.executeCommand('setContext', 'hearth.hasAccepted', true);
  });

  constructor(private readonly statistics: StatisticsFile) {}

  add({ document, position, time, reason, latencyMs, items }: CompletionRequest): void {
    if (isUnwanted(reason)) return;
    const text = items?.[0] ? textAfterCursor(items[0], position) : '';
    const isNew = text !== '' && !this.isShown({ document, position, text });
    this.statistics.add(time, document.languageId, isNew ? { requests: 1, shown: 1, latencyMs } : { requests: 1 });
    if (text !== '') this.shown = { document, position, text };
  }

  dispose(): void {
    this.command.dispose();
  }

  private isShown({ document, position, text }: Shown): boolean {
    const { shown } = this;
    if (shown?.document !== document || position.isBefore(shown.position)) return false;
    const typed = document.getText(new Range(shown.position, position));
    return continues(shown.text, typed, text);
  }
}

/** Whether `now`, shown after `typed` was typed, is the rest of `before`, perhaps with more text. */
export function continues(before: string, typed: string, now: string): boolean {
  const whole = typed + now;
  return typed.length < before.length && (whole.startsWith(before) || before.startsWith(whole));
}

/** The command that VS Code runs when the user accepts the item. */
export function onAccept(item: InlineCompletionItem, { languageId }: TextDocument, position: Position): Command {
  const replaced = item.range ? item.range.end.character - position.character : 0;
  const characters = textAfterCursor(item, position).length - replaced;
  return { title: '', command: acceptedCommand, arguments: [languageId, characters] };
}

/** An item begins before the cursor if it continues the selected entry of the suggest widget. */
function textAfterCursor({ insertText, range }: InlineCompletionItem, { character }: Position): string {
  const text = typeof insertText === 'string' ? insertText : insertText.value;
  return text.slice(character - (range?.start.character ?? character));
}
