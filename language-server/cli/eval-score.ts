// The figures of `hearth eval`: sums over cases, and the rates made of them.

export interface Tally {
  cases: number;
  exactMatch: number;
  firstLine: number;
  editSimilarity: number;
}

export function scoreOf(written: string, middle: string): Tally {
  const [wanted, got] = [middle.trimEnd(), written.trimEnd()];
  const firstLine = (all: string) => (all.split('\n', 1)[0] ?? '').trimEnd();
  return {
    cases: 1,
    exactMatch: Number(got === wanted),
    firstLine: Number(firstLine(written) === firstLine(middle)),
    editSimilarity: editSimilarity(got, wanted),
  };
}

export function addTo(tallies: Map<string, Tally>, key: string, score: Tally): void {
  const sum = tallies.get(key) ?? { cases: 0, exactMatch: 0, firstLine: 0, editSimilarity: 0 };
  sum.cases += score.cases;
  sum.exactMatch += score.exactMatch;
  sum.firstLine += score.firstLine;
  sum.editSimilarity += score.editSimilarity;
  tallies.set(key, sum);
}

export function rates(tally: Tally = { cases: 0, exactMatch: 0, firstLine: 0, editSimilarity: 0 }): Tally {
  const rate = (sum: number) => sum / Math.max(1, tally.cases);
  return {
    cases: tally.cases,
    exactMatch: rate(tally.exactMatch),
    firstLine: rate(tally.firstLine),
    editSimilarity: rate(tally.editSimilarity),
  };
}

export function group(tallies: Map<string, Tally>, prefix: string): Record<string, Tally> {
  const members = [...tallies].filter(([key]) => key.startsWith(prefix));
  return Object.fromEntries(members.map(([key, tally]) => [key.slice(prefix.length), rates(tally)]));
}

/** 1 - edit distance / length of the longer: 1 for equal texts, 0 for texts with nothing in common. */
export function editSimilarity(a: string, b: string): number {
  const longer = Math.max(a.length, b.length);
  return longer === 0 ? 1 : 1 - editDistance(a, b) / longer;
}

/** Levenshtein's distance, one row of the table at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + Number(a[i - 1] !== b[j - 1]);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
