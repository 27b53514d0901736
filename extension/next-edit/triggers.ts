// When to ask for a next edit: after an edit that the user has made, once the line is left or there is a pause.
import type { NextEditTrigger } from '../../language-server/protocol/next-edit-messages.ts';
import type { Patience } from './patience.ts';

// A new problem is only a consequence of an edit that was made just before.
const soonMs = 10_000;

export class Triggers {
  private timer: NodeJS.Timeout | undefined;
  /** Whether there was an edit since the last time that was asked. */
  private isPending = false;
  private editedLine = -1;
  private editedMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly ask: (trigger: NextEditTrigger) => void,
    private readonly patience: Patience,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** line: where the cursor is after it. What is undone or done again is not an edit that something follows from. */
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

  /** A next edit was applied: nobody has to wait for the one after it. */
  applied(): void {
    this.stop();
    this.ask('applied');
  }

  stop(): void {
    clearTimeout(this.timer);
    this.isPending = false;
  }

  /** A timer may fire a little early, in a busy process by more: what is then still too soon is asked later. */
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
