// The systems that Hearth is built for, by VS Code's names for them.
import { ToolError } from '../tools.mjs';
import { zigLicence } from './python-tools.mjs';

const llvm = 'Apache-2.0 WITH LLVM-exception';
const zigLibraries = [
  ['libc++, libc++abi and libunwind of zig', '0.15.2', llvm],
  ['compiler-rt of zig', '0.15.2', 'MIT', zigLicence],
];
const mingwLicences = '/usr/share/doc/mingw-w64-x86-64-dev/copyright';
/** The libraries of Debian 12's g++ for Windows. */
const mingwLibraries = [
  ['libstdc++ and libgcc of GCC', '12.2.0', 'GPL-3.0-or-later WITH GCC-exception-3.1'],
  ['runtime of mingw-w64', '10.0.0', 'ZPL-2.1', mingwLicences],
  ['winpthreads of mingw-w64', '10.0.0', 'MIT AND BSD-3-Clause', mingwLicences],
];

/**
 * zig: zig's name for the system, with the oldest version that Hearth supports. toolchain: for a target that zig does
 * not build, the CMake toolchain file in native/. commands: the commands that the toolchain needs. format,
 * architecture: of the addon's file, in the words of binary_facts.py. versions: the newest symbol version that the
 * addon may need, for each prefix; other prefixes are forbidden. libraries: the system's libraries that the addon may
 * need. kernels: the endings of the GPU kernels that can run there. wheel: the platform of the wheel that contains
 * wgpu-native, if there is one. variants: of the CPU kernels. linked: the libraries that the compiler links into the
 * addon, as [name, version, licence, the file with the licence's text]. There is no file if the licence makes an
 * exception for libraries that a compiler links.
 */
export const targets = {
  'linux-x64': {
    zig: 'x86_64-linux-gnu.2.28',
    format: 'ELF',
    architecture: 'x86_64',
    versions: { GLIBC: [2, 28] },
    libraries: /^(lib(c|m|dl|pthread|rt)\.so\.\d|ld-linux-x86-64\.so\.2)$/,
    kernels: ['.co', '.fatbin'],
    wheel: 'manylinux_2_28_x86_64',
    variants: ['amx', 'avx512vnni', 'avxvnni', 'avx2', 'scalar'],
    linked: zigLibraries,
  },
  'linux-arm64': {
    zig: 'aarch64-linux-gnu.2.28',
    format: 'ELF',
    architecture: 'aarch64',
    versions: { GLIBC: [2, 28] },
    libraries: /^(lib(c|m|dl|pthread|rt)\.so\.\d|ld-linux-aarch64\.so\.1)$/,
    kernels: [],
    wheel: 'manylinux_2_28_aarch64',
    variants: ['i8mm', 'neon', 'scalar'],
    linked: zigLibraries,
  },
  'alpine-x64': {
    zig: 'x86_64-linux-musl',
    format: 'ELF',
    architecture: 'x86_64',
    versions: {},
    libraries: /^libc\.so$/,
    kernels: [],
    variants: ['amx', 'avx512vnni', 'avxvnni', 'avx2', 'scalar'],
    linked: zigLibraries,
  },
  'darwin-arm64': {
    zig: 'aarch64-macos.12.0',
    format: 'MachO',
    architecture: 'arm64',
    minimum: '12.0',
    libraries: /^\/usr\/lib\/libSystem\.B\.dylib$/,
    kernels: [],
    wheel: 'macosx_11_0_arm64',
    variants: ['i8mm', 'neon', 'scalar'],
    linked: zigLibraries,
  },
  'darwin-x64': {
    zig: 'x86_64-macos.12.0',
    format: 'MachO',
    architecture: 'x86_64',
    minimum: '12.0',
    libraries: /^\/usr\/lib\/libSystem\.B\.dylib$/,
    kernels: [],
    wheel: 'macosx_10_9_x86_64',
    variants: ['amx', 'avx512vnni', 'avxvnni', 'avx2', 'scalar'],
    linked: zigLibraries,
  },
  'win32-x64': {
    toolchain: 'x86_64-windows.cmake',
    commands: ['clang++-16', 'ld.lld-16', 'llvm-ar-16', 'x86_64-w64-mingw32-g++-posix'],
    format: 'PE',
    architecture: 'amd64',
    libraries: /^(kernel32|advapi32|msvcrt|api-ms-win-core-synch-l1-2-0)\.dll$/,
    kernels: ['.co', '.fatbin'],
    wheel: 'win_amd64',
    variants: ['amx', 'avx512vnni', 'avxvnni', 'avx2', 'scalar'],
    linked: mingwLibraries,
  },
  'win32-arm64': {
    zig: 'aarch64-windows-gnu',
    format: 'PE',
    architecture: 'arm64',
    libraries: /^(kernel32|advapi32|api-ms-win-(core-synch-l1-2-0|crt-\w+-l1-1-0))\.dll$/,
    kernels: [],
    wheel: 'win_arm64',
    variants: ['i8mm', 'neon', 'scalar'],
    linked: zigLibraries,
  },
};

/** Throws a ToolError for a name that is not in the table. */
export function targetOf(name) {
  if (Object.hasOwn(targets, name)) return targets[name];
  throw new ToolError(`no target named ${name}; there are ${Object.keys(targets).join(', ')}`);
}
