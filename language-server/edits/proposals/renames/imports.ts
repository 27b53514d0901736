// Tells whether a statement imports a file, by its path or by the name of its module.
import { posix } from 'node:path';

const beginning =
  /^\s*(?:pub\s+)?(?:import|from|use|using|include|require|require_once|require_relative|#\s*include)\s/;
const importsAll = /\*|^\s*(?:#\s*include|include|require)/;
/** In these languages, a file uses without an import what other files of its folder declare outside of classes. */
const sharedByFolder = /\.(?:go|java|kt|swift)$/;
const indexNames = ['index', '__init__', 'mod', 'lib'];
/** The endings that an import may write. Others are a part of the name, as in './a.model'. */
const writtenEnding = /(?<=[^/])\.(?:[cm]?[jt]sx?|vue|svelte|c(?:c|pp|xx)?|h(?:h|pp|xx)?|php|rb)$/;

/** statement: a whole import statement in the file `from`. */
export function importsFile(statement: string, from: string, path: string): boolean {
  const target = relativeTarget(statement, from);
  if (target !== undefined) {
    const stem = path.replaceAll('\\', '/').replace(/(?<=[^/])(?:\.d)?\.\w+$/, '');
    return [target, ...indexNames.map((name) => posix.join(target, name))].includes(stem);
  }
  const [name = '', folder = ''] = path.split(/[\\/]/).reverse();
  const stem = escaped(name.replace(/(?:\.\w+)+$/, ''));
  const module = indexNames.includes(stem) ? escaped(folder) : stem;
  if (module === '') return false;
  // A quoted name without a path is that of a package.
  const quoted = `/${module}(?:/${stem})?(?:\\.\\w+)*["'\`]|#\\s*include\\s*"${module}\\.`;
  const dotted = `^[^"'\`]*(?:\\s|\\.|::)${module}(?:\\s|\\.|::|;|$)`;
  return new RegExp(`${quoted}|${dotted}`, 'm').test(statement);
}

/**
 * The path that a statement names relative to its file, without its ending; undefined if there is none, or if it leads
 * out of the workspace.
 */
function relativeTarget(statement: string, from: string): string | undefined {
  const quoted = /["'`](\.{1,2}(?:\/[^"'`]*)?)["'`]/.exec(statement)?.[1];
  const [, dots = '', dotted = ''] = /^\s*from\s+(\.+)([\w.]*)\s+import\b/.exec(statement) ?? [];
  if (quoted === undefined && dots === '') return undefined;
  const ofDots = `${'../'.repeat(Math.max(0, dots.length - 1))}${dotted.replaceAll('.', '/')}`;
  const target = posix.join(posix.dirname(from.replaceAll('\\', '/')), quoted ?? ofDots).replace(/\/$/, '');
  return target.startsWith('..') ? undefined : target.replace(writtenEnding, '');
}

/** Whether a file sees all names of the other file, because it imports them all or needs no import. text: its text. */
export function seesAllOf(text: string, path: string, other: string): boolean {
  const folder = (file: string) => file.slice(0, file.lastIndexOf('/') + 1);
  const kind = sharedByFolder.exec(path)?.[0];
  if (kind !== undefined && other.endsWith(kind) && folder(path) === folder(other)) return true;
  const lines = text.split('\n').filter((line) => beginning.test(line));
  return lines.some((line) => importsAll.test(line) && importsFile(line, path, other));
}

/** Escapes the text for use in a regular expression. */
function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
