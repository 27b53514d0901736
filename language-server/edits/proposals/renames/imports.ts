// The imports of a document: whether a name stands in one, and from which file it comes there.
import type { NamePlace } from './name-places.ts';

const beginning =
  /^\s*(?:pub\s+)?(?:import|from|use|using|include|require|require_once|require_relative|#\s*include)\s/;
const required = /^\s*=\s*(?:await\s+)?(?:require|import)\s*\(/;
const ofAll = /\*|^\s*(?:#\s*include|include|require)/;
/** Where what is declared outside of a class is known to the other files of the folder. */
const sharedByFolder = /\.(?:go|java|kt|swift)$/;
const indexNames = ['index', '__init__', 'mod', 'lib'];

/** The statement, without the names in its brackets; undefined if the name stands in no import. */
export function importAround({ before, behind, brackets: [bracket] }: NamePlace): string | undefined {
  if (beginning.test(before)) return before + behind + (bracket ? firstLine(bracket.behind) : '');
  if (bracket === undefined) return undefined;
  const head = bracket.before.slice(bracket.before.lastIndexOf('\n') + 1);
  const isImport = beginning.test(head) || (/\b(?:const|let|var)\s*$/.test(head) && required.test(bracket.behind));
  return isImport ? head + firstLine(bracket.behind) : undefined;
}

/** Whether the import names this file, by its path or as a module. */
export function isOf(statement: string, path: string): boolean {
  const [name = '', folder = ''] = path.split(/[\\/]/).reverse();
  const stem = escaped(name.replace(/(?:\.\w+)+$/, ''));
  const module = indexNames.includes(stem) ? escaped(folder) : stem;
  if (module === '') return false;
  // Between quotes, a name without a path is that of a package.
  const quoted = `/${module}(?:/${stem})?(?:\\.\\w+)*["'\`]|#\\s*include\\s*"${module}\\.`;
  const dotted = `^[^"'\`]*(?:\\s|\\.|::)${module}(?:\\s|\\.|::|;|$)`;
  return new RegExp(`${quoted}|${dotted}`, 'm').test(statement);
}

/** Whether all names of that file are known in this one, as they are imported together or need not be. */
export function seesAllOf(text: string, path: string, other: string): boolean {
  const folder = (of: string) => of.slice(0, of.lastIndexOf('/') + 1);
  const kind = sharedByFolder.exec(path)?.[0];
  if (kind !== undefined && other.endsWith(kind) && folder(path) === folder(other)) return true;
  const lines = text.split('\n').filter((line) => beginning.test(line));
  return lines.some((line) => ofAll.test(line) && isOf(line, other));
}

/** Whether that file is imported in any way, or all of its names are known. */
export function seesFile(text: string, path: string, other: string): boolean {
  const lines = text.split('\n').filter((line) => beginning.test(line) || /\bfrom\s+["']|\brequire\s*\(/.test(line));
  return lines.some((line) => isOf(line, other)) || seesAllOf(text, path, other);
}

/** As it stands in a regular expression. */
function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
