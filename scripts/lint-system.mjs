// What differs between operating systems belongs to system/. Finds where other C++ asks which system it is compiled for,
// or includes a header that only some of them have.

const ownRoom = 'system/';
/** Tests and benchmarks, which may need a system to try something. */
const exceptions = ['test/'];

const systemMacros =
  /^\s*#.*\b(_WIN32|_WIN64|__MINGW\w*|__linux__|__linux|linux|__APPLE__|__MACH__|__unix__|__unix|__ANDROID__|__GLIBC__|_POSIX\w*)\b/;
const systemHeaders =
  /^\s*#\s*include\s*<(sys\/|linux\/|asm\/|mach\/|unistd\.h|fcntl\.h|dlfcn\.h|pthread\.h|sched\.h|signal\.h|spawn\.h|poll\.h|io\.h|share\.h|direct\.h|process\.h|windows\.h|win\w+\.h|psapi\.h|delayimp\.h)/;

/** A sentence for each such line of a C++ file. */
export function systemDifferences(path, text) {
  if ([ownRoom, ...exceptions].some((folder) => path.startsWith(folder))) return [];
  return text.split('\n').flatMap((line, i) => {
    const name = line.match(systemMacros)?.[1] ?? line.match(systemHeaders)?.[1];
    return name === undefined ? [] : [`${path}:${i + 1}: ${name} differs between systems and belongs to ${ownRoom}`];
  });
}
