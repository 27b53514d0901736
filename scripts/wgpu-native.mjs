// Gets wgpu-native, the library behind kernels/webgpu (build/wgpu-native), by the digests of wgpu-requirements.txt.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, run, ToolError } from './tools.mjs';

const requirements = join(root, 'scripts/wgpu-requirements.txt');
const unpack = `
import glob, sys, zipfile
from pathlib import Path
wheel, = glob.glob(sys.argv[1] + "/*.whl")
for name in zipfile.ZipFile(wheel).namelist():
    if Path(name).name in ("libwgpu_native-release.so", "webgpu.h", "wgpu.h", "LICENSE"):
        (Path(sys.argv[1]) / Path(name).name).write_bytes(zipfile.ZipFile(wheel).read(name))
`;

/** Resolves to the folder with libwgpu_native-release.so, webgpu.h, wgpu.h and LICENSE; downloads them once. */
export async function wgpuNative() {
  const wanted = createHash('sha256').update(readFileSync(requirements)).digest('hex');
  const folder = join(root, 'build/wgpu-native');
  const record = join(folder, 'complete');
  if (existsSync(record) && readFileSync(record, 'utf8') === wanted) return folder;
  if (process.platform !== 'linux') throw new ToolError('wgpu-requirements.txt has wheels for Linux only');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const options = ['--no-deps', '--only-binary', ':all:', '--require-hashes', '--quiet'];
  await run('python3', ['-m', 'pip', 'download', ...options, '--dest', folder, '-r', requirements]);
  await run('python3', ['-c', unpack, folder]);
  writeFileSync(record, wanted);
  return folder;
}
