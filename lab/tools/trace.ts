// A typing trace in JSON lines. The first line is {"type":"open","name","text"}. Every other line is an edit:
// {"type":"edit","line","character","insert","t_ms"}, where t_ms is the time since the start. An edit may also have
// "deleted", the number of characters that the insert replaces, and "behind", the number of inserted characters that
// are to the right of the cursor afterwards, such as a bracket that the editor has closed.
import { readJsonLines } from './input.ts';

export interface Position {
  line: number;
  character: number;
}

export interface Edit extends Position {
  insert: string;
  /** The number of inserted characters that are to the right of the cursor after the edit. */
  behind: number;
  /** The number of characters in the line that the insert replaces. */
  deleted: number;
  atMs: number;
}

export interface Trace {
  name: string;
  text: string;
  edits: Edit[];
}

export function readTrace(path: string): Trace {
  const [first, ...rest] = readJsonLines(path);
  if (first?.entry.type !== 'open')
    throw new Error(`${path}:${first?.line ?? 1}: the first line must be of type "open"`);
  const edits = rest.map(({ entry, line }): Edit => {
    if (entry.type !== 'edit') throw new Error(`${path}:${line}: an "edit" was expected, not "${entry.type}"`);
    return {
      line: numberOf(entry.line, path, line),
      character: numberOf(entry.character, path, line),
      insert: String(entry.insert),
      behind: entry.behind === undefined ? 0 : numberOf(entry.behind, path, line),
      deleted: entry.deleted === undefined ? 0 : numberOf(entry.deleted, path, line),
      atMs: numberOf(entry.t_ms, path, line),
    };
  });
  return { name: String(first.entry.name), text: String(first.entry.text), edits };
}

function numberOf(value: unknown, path: string, line: number): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new Error(`${path}:${line}: a number is missing`);
}

export function formatTrace({ name, text, edits }: Trace): string {
  const lines = edits.map(({ line, character, insert, behind, deleted, atMs }) => {
    const more = { ...(behind > 0 && { behind }), ...(deleted > 0 && { deleted }) };
    return JSON.stringify({ type: 'edit', line, character, insert, ...more, t_ms: atMs });
  });
  return [JSON.stringify({ type: 'open', name, text }), ...lines].join('\n');
}

/** The cursor's position after the edit. */
export function cursorAfter({ line, character, insert, behind }: Edit): Position {
  const lines = insert.slice(0, insert.length - behind).split('\n');
  const last = lines.at(-1) ?? '';
  return lines.length === 1
    ? { line, character: character + last.length }
    : { line: line + lines.length - 1, character: last.length };
}

export function offsetAt(text: string, { line, character }: Position): number {
  const above = text.split('\n').slice(0, line);
  return above.reduce((length, each) => length + each.length + 1, character);
}

/** The document after the first edits of the trace, up to the one with index `edit`. */
export function textAfter(trace: Trace, edit: number): string {
  const lines = trace.text.split('\n');
  for (const { line, character, insert, deleted } of trace.edits.slice(0, edit + 1)) {
    const old = lines[line] ?? '';
    lines.splice(line, 1, ...`${old.slice(0, character)}${insert}${old.slice(character + deleted)}`.split('\n'));
  }
  return lines.join('\n');
}

/** The text to the left and right of the cursor after each edit. */
export function statesOf(trace: Trace): { edit: Edit; before: string; after: string }[] {
  return trace.edits.map((edit, i) => {
    const text = textAfter(trace, i);
    const offset = offsetAt(text, cursorAfter(edit));
    return { edit, before: text.slice(0, offset), after: text.slice(offset) };
  });
}
