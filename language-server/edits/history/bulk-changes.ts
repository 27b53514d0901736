// Tells what a person types from what a program writes: an agent, a formatter, a large paste.

const withinMs = 1500;
const maxChars = 200;
const maxLines = 8;

interface Size {
  ms: number;
  chars: number;
  lines: number;
}

export class BulkChanges {
  private recent: Size[] = [];
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
    const since = ms - withinMs;
    this.recent = [
      ...this.recent.filter((each) => each.ms >= since),
      { ms, chars: removed.length + inserted.length, lines },
    ];
    const sum = (of: 'chars' | 'lines') => this.recent.reduce((total, each) => total + each[of], 0);
    this.isGoingOn = sum('chars') > maxChars || sum('lines') > maxLines;
    return this.isGoingOn;
  }
}
