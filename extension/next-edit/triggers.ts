// Decides when to ask for a next edit: when the user leaves the edited line or pauses, for example.
import type { NextEditTrigger } from '../../language-server/protocol/next-edit-messages.ts';
import type { Patience } from './patience.ts';

// A problem that appears at most this long after an edit is probably a consequence of the edit.
const consequenceMs = 10_000;

export class Triggers {
  private timer: NodeJS.Timeout | undefined;
  /** Whether the user has made an edit since the last question. */
  private isPending = false;
  private editedLine = -1;
  private lastEditAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly ask: (trigger: NextEditTrigger) => void,
    private readonly patience: Patience,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * Call after each edit by the user. After an undo or redo, nothing is asked. line: the cursor's line after the edit.
   */
  edited(line: number, isUndo: boolean): void {
    clearTimeout(this.timer);
    this.isPending = !isUndo;
    this.editedLine = line;
    this.lastEditAtMs = isUndo ? Number.NEGATIVE_INFINITY : this.now();
    if (isUndo) return;
    this.awaitPause(this.patience.pauseMs);
  }

  cursorMoved(line: number): void {
    if (line !== this.editedLine) this.fire('line-left');
  }

  /** Call when the user has accepted a suggestion. */
  accepted(): void {
    this.fire('accepted');
  }

  saved(): void {
    this.fire('saved');
  }

  /** Call when the document has more errors than before. */
  newProblem(): void {
    if (this.now() - this.lastEditAtMs > consequenceMs || this.patience.quietMs > 0) return;
    this.stop();
    this.ask('diagnostic');
  }

  /** Call when the user has applied a next edit. Asks at once for the edit that follows from it. */
  applied(): void {
    this.stop();
    this.ask('applied');
  }

  stop(): void {
    clearTimeout(this.timer);
    this.isPending = false;
  }

  /** Asks after `ms`. If the timer fires early, so that Esc still forbids asking, waits again. */
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
