// The folder of the built programs, and the Node that runs them: this machine's, or one for the system that
// test/everywhere tests.
import { join } from 'node:path';

/** The command that runs a program, to be followed by the program's path and arguments. HEARTH_NODE is a JSON array. */
export const node: string[] = process.env.HEARTH_NODE ? JSON.parse(process.env.HEARTH_NODE) : [process.execPath];
export const isWindows = process.platform === 'win32' || node.some((part) => part.endsWith('wine.mjs'));
export const dist = process.env.HEARTH_DIST ?? join(__dirname, '../../dist');
