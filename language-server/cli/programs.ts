// The entry point of dist/programs.js: the programs that dist/hearth.js and dist/server.js start.
export { serve } from '../server/main.ts';
export { hearth } from './hearth.ts';
