// scripts/targets/ refuses wrong addons and packages. The tests pass it descriptions of files; test/everywhere builds
// real files and tests their contents.
import { spawnSync } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
// @ts-expect-error a script without types
import { grammarFiles } from '../../scripts/grammars.mjs';
// @ts-expect-error a script without types
import { inOwnFolder } from '../../scripts/package.mjs';
// @ts-expect-error a script without types
import { packageAll, releaseNotes } from '../../scripts/package-all.mjs';
// @ts-expect-error a script without types
import { expectedFiles, packageProblems, webProblems } from '../../scripts/targets/check-package.mjs';
// @ts-expect-error a script without types
import { addonProblems, variantProblems } from '../../scripts/targets/inspect.mjs';
// @ts-expect-error a script without types
import { targetOf, targets } from '../../scripts/targets/targets.mjs';

const exports = ['napi_register_module_v1', 'node_api_module_get_api_version_v1'];
const linuxAddon = {
  path: 'extension/dist/hearth.node',
  format: 'ELF',
  architecture: 'x86_64',
  libraries: ['libc.so.6', 'libm.so.6', 'ld-linux-x86-64.so.2'],
  versions: { GLIBC: [2, 27] },
  exports,
  imports: ['napi_create_object', 'memcpy'],
};
const macAddon = {
  format: 'MachO',
  architecture: 'arm64',
  libraries: ['/usr/lib/libSystem.B.dylib'],
  minimum: '12.0',
  name: '@rpath/hearth.node',
  signature: 'adhoc',
  exports: [...exports.map((name) => `_${name}`), '___dso_handle', '__Znwm', '__ZdaPvSt11align_val_t'],
  imports: ['_napi_create_object', '_memcpy'],
  instructions: { dot: 7000, smmla: 3000 },
};
const windowsAddon = {
  format: 'PE',
  architecture: 'amd64',
  libraries: ['api-ms-win-core-synch-l1-2-0.dll', 'kernel32.dll', 'msvcrt.dll'],
  exports,
  imports: ['CreateFileW'],
};
const windowsArmAddon = {
  ...windowsAddon,
  architecture: 'arm64',
  libraries: ['api-ms-win-core-synch-l1-2-0.dll', 'api-ms-win-crt-heap-l1-1-0.dll', 'kernel32.dll'],
  instructions: macAddon.instructions,
};
const linux = targetOf('linux-x64');

test('a correct addon is accepted', () => {
  expect(addonProblems(linuxAddon, linux)).toEqual([]);
  expect(addonProblems(macAddon, targetOf('darwin-arm64'))).toEqual([]);
  expect(addonProblems(windowsAddon, targetOf('win32-x64'))).toEqual([]);
  expect(addonProblems(windowsArmAddon, targetOf('win32-arm64'))).toEqual([]);
});

test.each([
  ['another architecture', { architecture: 'aarch64' }, 'it is ELF for aarch64, not ELF for x86_64'],
  ['no binary', { format: 'other', architecture: undefined }, 'it is other for nothing, not ELF for x86_64'],
  ['a newer C library', { versions: { GLIBC: [2, 34] } }, 'it needs GLIBC_2.34, newer than 2.28'],
  ['a newer major version', { versions: { GLIBC: [3, 0] } }, 'it needs GLIBC_3.0, newer than 2.28'],
  ['a C++ library', { versions: { GLIBCXX: [3, 4, 30] } }, 'it needs GLIBCXX_3.4.30, which the system need not have'],
  ['a foreign library', { libraries: ['libssl.so.3'] }, 'it needs the library libssl.so.3'],
  [
    'exported names that other libraries could bind to',
    { exports: [...exports, '_Znwm'] },
    'it exports 1 other names, such as _Znwm',
  ],
  [
    'missing functions',
    { imports: ['napi_create_object', '_ZNK6hearth5Model4loadEv'] },
    'it lacks 1 functions of its own, such as _ZNK6hearth5Model4loadEv',
  ],
  [
    'a missing virtual table',
    { imports: ['_ZTVN6hearth5ModelE'] },
    'it lacks 1 functions of its own, such as _ZTVN6hearth5ModelE',
  ],
  ['a missing entry point', { exports: exports.slice(1) }, 'it does not export napi_register_module_v1'],
])('an addon is refused for %s', (_, change, problem) => {
  expect(addonProblems({ ...linuxAddon, ...change }, linux)).toEqual([problem]);
});

test.each([
  ['no signature', { signature: 'none' }, 'its signature is none, not ad hoc: macOS may refuse it'],
  ['bytes changed since', { signature: 'broken' }, 'its signature is broken, not ad hoc: macOS may refuse it'],
  ['the path of its build', { name: '/builder/hearth.node' }, 'it names a folder of the builder, /builder/hearth.node'],
  ['a newer macOS', { minimum: '15.0' }, 'it is for macOS 15.0, not 12.0'],
  ['no kernels', { instructions: { dot: 3, smmla: 3000 } }, 'it has 3 dot products: kernels are missing'],
  ['no kernels of I8MM', { instructions: { dot: 7000, smmla: 3 } }, 'it has 3 matrix products: kernels are missing'],
  [
    'an exported name of its own',
    { exports: [...macAddon.exports, '__ZN6hearth3runEv'] },
    'it exports 1 other names, such as __ZN6hearth3runEv',
  ],
  ['a framework', { libraries: ['/System/Accelerate'] }, 'it needs the library /System/Accelerate'],
])('an addon for macOS is refused for %s', (_, change, problem) => {
  expect(addonProblems({ ...macAddon, ...change }, targetOf('darwin-arm64'))).toEqual([problem]);
});

test('an addon for an Intel Mac must be signed, too', () => {
  const { instructions: _, ...facts } = { ...macAddon, architecture: 'x86_64' };
  expect(addonProblems(facts, targetOf('darwin-x64'))).toEqual([]);
  expect(addonProblems({ ...facts, signature: 'none' }, targetOf('darwin-x64'))).toHaveLength(1);
});

test.each([
  ['the name of a host, which is Code.exe in VS Code', { libraries: ['node.exe'] }, 'it needs the library node.exe'],
  ['a C++ library', { libraries: ['libstdc++-6.dll'] }, 'it needs the library libstdc++-6.dll'],
  ['32 bits', { architecture: 'i386' }, 'it is PE for i386, not PE for amd64'],
  ['another processor', { architecture: 'arm64' }, 'it is PE for arm64, not PE for amd64'],
  [
    'exported names that other libraries could bind to',
    { exports: [...exports, '_ZN6hearth4loadEv'] },
    'it exports 1 other names, such as _ZN6hearth4loadEv',
  ],
])('an addon for Windows is refused for %s', (_, change, problem) => {
  expect(addonProblems({ ...windowsAddon, ...change }, targetOf('win32-x64'))).toEqual([problem]);
});

test.each([
  ['the C library of Windows 7', { libraries: ['msvcrt.dll'] }, 'it needs the library msvcrt.dll'],
  ['Intel', { architecture: 'amd64' }, 'it is PE for amd64, not PE for arm64'],
  ['no kernels', { instructions: { dot: 7000, smmla: 0 } }, 'it has 0 matrix products: kernels are missing'],
])('an addon for Windows on ARM is refused for %s', (_, change, problem) => {
  expect(addonProblems({ ...windowsArmAddon, ...change }, targetOf('win32-arm64'))).toEqual([problem]);
});

test('a variant that shares a function or is missing is found', () => {
  const object = (name: string, globals: string[]) => ({ path: `a/variant_${name}.cc.o`, globals });
  const table = (name: string) => `_ZN6hearth7kernels3cpu${name.length + 8}${name}_kernelsEv`;
  const good = ['i8mm', 'neon', 'scalar'].map((name) => object(name, [table(name)]));
  const arm = targetOf('linux-arm64');
  expect(variantProblems(good, arm)).toEqual([]);
  expect(variantProblems(good.slice(1), arm)).toEqual(['its variant i8mm is missing']);
  const shared = [good[0], object('neon', [table('neon'), '_ZNSt6vectorIfE9push_backEOf']), good[2]];
  expect(variantProblems(shared, arm)).toEqual(['its variant neon shares _ZNSt6vectorIfE9push_backEOf']);
});

const models: Record<string, string> = {
  'extension/models/starter.gguf': 'a'.repeat(64),
  'extension/models/next-edit-0.5b.gguf': 'd'.repeat(64),
  'extension/models/next-edit-1.5b.gguf': 'c'.repeat(64),
  'extension/models/completion-0.5b.gguf': 'e'.repeat(64),
  'extension/models/completion-1.5b.gguf': 'f'.repeat(64),
};
const addonDigest = 'b'.repeat(64);
const digests: Record<string, string> = { ...models, 'extension/dist/hearth.node': addonDigest };
const facts = {
  files: (expectedFiles() as string[]).map((path) => ({
    path,
    bytes: 10,
    isLink: false,
    sha256: digests[path] ?? path,
  })),
  binaries: [linuxAddon],
  identity: { Version: '0.1.0', TargetPlatform: 'linux-x64' },
  components: [
    addonDigest,
    ...Object.values(models),
    ...(grammarFiles as string[]).map((each) => `extension/${each}`),
  ].map((content) => ({ hashes: [{ content }] })),
  notices: 'Hearth contains these packages:\n\ncompiler-rt of zig 0.15.2 (MIT)\n\nMay be used.\n',
};
const expected = { bytes: 50e6, version: '0.1.0', models };
const file = (path: string, isLink = false) => ({ path, bytes: 10, isLink, sha256: '' });
const without = (path: string) => facts.files.filter((each) => each.path !== path);

test('a complete package is accepted, on Linux with GPU kernels', () => {
  expect(packageProblems(facts, 'linux-x64', expected)).toEqual([]);
  const kernels = ['gfx1100.co', 'nvidia.fatbin'].map((name) => file(`extension/dist/gpu/${name}`));
  const amdgpu = { path: kernels[0]?.path, format: 'ELF', architecture: 'amdgpu' };
  const withKernels = { ...facts, files: [...facts.files, ...kernels], binaries: [linuxAddon, amdgpu] };
  expect(packageProblems(withKernels, 'linux-x64', expected)).toEqual([]);
});

test("a package may contain its own system's wgpu-native, if it is listed and has its licence", () => {
  const path = 'extension/dist/gpu/wgpu-native.library';
  const files = [...facts.files, { ...file(path), sha256: 'wgpu' }];
  const problems = (more: object, name = 'linux-x64'): string[] =>
    packageProblems({ ...facts, files, ...more }, name, expected);
  const whole = {
    binaries: [linuxAddon, { path, format: 'ELF', architecture: 'x86_64' }],
    components: [...facts.components, { hashes: [{ content: 'wgpu' }] }],
    notices: `${facts.notices}\nwgpu-native 29.0.1.1 (MIT OR Apache-2.0)\n`,
  };
  expect(problems(whole)).toEqual([]);
  const wrong = { ...whole, binaries: [linuxAddon, { path, format: 'MachO', architecture: 'arm64' }] };
  expect(problems(wrong)).toEqual([`${path} is not ELF for x86_64`]);
  expect(problems({ ...whole, components: facts.components })).toEqual([expect.stringMatching(/does not list .*wgpu/)]);
  expect(problems({ ...whole, notices: facts.notices })).toEqual([expect.stringMatching(/licence of the wgpu-native/)]);
  expect(problems(whole, 'alpine-x64')).toContain(`${path} does not belong in it`);
});

test.each([
  [
    'the addon of another system',
    { binaries: [{ ...linuxAddon, ...macAddon }] },
    [/hearth\.node: it is MachO for arm64/],
  ],
  ['an addon that is text', { binaries: [] }, [/hearth\.node is not a library/]],
  [
    'another library',
    { binaries: [linuxAddon, { path: 'extension/dist/x.so', format: 'ELF', architecture: 'arm' }] },
    [/x\.so is ELF for arm/],
  ],
  [
    'the manifest of another system',
    { identity: { Version: '0.1.0', TargetPlatform: 'win32-x64' } },
    [/for win32-x64, not linux-x64/],
  ],
  ['another version', { identity: { Version: '0.2.0', TargetPlatform: 'linux-x64' } }, [/version is 0\.2\.0/]],
  ['a missing bundle', { files: without('extension/dist/server.js') }, [/dist\/server\.js is missing/]],
  ['an extra file', { files: [...facts.files, file('extension/.env')] }, [/extension\/\.env does not belong in it/]],
  ['a path that leads out', { files: [...facts.files, file('../../x')] }, [/\.\.\/\.\.\/x does not belong/]],
  [
    'a link',
    { files: [...without('extension/dist/hearth.js'), file('extension/dist/hearth.js', true)] },
    [/hearth\.js is a link/],
  ],
  ['two files with one path', { files: [...facts.files, file('extension/dist/server.js')] }, [/two of its files/]],
  [
    'another model',
    { files: [...without('extension/models/starter.gguf'), file('extension/models/starter.gguf')] },
    [/starter\.gguf is not the file in models/, /does not list .*starter/],
  ],
  [
    'a missing adapter',
    { files: without('extension/models/next-edit-1.5b.gguf') },
    [
      /next-edit-1\.5b\.gguf is missing/,
      /next-edit-1\.5b\.gguf is not the file in models/,
      /does not list .*next-edit/,
    ],
  ],
  ['a missing licence', { notices: '' }, [/NOTICES\.txt lacks the licence of the compiler-rt of zig/]],
  ['a list without the addon', { components: facts.components.slice(1) }, [/does not list .*hearth\.node/]],
  ['a list without a grammar', { components: facts.components.slice(0, -1) }, [/does not list .*\.wasm/]],
])('a package is refused for %s', (_, change, problems) => {
  const found: string[] = packageProblems({ ...facts, ...change }, 'linux-x64', expected);
  expect(found).toEqual(problems.map((problem) => expect.stringMatching(problem)));
});

test('a package is refused if it is too large, or has GPU kernels that cannot run on its system', () => {
  expect(packageProblems(facts, 'linux-x64', { ...expected, bytes: 106e6 })).toEqual([
    expect.stringMatching(/106000000 bytes/),
  ]);
  const musl = { ...linuxAddon, libraries: ['libc.so'], versions: {} };
  const identity = { Version: '0.1.0', TargetPlatform: 'alpine-x64' };
  const files = [...facts.files, file('extension/dist/gpu/nvidia.fatbin')];
  expect(packageProblems({ ...facts, files, identity, binaries: [musl] }, 'alpine-x64', expected)).toEqual([
    "extension/dist/gpu/nvidia.fatbin can't run on alpine-x64",
  ]);
});

test('a package for the browser has no binaries and no files that only a separate process needs', () => {
  const problems: string[] = webProblems(facts, { ...expected, version: '0.2.0' });
  expect(problems).toContain('it is for linux-x64, not web');
  expect(problems).toContain('its version is 0.1.0, not 0.2.0');
  expect(problems).toContain('extension/dist/web.js is missing or empty');
  expect(problems).toContain('extension/dist/server.js does not belong in it');
  expect(problems).toContain('extension/dist/hearth.node is ELF for x86_64');
});

test('two runs that pack one target at the same time use two folders, and delete both', async () => {
  const used: string[] = [];
  const end = new EventEmitter();
  const write = (folder: string) => {
    used.push(folder);
    writeFileSync(join(folder, 'README.md'), String(used.length));
  };
  const packings = [
    inOwnFolder('web', async (folder: string) => {
      write(folder);
      await once(end, 'end');
      expect(readdirSync(folder)).toEqual(['README.md']);
    }),
    inOwnFolder('web', async (folder: string) => {
      expect(readdirSync(folder)).toEqual([]);
      write(folder);
      throw new Error('this one fails');
    }),
  ];
  await expect(packings[1]).rejects.toThrow('this one fails');
  end.emit('end');
  await packings[0];
  expect(used.filter((folder) => existsSync(folder))).toEqual([]);
  expect(new Set(used).size).toBe(2);
});

test("a package for another system is not made with this machine's addon", () => {
  const other = process.platform === 'win32' ? 'linux-x64' : 'win32-x64';
  const script = join(import.meta.dirname, '../../scripts/package.mjs');
  const { status, stderr } = spawnSync(process.execPath, [script, '--target', other], { encoding: 'utf8' });
  expect(stderr).toContain(`--addon names the one for ${other}`);
  expect(status).toBe(1);
});

test('the notes of a release are its section in the changelog', () => {
  const changelog =
    '# Changelog\n\n## [Unreleased]\n\n- new\n\n## [0.1.0] - 2026-01-01\n\n- first\n\n### Fixes\n\n- bug\n\n## [0.0.1]\n\n- old\n';
  expect(releaseNotes(changelog, '0.1.0')).toBe('- first\n\n### Fixes\n\n- bug\n');
  expect(releaseNotes(changelog, '0.2.0')).toBe('- new\n');
  expect(() => releaseNotes('# Changelog\n', '0.1.0')).toThrow('CHANGELOG.md has no section for 0.1.0');
});

test('the error for an unknown target names it', () => {
  expect(() => targetOf('toString')).toThrow(`no target named toString; there are ${Object.keys(targets).join(', ')}`);
});

test('a wrong name deletes no packages of an earlier run', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-release-'));
  writeFileSync(join(folder, 'hearth-linux-x64-0.1.0.vsix'), '');
  await expect(packageAll(['linux-x64', 'linux-x86'], folder)).rejects.toThrow('no target named linux-x86');
  expect(readdirSync(folder)).toHaveLength(1);
  rmSync(folder, { recursive: true });
});
