// What Hearth counts about its suggestions: numbers by day and language, and nothing from the documents themselves.

/** Upper bounds of the latency histogram's buckets; one more bucket holds all slower values. */
const latencyBoundsMs = [5, 10, 20, 30, 50, 75, 100, 150, 200, 300, 500, 750, 1000, 1500, 2000, 3000, 5000, 10_000];
const keptDays = 365;
const formatVersion = 1;

export interface Counts {
  requests: number;
  shown: number;
  accepted: number;
  /** The number of characters accepted. */
  characters: number;
  /** Latency histogram of the suggestions shown; empty buckets at the end are left out. */
  latencies: number[];
}

/** Keyed by day and language: "2026-03-01 typescript". */
export type Statistics = Map<string, Counts>;

export interface Increment {
  requests?: number;
  shown?: number;
  accepted?: number;
  characters?: number;
  /** The latency of a suggestion that was shown. */
  latencyMs?: number;
}

export function add(statistics: Statistics, time: Date, languageId: string, { latencyMs, ...counts }: Increment): void {
  const latencies: number[] = [];
  if (latencyMs !== undefined) latencies[bucketOf(latencyMs)] = 1;
  addCounts(statistics, `${dayOf(time)} ${languageId}`, { ...noCounts(), ...counts, latencies });
}

export function merge(into: Statistics, from: Statistics): void {
  for (const [key, counts] of from) addCounts(into, key, counts);
}

/** Leaves out entries older than a year. */
export function serialize(statistics: Statistics, today: Date): string {
  const first = dayOf(daysBefore(today, keptDays - 1));
  const kept = [...statistics].filter(([key]) => key >= first);
  const rows = kept.map(([key, { requests, shown, accepted, characters, latencies }]) => [
    key,
    [requests, shown, accepted, characters, ...latencies],
  ]);
  return JSON.stringify({ version: formatVersion, counts: Object.fromEntries(rows) });
}

/** Throws if serialize() cannot have written the text. */
export function parse(text: string): Statistics {
  const { version, counts } = JSON.parse(text) as { version: unknown; counts: Record<string, unknown> };
  if (version !== formatVersion) throw new Error(`The format is version ${version} instead of ${formatVersion}.`);
  return new Map(Object.entries(counts).map(([key, row]) => [key, parseRow(key, row)]));
}

/** One entry for each of the last days, oldest first, including days on which nothing was counted. */
export function byDay(statistics: Statistics, today: Date, days: number): { date: Date; counts: Counts }[] {
  const totals = totalsBy(statistics, (key) => key.slice(0, dayLength));
  return Array.from({ length: days }, (_, i) => {
    const date = daysBefore(today, days - 1 - i);
    return { date, counts: totals.get(dayOf(date)) ?? noCounts() };
  });
}

/** Sorted by the number of suggestions, most first. */
export function byLanguage(statistics: Statistics): { languageId: string; counts: Counts }[] {
  const totals = totalsBy(statistics, (key) => key.slice(dayLength + 1));
  return [...totals]
    .map(([languageId, counts]) => ({ languageId, counts }))
    .sort((a, b) => b.counts.shown - a.counts.shown || b.counts.requests - a.counts.requests);
}

export function sum(all: Counts[]): Counts {
  return all.reduce(plus, noCounts());
}

/** Interpolated, as if latencies were spread evenly within a bucket; null if there are none. */
export function latencyQuantileMs({ latencies }: Counts, quantile: number): number | null {
  const total = latencies.reduce((a, b) => a + b, 0);
  let left = total * quantile;
  for (const [i, count] of latencies.entries()) {
    if (count > 0 && left <= count) {
      const from = latencyBoundsMs[i - 1] ?? 0;
      return from + ((latencyBoundsMs[i] ?? from) - from) * (left / count);
    }
    left -= count;
  }
  return null;
}

const dayLength = '2026-03-01'.length;

function noCounts(): Counts {
  return { requests: 0, shown: 0, accepted: 0, characters: 0, latencies: [] };
}

function plus(a: Counts, b: Counts): Counts {
  const buckets = Math.max(a.latencies.length, b.latencies.length);
  return {
    requests: a.requests + b.requests,
    shown: a.shown + b.shown,
    accepted: a.accepted + b.accepted,
    characters: a.characters + b.characters,
    latencies: Array.from({ length: buckets }, (_, i) => (a.latencies[i] ?? 0) + (b.latencies[i] ?? 0)),
  };
}

function addCounts(statistics: Statistics, key: string, counts: Counts): void {
  statistics.set(key, plus(statistics.get(key) ?? noCounts(), counts));
}

function totalsBy(statistics: Statistics, groupOf: (key: string) => string): Statistics {
  const totals: Statistics = new Map();
  for (const [key, counts] of statistics) addCounts(totals, groupOf(key), counts);
  return totals;
}

function bucketOf(latencyMs: number): number {
  const i = latencyBoundsMs.findIndex((boundMs) => latencyMs <= boundMs);
  return i < 0 ? latencyBoundsMs.length : i;
}

function parseRow(key: string, row: unknown): Counts {
  const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
  const isRow = Array.isArray(row) && row.length >= 4 && row.length <= 5 + latencyBoundsMs.length && row.every(isCount);
  if (!isRow || !/^\d{4}-\d\d-\d\d ./.test(key)) throw new Error(`"${key}" has no counts.`);
  const [requests, shown, accepted, characters, ...latencies] = row as [number, number, number, number, ...number[]];
  return { requests, shown, accepted, characters, latencies };
}

/** The date in the user's time zone. */
function dayOf(time: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
}

/** Noon of that day, so that a change to or from daylight saving time never shifts the date. */
function daysBefore(time: Date, days: number): Date {
  return new Date(time.getFullYear(), time.getMonth(), time.getDate() - days, 12);
}
