// The entry point that VS Code calls in the extension host. It runs the tests and rejects if one fails.
import { tests as elsewhereTests } from './elsewhere.ts';
import { tests } from './extension.ts';
import { tests as goldenTests } from './golden.ts';
import { runAll } from './suite.ts';

export function run(): Promise<void> {
  return runAll([...tests, ...elsewhereTests, ...goldenTests]);
}
