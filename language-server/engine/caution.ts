// What the engine does without after crashes. All windows share it, so it has to be as careful as any of them wants.
import type { Settings } from '../protocol/messages.ts';

/** What one window wants because of the crashes that it has seen; see InitializationOptions. */
export interface Caution {
  avoidsGpu?: boolean;
  isSafeMode?: boolean;
}

interface Restricted {
  settings: Settings;
  pagesFolder: string;
}

export function restrict<T extends Restricted>(setup: T, cautions: Iterable<Caution>): T {
  const all = [...cautions];
  const isSafeMode = all.some((each) => each.isSafeMode);
  const onCpu = isSafeMode || all.some((each) => each.avoidsGpu);
  const settings = {
    ...setup.settings,
    ...(onCpu && { backend: 'cpu' as const }),
    ...(isSafeMode && { 'draftModel.path': '' }),
  };
  return { ...setup, settings, ...(isSafeMode && { pagesFolder: '' }) };
}
