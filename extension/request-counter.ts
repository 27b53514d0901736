// Counts requests, suggestions shown and suggestions accepted. A suggestion counts once, even though the editor
// requests it again while its text grows or while the user types along.
import { commands, type Position, Range, type TextDocument } from 'vscode';
import type { Reason } from '../language-server/protocol/reasons.ts';
import { acceptedCommand, type CompletionRequest, textAfterCursor } from './ghost-text.ts';
import type { StatisticsFile } from './statistics-file.ts';

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
