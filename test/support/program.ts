// The programs in dist/, and the Node that runs them: this machine's, or those of another system for test/everywhere.
import { join } from 'node:path';

/** A command; the program and its arguments follow. HEARTH_NODE is a JSON array. */
export const node: string[] = process.env.HEARTH_NODE ? JSON.parse(process.env.HEARTH_NODE) : [process.execPath];
export const isWindows = process.platform === 'win32' || node.some((part) => part.endsWith('wine.mjs'));
export const dist = process.env.HEARTH_DIST ?? join(__dirname, '../../dist');
