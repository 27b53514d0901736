// Distinguishes what a person types from what a program writes: an agent, a formatter, a large paste.

const withinMs = 1500;
/** A program that writes a text in pieces pauses as long between two of them, but its pieces are longer than a key. */
const pauseMs = 300;
/** A name that is selected goes with the first key. */
const maxKeyRemoves = 40;
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

  /** Since when the changes belong to the bulk. */
  get sinceMs(): number {
    return this.recent[0]?.ms ?? this.now();
  }

  /** Call with what a change removes and inserts; returns whether it is one of too many. */
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
