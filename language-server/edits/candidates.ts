// Edits that may follow from the last ones, proposed without a model.
import { type Substitution, substituted, substitutionsOf } from './substitutions.ts';
import { applyEdit, type PastEdit, type TextEdit } from './text-edit.ts';

export type CandidateKind = 'same change' | 'substitution';

export interface Candidate extends TextEdit {
  kind: CandidateKind;
}

/** Those nearest to the cursor first, below it before those above. */
export function candidatesFor(text: string, cursor: number, history: readonly PastEdit[], most: number): Candidate[] {
  const all = [...sameChanges(text, history), ...substitutedLines(text, substitutionsOf(history))];
  return nearestFirst(all, text, cursor).slice(0, most);
}

/** Without those at the cursor, and each result once. */
export function nearestFirst(candidates: Candidate[], text: string, cursor: number): Candidate[] {
  const distance = ({ start }: Candidate) => (start >= cursor ? start - cursor : text.length + cursor - start);
  const seen = new Set<string>();
  const isNew = (each: Candidate) => {
    const result = applyEdit(text, each);
    return !seen.has(result) && seen.add(result);
  };
  return candidates
    .filter((each) => !(each.start <= cursor && cursor <= each.end))
    .filter(isNew)
    .sort((a, b) => distance(a) - distance(b));
}

/** Other lines that read as those did that were replaced or removed. */
function sameChanges(text: string, history: readonly PastEdit[]): Candidate[] {
  return history.flatMap(({ before, after }) => {
    if (before.trim().length < 3) return [];
    const [old, now] = after === '' ? [`${before}\n`, ''] : [before, after];
    const candidates: Candidate[] = [];
    for (let at = text.indexOf(old); at !== -1; at = text.indexOf(old, at + 1)) {
      const isLines = (at === 0 || text[at - 1] === '\n') && (after === '' || text[at + old.length] === '\n');
      if (isLines) candidates.push({ start: at, end: at + old.length, text: now, kind: 'same change' });
    }
    return candidates;
  });
}

/** Lines with words that were replaced elsewhere, with each substitution made, and with all of them. */
export function substitutedLines(text: string, known: readonly Substitution[]): Candidate[] {
  const candidates: Candidate[] = [];
  let start = 0;
  for (const line of text.split('\n')) {
    const single = known.map((each) => substituted(line, each)).filter((now) => now !== line);
    const all = single.length > 1 ? [known.reduce(substituted, line)] : [];
    for (const now of [...all, ...single])
      candidates.push({ start, end: start + line.length, text: now, kind: 'substitution' });
    start += line.length + 1;
  }
  return candidates;
}
