// Downloads wgpu-native, the library that kernels/webgpu uses, from wheels on PyPI. Their digests are in
// wgpu-requirements.txt.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { targetOf } from './targets/targets.mjs';
import { root, run } from './tools.mjs';

const requirements = join(root, 'scripts/wgpu-requirements.txt');
/** webgpu.h and wgpu.h, for test/kernels/webgpu. */
export const wgpuHeaders = join(root, 'build/wgpu-native/include');
const unpack = `
import sys, zipfile
from pathlib import Path
folder, headers = map(Path, sys.argv[1:])
wheel, = folder.glob("*.whl")
headers.mkdir(parents=True, exist_ok=True)
for name in map(Path, zipfile.ZipFile(wheel).namelist()):
    to = headers if name.suffix == ".h" else folder if "wgpu_native" in name.name else None
    if to: (to / name.name).write_bytes(zipfile.ZipFile(wheel).read(name.as_posix()))
wheel.unlink()
`;

const folderOf = (target) => join(root, 'build/wgpu-native', target);

/** The path of the library for a target; undefined if it has not been downloaded. */
export function wgpuLibrary(target) {
  const folder = folderOf(target);
  const name = existsSync(folder) && readdirSync(folder).find((file) => file.includes('wgpu_native'));
  return name ? join(folder, name) : undefined;
}

/** Downloads the library for a target with a wheel, unless it is already there. Resolves to its path. */
export async function wgpuNative(target = 'linux-x64') {
  const wanted = createHash('sha256').update(readFileSync(requirements)).digest('hex');
  const folder = folderOf(target);
  const record = join(folder, 'complete');
  if (existsSync(record) && readFileSync(record, 'utf8') === wanted) return wgpuLibrary(target);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const options = ['--no-deps', '--only-binary', ':all:', '--require-hashes', '--quiet', '--dest', folder];
  const { wheel } = targetOf(target);
  await run('python3', ['-m', 'pip', 'download', ...options, '--platform', wheel, '-r', requirements]);
  await run('python3', ['-c', unpack, folder, wgpuHeaders]);
  writeFileSync(record, wanted);
  return wgpuLibrary(target);
}
