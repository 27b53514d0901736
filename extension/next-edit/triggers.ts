// Decides when to ask for a next edit: after the user has made an edit, and then has left the line or paused.
import type { NextEditTrigger } from '../../language-server/protocol/next-edit-messages.ts';
import type { Patience } from './patience.ts';

// A new problem is a consequence of the last edit only if it appears soon after it.
const soonMs = 10_000;

export class Triggers {
  private timer: NodeJS.Timeout | undefined;
  /** Whether the user has made an edit since the last question. */
  private isPending = false;
  private editedLine = -1;
  private editedMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly ask: (trigger: NextEditTrigger) => void,
    private readonly patience: Patience,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** line: where the cursor is after the edit. isUndo: after an undo or redo, nothing is asked. */
  edited(line: number, isUndo: boolean): void {
    clearTimeout(this.timer);
    this.isPending = !isUndo;
    this.editedLine = line;
    this.editedMs = isUndo ? Number.NEGATIVE_INFINITY : this.now();
    if (isUndo) return;
    this.awaitPause(this.patience.pauseMs);
  }

  cursorMoved(line: number): void {
    if (line !== this.editedLine) this.fire('line-left');
  }

  /** A suggestion was accepted. */
  accepted(): void {
    this.fire('accepted');
  }

  saved(): void {
    this.fire('saved');
  }

  /** There are more errors than before. */
  newProblem(): void {
    if (this.now() - this.editedMs > soonMs || this.patience.quietMs > 0) return;
    this.stop();
    this.ask('diagnostic');
  }

  /** A next edit was applied: asks for the one after it at once. */
  applied(): void {
    this.stop();
    this.ask('applied');
  }

  stop(): void {
    clearTimeout(this.timer);
    this.isPending = false;
  }

  /** A timer may fire too early, above all in a busy process. If it is still too soon to ask, waits again. */
  private awaitPause(ms: number): void {
    this.timer = setTimeout(() => {
      const { quietMs } = this.patience;
      if (quietMs > 0) this.awaitPause(quietMs);
      else this.fire('pause');
    }, ms);
  }

  private fire(trigger: NextEditTrigger): void {
    if (!this.isPending || this.patience.quietMs > 0) return;
    this.stop();
    this.ask(trigger);
  }
}
