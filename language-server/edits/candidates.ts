// Edits that may follow from the last ones, proposed without a model.
import { type Evidence, evidenceOf, evidenceOfSameLines } from './evidence.ts';
import { undoes } from './reversal.ts';
import { type Substitution, substituted, substitutionsOf } from './substitutions.ts';
import { changesOf, type PastEdit, type TextEdit } from './text-edit.ts';

export interface Candidate extends TextEdit {
  evidence: Evidence;
}

// More are a word of every other line, and no consequence.
const mostCandidates = 40;

/** In the order of their places from the cursor on, those above it last; nothing that stands at the cursor itself. */
export function candidatesFor(text: string, cursor: number, history: readonly PastEdit[]): Candidate[] {
  const found = substitutedLines(text, substitutionsOf(history));
  const before = text.slice(0, cursor);
  const lines = found.map(({ substitution, line, ...edit }) => {
    const places = found.filter((each) => each.substitution === substitution).length;
    return { ...edit, evidence: evidenceOf(substitution, line, places, before, history) };
  });
  const candidates = fromCursor([...sameChanges(text, history), ...lines], text, cursor).slice(0, mostCandidates);
  return candidates.filter((edit) => !undoes(edit, text, history));
}

export function fromCursor<T extends TextEdit>(edits: T[], text: string, cursor: number): T[] {
  const distance = ({ start }: TextEdit) => (start >= cursor ? start - cursor : text.length + cursor - start);
  const seen = new Set<string>();
  const isNew = (edit: TextEdit) => {
    // Not the whole text that comes of it, of which a long file with many candidates would have gigabytes.
    const key = changesOf(edit, text)
      .map(({ start, end, text }) => `${start} ${end} ${text}`)
      .join('\n');
    return !seen.has(key) && seen.add(key);
  };
  return edits
    .filter(({ start, end }) => !(start <= cursor && cursor <= end))
    .filter(isNew)
    .sort((a, b) => distance(a) - distance(b));
}

/** Other lines that read as those did that were replaced or removed. */
function sameChanges(text: string, history: readonly PastEdit[]): Candidate[] {
  return history.flatMap(({ before, after }, i) => {
    if (before.trim().length < 3) return [];
    const [old, now] = after === '' ? [`${before}\n`, ''] : [before, after];
    const times = history.filter((each) => each.before === before && each.after === after).length;
    const starts: number[] = [];
    for (let at = text.indexOf(old); at !== -1; at = text.indexOf(old, at + 1)) {
      const isLines = (at === 0 || text[at - 1] === '\n') && (after === '' || text[at + old.length] === '\n');
      if (isLines) starts.push(at);
    }
    const evidence = evidenceOfSameLines(old, times, starts.length, i === history.length - 1);
    return starts.map((start) => ({ start, end: start + old.length, text: now, evidence }));
  });
}

interface SubstitutedLine extends TextEdit {
  line: string;
  substitution: Substitution;
}

/** Lines with words that were replaced elsewhere: with all substitutions made that have words there, and with each. */
export function substitutedLines(text: string, known: readonly Substitution[]): SubstitutedLine[] {
  const found: SubstitutedLine[] = [];
  let start = 0;
  for (const line of text.split('\n')) {
    const end = start + line.length;
    const single = known
      .map((substitution) => ({ start, end, text: substituted(line, substitution), line, substitution }))
      .filter((each) => each.text !== line);
    const [first] = single;
    if (first && single.length > 1) found.push({ ...first, text: known.reduce(substituted, line) });
    found.push(...single);
    start = end + 1;
  }
  return found;
}
