// Tells whether a statement imports a file, by its path or by the name of its module.
const beginning =
  /^\s*(?:pub\s+)?(?:import|from|use|using|include|require|require_once|require_relative|#\s*include)\s/;
const importsAll = /\*|^\s*(?:#\s*include|include|require)/;
/** In these languages, a file uses without an import what other files of its folder declare outside of classes. */
const sharedByFolder = /\.(?:go|java|kt|swift)$/;
const indexNames = ['index', '__init__', 'mod', 'lib'];

/** statement: a whole import statement. */
export function importsFile(statement: string, path: string): boolean {
  const [name = '', folder = ''] = path.split(/[\\/]/).reverse();
  const stem = escaped(name.replace(/(?:\.\w+)+$/, ''));
  const module = indexNames.includes(stem) ? escaped(folder) : stem;
  if (module === '') return false;
  // A quoted name without a path is that of a package.
  const quoted = `/${module}(?:/${stem})?(?:\\.\\w+)*["'\`]|#\\s*include\\s*"${module}\\.`;
  const dotted = `^[^"'\`]*(?:\\s|\\.|::)${module}(?:\\s|\\.|::|;|$)`;
  return new RegExp(`${quoted}|${dotted}`, 'm').test(statement);
}

/** Whether a file sees all names of the other file, because it imports them all or needs no import. text: its text. */
export function seesAllOf(text: string, path: string, other: string): boolean {
  const folder = (file: string) => file.slice(0, file.lastIndexOf('/') + 1);
  const kind = sharedByFolder.exec(path)?.[0];
  if (kind !== undefined && other.endsWith(kind) && folder(path) === folder(other)) return true;
  const lines = text.split('\n').filter((line) => beginning.test(line));
  return lines.some((line) => importsAll.test(line) && importsFile(line, other));
}

/** Escapes the text for use in a regular expression. */
function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
