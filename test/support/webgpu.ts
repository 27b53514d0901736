// Helpers for the tests of WebGPU on Mesa's lavapipe, a Vulkan driver that computes on the processor.
import { copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Whether the part "webgpu" of test/run.mjs runs the tests. That part provides the library and a driver. */
export const hasWebgpu = process.env.HEARTH_WEBGPU_ANY_ADAPTER !== undefined;

/**
 * Makes the folder this process's cache folder. The GPU's self-test is slow on lavapipe, so the records of passed
 * self-tests are copied into it. Returns a function that copies new records back, for the next test file.
 */
export function useOwnCache(folder: string): () => void {
  const shared = process.env.XDG_CACHE_HOME;
  process.env.XDG_CACHE_HOME = folder;
  copyPassed(shared, folder);
  return () => copyPassed(folder, shared);
}

function copyPassed(from?: string, to?: string): void {
  if (from === undefined || to === undefined || !existsSync(join(from, 'hearth'))) return;
  mkdirSync(join(to, 'hearth'), { recursive: true });
  for (const name of readdirSync(join(from, 'hearth')))
    if (name.startsWith('gpu-test-')) copyFileSync(join(from, 'hearth', name), join(to, 'hearth', name));
}
