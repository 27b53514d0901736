// Stores the counts of suggestions: languages and numbers, and nothing from the documents themselves. There is one file
// per day. All windows append lines of JSON to it, so no window overwrites the counts of another.
import { constants, readdirSync, readFileSync, rmSync } from 'node:fs';
import { appendFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';

export const keptDays = 30;

/** O_NOFOLLOW: a link, which could lead to one of the user's files, is not opened. Windows does not have this flag. */
const appendFlags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);

/** A suggestion or a next edit that was shown (with latencyMs) or accepted (with characters). */
export interface Event {
  languageId: string;
  latencyMs?: number;
  characters?: number;
  isEdit?: true;
}

export class Statistics {
  private hasFailed = false;

  /** Touches no file before the first count. */
  constructor(
    private readonly folder: string,
    private readonly warn: (message: string) => void,
  ) {}

  async add(time: Date, event: Event): Promise<void> {
    try {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      const firstKeptDay = daysBefore(time, keptDays - 1);
      for (const day of this.days()) if (day < firstKeptDay) rmSync(this.fileOf(day), { force: true });
      // The line break comes first: after a crash, the file may end with an unfinished line.
      const line = `\n${JSON.stringify(event)}`;
      await appendFile(this.fileOf(daysBefore(time, 0)), line, { mode: 0o600, flag: appendFlags });
    } catch (error) {
      if (!this.hasFailed) this.warn(`The statistics could not be saved: ${String(error)}`);
      this.hasFailed = true;
    }
  }

  /** The events by day. Days without events are missing. */
  read(): Map<string, Event[]> {
    const events = (day: string) => readFileSync(this.fileOf(day), 'utf8').split('\n').flatMap(parse);
    return new Map(this.days().map((day) => [day, events(day)]));
  }

  /** Deletes the counts of all windows. Throws if a file cannot be deleted. */
  reset(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private fileOf(day: string): string {
    return join(this.folder, `${day}.jsonl`);
  }

  /** The days that have a file, oldest first. Folders and links are not Hearth's, even if their names match. */
  private days(): string[] {
    try {
      const entries = readdirSync(this.folder, { withFileTypes: true }).filter((entry) => entry.isFile());
      const names = entries.map(({ name }) => name).sort();
      return names.flatMap((name) => /^(\d{4}-\d\d-\d\d)\.jsonl$/.exec(name)?.[1] ?? []);
    } catch {
      return []; // nothing has been counted yet
    }
  }
}

/** A user who has accepted this many suggestions counts as familiar with Hearth. */
const familiarAfter = 20;

/** Whether the user has accepted enough suggestions to know Hearth, or has used Hearth before today. */
export function isFamiliar(events: Map<string, Event[]>, today: Date): boolean {
  const accepted = [...events.values()].flat().filter(({ characters }) => characters !== undefined);
  return accepted.length >= familiarAfter || [...events.keys()].some((day) => day < daysBefore(today, 0));
}

/** The date `days` days before `time` in the user's time zone, such as "2026-03-01". */
export function daysBefore(time: Date, days: number): string {
  const date = new Date(time.getFullYear(), time.getMonth(), time.getDate() - days);
  const twoDigits = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;
}

/** The event in a line, as an array; empty if the line is damaged. */
function parse(line: string): Event[] {
  try {
    const { languageId, latencyMs, characters, isEdit }: Event = JSON.parse(line);
    const isEvent = typeof languageId === 'string' && Number.isFinite(latencyMs ?? characters);
    const figure = latencyMs === undefined ? { characters } : { latencyMs };
    return isEvent ? [{ languageId, ...figure, ...(isEdit === true && { isEdit }) } as Event] : [];
  } catch {
    return [];
  }
}
