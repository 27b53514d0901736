// Distinguishes what a person types from what a program writes: an agent, a formatter, a large paste.

/** Changes within this time are counted together. */
const withinMs = 1500;
/**
 * A key after this pause begins a new count. A program that writes in pieces may pause as long, but its pieces are
 * longer than a key.
 */
const pauseMs = 300;
/** A key may also replace a selected name of up to this length. */
const maxKeyRemoves = 40;
// A person does not change more at once.
const maxChars = 200;
const maxLines = 8;

interface Size {
  ms: number;
  chars: number;
  lines: number;
}

export class BulkChanges {
  private recent: Size[] = [];
  private chars = 0;
  private lines = 0;
  isGoingOn = false;

  constructor(private readonly now: () => number) {}

  /** When the first of the counted changes was made. */
  get sinceMs(): number {
    return this.recent[0]?.ms ?? this.now();
  }

  /** Call with the texts that a change removes and inserts. Returns whether a program seems to have made it. */
  note(removed: string, inserted: string): boolean {
    const ms = this.now();
    const lines = removed.split('\n').length + inserted.split('\n').length - 2;
    const isKey = inserted.length <= 1 && removed.length <= maxKeyRemoves;
    const since = isKey && ms - (this.recent.at(-1)?.ms ?? ms) >= pauseMs ? ms : ms - withinMs;
    const old = this.recent.findIndex((each) => each.ms >= since);
    for (const each of this.recent.splice(0, old === -1 ? this.recent.length : old)) this.count(each, -1);
    const size = { ms, chars: removed.length + inserted.length, lines };
    this.recent.push(size);
    this.count(size, 1);
    this.isGoingOn = this.chars > maxChars || this.lines > maxLines;
    return this.isGoingOn;
  }

  private count({ chars, lines }: Size, sign: 1 | -1): void {
    this.chars += sign * chars;
    this.lines += sign * lines;
  }
}
