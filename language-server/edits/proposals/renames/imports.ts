// Tells whether an import statement imports a certain file, by its path or as a module.

const beginning =
  /^\s*(?:pub\s+)?(?:import|from|use|using|include|require|require_once|require_relative|#\s*include)\s/;
const importsAll = /\*|^\s*(?:#\s*include|include|require)/;
/** In these languages, files see without an import what others of the folder declare outside of classes. */
const sharedByFolder = /\.(?:go|java|kt|swift)$/;
const indexNames = ['index', '__init__', 'mod', 'lib'];

/** statement: the whole import statement, with the path or the names of the modules. */
export function importsFile(statement: string, path: string): boolean {
  const [name = '', folder = ''] = path.split(/[\\/]/).reverse();
  const stem = escaped(name.replace(/(?:\.\w+)+$/, ''));
  const module = indexNames.includes(stem) ? escaped(folder) : stem;
  if (module === '') return false;
  // Between quotes, a name without a path is a package's.
  const quoted = `/${module}(?:/${stem})?(?:\\.\\w+)*["'\`]|#\\s*include\\s*"${module}\\.`;
  const dotted = `^[^"'\`]*(?:\\s|\\.|::)${module}(?:\\s|\\.|::|;|$)`;
  return new RegExp(`${quoted}|${dotted}`, 'm').test(statement);
}

/** Whether a file sees all names of the other, because it imports them together or need not import them. */
export function seesAllOf(text: string, path: string, other: string): boolean {
  const folder = (of: string) => of.slice(0, of.lastIndexOf('/') + 1);
  const kind = sharedByFolder.exec(path)?.[0];
  if (kind !== undefined && other.endsWith(kind) && folder(path) === folder(other)) return true;
  const lines = text.split('\n').filter((line) => beginning.test(line));
  return lines.some((line) => importsAll.test(line) && importsFile(line, other));
}

/** Escaped for a regular expression. */
function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
