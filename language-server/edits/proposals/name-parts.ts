// The parts of compound names: fooBar, FooBar, foo_bar and FOO_BAR have the same parts.

/** "foo_BarBaz" has the parts "foo", "Bar" and "Baz". */
export function partsOf(name: string): string[] {
  return name.match(/\p{Lu}?[\p{Ll}\p{Lo}]+|\p{Lu}+(?!\p{Ll})|\p{N}+/gu) ?? [];
}

const capital = (part: string) => part.slice(0, 1).toUpperCase() + part.slice(1).toLowerCase();

const styles: ((parts: string[]) => string)[] = [
  (parts) => parts.map(capital).join(''),
  (parts) => parts.map((part, i) => (i === 0 ? part.toLowerCase() : capital(part))).join(''),
  (parts) => parts.map((part) => part.toLowerCase()).join('_'),
  (parts) => parts.map((part) => part.toUpperCase()).join('_'),
  (parts) => parts.map((part) => part.toLowerCase()).join('-'),
  (parts) => parts.map((part) => part.toLowerCase()).join(' '),
];

const shortestPart = 3;

/**
 * What a rename means for other names: the parts that differ, in each style of spelling. After the rename of fooBar to
 * fooBaz, "Bar" becomes "Baz", "bar" becomes "baz", and "BAR" becomes "BAZ".
 */
export function partSubstitutions({ old, now }: { old: string; now: string }): { old: string; now: string }[] {
  const [before, after] = [partsOf(old), partsOf(now)];
  const isSame = (a: string | undefined, b: string | undefined) => a?.toLowerCase() === b?.toLowerCase();
  let head = 0;
  while (head < before.length && head < after.length && isSame(before[head], after[head])) head++;
  let tail = 0;
  const rest = Math.min(before.length, after.length) - head;
  while (tail < rest && isSame(before.at(-1 - tail), after.at(-1 - tail))) tail++;
  // If parts were only added, a neighbour is included, because the finder needs a word to look for.
  if (before.length - tail === head) {
    if (head > 0) head--;
    else tail--;
  }
  const [gone, come] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)];
  if (gone.length === 0 || come.length === 0) return [];
  const found = new Map<string, string>();
  for (const styled of styles) {
    const [from, to] = [styled(gone), styled(come)];
    if (from.length >= shortestPart && from !== to && !found.has(from)) found.set(from, to);
  }
  return [...found].map(([from, to]) => ({ old: from, now: to }));
}
