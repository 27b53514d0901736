// What is switched off after crashes: the GPU, or in safe mode all that is not needed. All windows share the engine, so it
// is as careful as any of them wants.
import type { Settings } from '../protocol/messages.ts';

/** What one window wants because of the crashes that it has seen; see InitializationOptions. */
export interface Caution {
  avoidsGpu?: boolean;
  isSafeMode?: boolean;
}

interface Restricted {
  settings: Settings;
  pagesFolder: string;
  draftModel: string;
}

export function restrict<T extends Restricted>(setup: T, cautions: Iterable<Caution>): T {
  const all = [...cautions];
  const isSafeMode = all.some((each) => each.isSafeMode);
  const onCpu = isSafeMode || all.some((each) => each.avoidsGpu);
  const settings = onCpu ? { ...setup.settings, backend: 'cpu' as const } : setup.settings;
  return { ...setup, settings, ...(isSafeMode && { pagesFolder: '', draftModel: '' }) };
}
