// Tells a person's typing from text that comes all at once: from an agent, a formatter, or a large paste.

/** Changes within this time are counted together. */
const withinMs = 1500;
/**
 * A key after a pause of this length begins a new count. An agent that writes in pieces may pause as long, but a piece
 * is longer than a key.
 */
const pauseMs = 300;
/** A key may replace a selection of up to this length. */
const maxKeyRemoves = 40;
// A person changes at most this much within the time.
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

  /** Call with the texts that a change removes and inserts. Returns whether a program seems to be writing. */
  note(removed: string, inserted: string): boolean {
    const ms = this.now();
    const lines = removed.split('\n').length + inserted.split('\n').length - 2;
    const isKey = inserted.length <= 1 && removed.length <= maxKeyRemoves;
    const since = isKey && ms - (this.recent.at(-1)?.ms ?? ms) >= pauseMs ? ms : ms - withinMs;
    const kept = this.recent.findIndex((change) => change.ms >= since);
    for (const expired of this.recent.splice(0, kept === -1 ? this.recent.length : kept)) this.count(expired, -1);
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
