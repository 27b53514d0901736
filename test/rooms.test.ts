// CMake's include paths enforce which rooms C++ files may include (ARCHITECTURE.md). These tests check that.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');

/** Every #include "..." in a folder and its subfolders, as [file, included path]. */
function includes(folder: string): [string, string][] {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => /\.(cc|h|inl|hip)$/.test(file))
    .flatMap((file) => {
      const text = readFileSync(join(root, folder, file), 'utf8');
      return [...text.matchAll(/^\s*#include "(.+)"/gm)].map((match): [string, string] => [file, match[1] ?? '']);
    });
}

/** The headers in a folder and its subfolders, by the paths under which they can be included. */
const headers = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.h'));

const isFromSystem = (path: string) => path.startsWith('system/') && existsSync(join(root, path));

test('system includes nothing from other rooms', () => {
  const all = includes('system');
  expect(all.length).toBeGreaterThan(0);
  expect(
    all.filter(([file, path]) => !isFromSystem(path) && !existsSync(join(root, 'system', dirname(file), path))),
  ).toEqual([]);
});

test('kernels include nothing from the engine', () => {
  const engine = new Set(headers('native'));
  const kernels = includes('kernels');
  expect(kernels.length).toBeGreaterThan(0);
  expect(kernels.filter(([, path]) => engine.has(path) || path.includes('native/'))).toEqual([]);
});

const gpuHeaders = [
  ...['hip/ops_hip.h', 'hip/gpu_api.h', 'hip/device.h'],
  ...['webgpu/ops_webgpu.h', 'webgpu/device.h', 'webgpu/wgsl.h'],
];

test("the engine includes only ops.h and quant_blocks.h from kernels, and native/gpu also the GPU kernels' interface", () => {
  const isKnown = (file: string, path: string) =>
    [dirname(file), ''].some((folder) => existsSync(join(root, 'native', folder, path))) ||
    isFromSystem(path) ||
    ['ops.h', 'quant_blocks.h'].includes(path) ||
    (file.startsWith('gpu/') && gpuHeaders.includes(path));
  const all = includes('native');
  expect(all.length).toBeGreaterThan(0);
  expect(all.filter(([file, path]) => !isKnown(file, path))).toEqual([]);
});
