// Counts the suggestions that are shown and accepted. A suggestion counts once, even if the editor requests it again
// because its text grows or because the user types its text.
import { commands, type Position, Range, type TextDocument } from 'vscode';
import { type AnsweredRequest, acceptedCommand, textAfterCursor } from '../ghost-text/ghost-text.ts';
import type { Statistics } from './statistics.ts';

/** A suggestion that was shown at a position. */
interface Shown {
  document: TextDocument;
  position: Position;
  text: string;
}

export class RequestCounter {
  private shown: Shown | null = null;
  private readonly command = commands.registerCommand(acceptedCommand, (languageId: string, characters: number) => {
    void this.statistics.add(new Date(), { languageId, characters });
    this.shown = null;
    this.onAccepted();
    // Completes the first step of the walkthrough.
    void commands.executeCommand('setContext', 'hearth.hasAccepted', true);
  });

  constructor(
    private readonly statistics: Pick<Statistics, 'add'>,
    private readonly onAccepted: () => void = () => {},
  ) {}

  add({ document, position, time, latencyMs, items }: AnsweredRequest): void {
    const text = items?.[0] ? textAfterCursor(items[0], position) : '';
    if (text === '') return;
    const current = { document, position, text };
    const { languageId } = document;
    if (!this.isShown(current)) void this.statistics.add(time, { languageId, latencyMs: Math.round(latencyMs) });
    this.shown = current;
  }

  dispose(): void {
    this.command.dispose();
  }

  /** Whether this suggestion is the rest of the last shown one, perhaps with more text at its end. */
  private isShown({ document, position, text }: Shown): boolean {
    const { shown } = this;
    if (shown?.document !== document || position.isBefore(shown.position)) return false;
    const typed = document.getText(new Range(shown.position, position));
    const whole = typed + text;
    return typed.length < shown.text.length && (whole.startsWith(shown.text) || shown.text.startsWith(whole));
  }
}
