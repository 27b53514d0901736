// What VS Code calls in the extension host: runs the suite with mocha, and fails when a test fails.
import { join } from 'node:path';
import Mocha from 'mocha';

export function run(): Promise<void> {
  const mocha = new Mocha({ timeout: 60_000, reporter: 'spec' });
  mocha.addFile(join(__dirname, 'extension.cjs'));
  return new Promise((passed, failed) => {
    mocha.run((failures) => (failures ? failed(new Error(`${failures} tests failed`)) : passed()));
  });
}
