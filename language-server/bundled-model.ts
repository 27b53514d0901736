import { join } from 'node:path';

/** The starter model's place relative to dist/, where the bundled programs lie. */
export function bundledModelPath(): string {
  return join(__dirname, '..', 'models', 'starter.gguf');
}
