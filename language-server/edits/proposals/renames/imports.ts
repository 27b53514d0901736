// Whether an import is one of a file, by its path or as a module.

const beginning =
  /^\s*(?:pub\s+)?(?:import|from|use|using|include|require|require_once|require_relative|#\s*include)\s/;
const ofAll = /\*|^\s*(?:#\s*include|include|require)/;
/** Where what is declared outside of a class is known to the other files of the folder. */
const sharedByFolder = /\.(?:go|java|kt|swift)$/;
const indexNames = ['index', '__init__', 'mod', 'lib'];

/** statement: the whole of it, with the path or the names of the modules. */
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

/** Escaped for a regular expression. */
function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
