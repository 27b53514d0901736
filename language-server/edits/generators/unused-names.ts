// Names that nothing uses any more since the last edits: their one remaining line goes, or their place in a list.
import type { Candidate } from '../candidate.ts';
import type { Line } from '../lines.ts';
import type { PastChange } from '../past-changes.ts';
import { isWord, wordsOf } from '../text-edit.ts';

const shortestName = 3;
const isImport = /^\s*(import|from|use|using|require|include|#\s*include)\b/;

export function unusedNames(lines: readonly Line[], changes: readonly PastChange[]): Candidate[] {
  const gone = new Map<string, PastChange>();
  for (const change of changes) {
    const kept = new Set(change.after.flatMap(wordsOf));
    for (const word of change.before.flatMap(wordsOf))
      if (isWord(word) && word.length >= shortestName && !kept.has(word) && !gone.has(word)) gone.set(word, change);
  }
  if (gone.size === 0) return [];
  const left = new Map<string, Line[]>();
  for (const line of lines)
    for (const word of wordsOf(line.text)) if (gone.has(word)) left.set(word, [...(left.get(word) ?? []), line]);
  return [...left].flatMap(([name, places]) => {
    const [line] = places;
    const change = gone.get(name);
    if (!line || !change || places.length > 1) return [];
    return withoutName(line, name).map((edit) => ({
      ...edit,
      ...{ generator: 'unused' as const, group: `${name}\n${edit.text === ''}`, changes: [change], otherWords: 0 },
    }));
  });
}

function withoutName({ start, end, text }: Line, name: string) {
  const edits = [];
  const at = text.search(new RegExp(`(?<![\\p{L}\\p{N}_$])${name.replaceAll('$', '\\$')}(?![\\p{L}\\p{N}_$])`, 'u'));
  if (at === -1) return [];
  const [before, behind] = [text.slice(0, at), text.slice(at + name.length)];
  const comma = /^,\s*/.exec(behind);
  const commaBefore = /,\s*$/.exec(before);
  const isAlone = before.trim() === '' && /^,?\s*$/.test(behind);
  if (!isAlone && commaBefore) edits.push({ start, end, text: before.slice(0, -commaBefore[0].length) + behind });
  else if (!isAlone && comma) edits.push({ start, end, text: before + behind.slice(comma[0].length) });
  if (isAlone || (isImport.test(text) && !text.includes(','))) edits.push({ start, end: end + 1, text: '' });
  return edits;
}
