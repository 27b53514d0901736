// What tests on Mesa's lavapipe share.
import { copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Whether the part "webgpu" of test/run.mjs runs the tests: it gets the library and a driver. */
export const hasWebgpu = process.env.HEARTH_WEBGPU_ANY_ADAPTER !== undefined;

/**
 * Makes a folder this process's cache folder. A self-test takes long there, so records of those that have passed come along;
 * the function that is returned takes them back, for the next file of tests.
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
