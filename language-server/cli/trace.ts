// A typing trace: JSON lines. First {"type":"open","name","text"}, then one edit a line:
// {"type":"edit","line","character","insert","t_ms"}; t_ms counts from the start. The cursor ends behind the insert, or
// "behind" characters before its end: what an editor closed stands right of it. With "deleted" the insert stands in place
// of so many characters of the line right of it.
import { readText } from './command.ts';

export interface Edit {
  line: number;
  character: number;
  insert: string;
  /** Characters of the insert that are right of the cursor. */
  behind: number;
  /** Characters of the line that the insert replaces. */
  deleted: number;
  atMs: number;
}

export interface Trace {
  name: string;
  text: string;
  edits: Edit[];
}

export function readTrace(path: string): Trace {
  const [first, ...rest] = readText(path)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line, i) => parseLine(path, i + 1, line));
  if (first?.type !== 'open') throw new Error(`${path}:1: the first line must be of type "open"`);
  const edits = rest.map((entry, i): Edit => {
    if (entry.type !== 'edit') throw new Error(`${path}:${i + 2}: an "edit" was expected, not "${entry.type}"`);
    return {
      line: numberOf(entry.line, path, i + 2),
      character: numberOf(entry.character, path, i + 2),
      insert: String(entry.insert),
      behind: entry.behind === undefined ? 0 : numberOf(entry.behind, path, i + 2),
      deleted: entry.deleted === undefined ? 0 : numberOf(entry.deleted, path, i + 2),
      atMs: numberOf(entry.t_ms, path, i + 2),
    };
  });
  return { name: String(first.name), text: String(first.text), edits };
}

function parseLine(path: string, line: number, text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    throw new Error(`${path}:${line}: this is not JSON`);
  }
}

function numberOf(value: unknown, path: string, line: number): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new Error(`${path}:${line}: a number is missing`);
}

/** Where the cursor stands after the edit. */
export function cursorAfter({ line, character, insert, behind }: Edit): { line: number; character: number } {
  const lines = insert.slice(0, insert.length - behind).split('\n');
  const last = lines.at(-1) ?? '';
  return lines.length === 1
    ? { line, character: character + last.length }
    : { line: line + lines.length - 1, character: last.length };
}

/** The document after that edit and all before it. */
export function textAfter(trace: Trace, edit: number): string {
  const lines = trace.text.split('\n');
  for (const { line, character, insert, deleted } of trace.edits.slice(0, edit + 1)) {
    const old = lines[line] ?? '';
    lines.splice(line, 1, ...`${old.slice(0, character)}${insert}${old.slice(character + deleted)}`.split('\n'));
  }
  return lines.join('\n');
}
