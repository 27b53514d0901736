// Code that depends on the operating system belongs in system/, or in one TypeScript file. Finds lines of other files
// that ask which system they are compiled for or run on, or include a header that only some systems have.

const cppRoom = 'system/';
const typeScriptFile = 'language-server/protocol/system.ts';

const systemMacros =
  /^\s*#.*\b(_WIN32|_WIN64|__MINGW\w*|__linux__|__linux|linux|__APPLE__|__MACH__|__unix__|__unix|__ANDROID__|__GLIBC__|_POSIX\w*)\b/;
const systemHeaders =
  /^\s*#\s*include\s*<(sys\/|linux\/|asm\/|mach\/|unistd\.h|fcntl\.h|dlfcn\.h|pthread\.h|sched\.h|signal\.h|spawn\.h|poll\.h|io\.h|share\.h|direct\.h|process\.h|windows\.h|win\w+\.h|psapi\.h|delayimp\.h)/;
const platformQuestion = /\b(process\.platform|platform\(\))\s*[!=]==?/;

/** A sentence for each line of a C++ or TypeScript file that depends on the system, which only tests and tools may. */
export function systemDifferences(path, text) {
  if (/^(test|lab)\//.test(path) || path.startsWith(cppRoom) || path === typeScriptFile) return [];
  const [patterns, place] = path.endsWith('.ts')
    ? [[platformQuestion], typeScriptFile]
    : [[systemMacros, systemHeaders], cppRoom];
  return text.split('\n').flatMap((line, i) => {
    const name = patterns.map((pattern) => line.match(pattern)?.[1]).find(Boolean);
    return name === undefined ? [] : [`${path}:${i + 1}: ${name} differs between systems and belongs to ${place}`];
  });
}
