// Decides what to look for in other files, from the text around the cursor: identifiers, imported modules, and names
// whose definitions the editor may find.
import type { CursorDocument } from '../prompt/text-window.ts';
import { identifier, wordsOf } from './chunks.ts';

export interface CursorQuery {
  /** Identifiers near the cursor, in lower case. Their weights go from 1 (nearest) to about 0.2 (farthest). */
  weights: ReadonlyMap<string, number>;
  /** The last two parts of each imported module's path, such as "user" and "store" for './user/store.ts'. */
  modules: ReadonlySet<string>;
}

const linesAbove = 24;
const linesBelow = 6;
const maxReach = 3000;
// Imports are expected at the head of a file.
const headChars = 6000;
const maxNames = 12;

const importLine = /^[ \t]*(?:import|from|export|use|using|require|require_relative|include|#include|@import)\b.*/gm;
const importCall = /\b(?:require|import)\(["'`][^"'`\n]+["'`]\)/g;

export function cursorQuery({ text, offset }: CursorDocument): CursorQuery {
  const above = text
    .slice(Math.max(0, offset - maxReach), offset)
    .split('\n')
    .slice(-linesAbove)
    .reverse();
  const below = text
    .slice(offset, offset + maxReach)
    .split('\n')
    .slice(0, linesBelow);
  const weights = new Map<string, number>();
  const weigh = (line: string, distance: number) => {
    const weight = 1 - (0.8 * distance) / linesAbove;
    for (const name of wordsOf(line)) weights.set(name, Math.max(weight, weights.get(name) ?? 0));
  };
  above.forEach(weigh);
  below.forEach((line, i) => void weigh(line, i + 4));
  return { weights, modules: importedModules(text.slice(0, headChars)) };
}

/** head: the beginning of the file. Its imports may be grouped, as in Go. */
function importedModules(head: string): Set<string> {
  const group = /^import \(([^)]*)\)/m.exec(head)?.[1] ?? '';
  const statements = [...(head.match(importLine) ?? []), ...(head.match(importCall) ?? []), group];
  const paths = statements.flatMap((statement) => statement.match(/[\w@./:\\-]+/g) ?? []);
  return new Set(paths.flatMap(moduleNames));
}

function moduleNames(path: string): string[] {
  const parts = path.split(/[/\\.:]+/).filter((part) => part.length > 2);
  return parts.slice(-2).map(comparable);
}

/** Makes "user_store", "user-store" and "UserStore" equal. */
export function comparable(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/** The offsets of names whose definitions may help: first names just before the cursor, then imported names. */
export function namesToDefine({ text, offset }: CursorDocument): number[] {
  const found = new Map<string, number>();
  const add = (from: number, part: string, maxFound: number) => {
    for (const match of [...part.matchAll(identifier)].reverse()) {
      if (found.size < maxFound && !found.has(match[0])) found.set(match[0], from + match.index);
    }
  };
  const near = text.slice(Math.max(0, offset - 400), offset);
  add(offset - near.length, near, maxNames / 2);
  for (const match of text.slice(0, headChars).matchAll(importLine)) add(match.index, match[0], maxNames);
  return [...found.values()];
}
