import { join } from 'node:path';

/** The path of the starter model relative to dist/, which contains the bundled programs. */
export function bundledModelPath(): string {
  return join(__dirname, '..', 'models', 'starter.gguf');
}
