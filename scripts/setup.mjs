// Prepares a fresh clone: installs packages, and builds the addon and the bundles. Skips what is up to date, so a
// second run takes about a second.
import { existsSync, lstatSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkBuildTools, main, root, run, runNpm, ToolError } from './tools.mjs';

// npm writes node_modules/.package-lock.json last, so it is missing after an interrupted install.
function packagesAreCurrent() {
  const installed = join(root, 'node_modules', '.package-lock.json');
  return existsSync(installed) && statSync(installed).mtimeMs >= statSync(join(root, 'package-lock.json')).mtimeMs;
}

async function installPackages() {
  if (lstatSync(join(root, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw new ToolError(
      'node_modules is a link, and npm ci would empty the folder to which it leads. ' +
        'Remove the link, or bring the packages in that folder up to date with npm ci there.',
    );
  }
  console.log('installing packages (npm ci)');
  await runNpm(['ci', '--no-audit', '--no-fund', '--loglevel', 'error']);
  removeParsers(join(root, 'node_modules'));
}

/** Removes the parsers in C and the binaries of tree-sitter's grammars: half a gigabyte that Hearth does not use. */
function removeParsers(folder) {
  const scopes = readdirSync(folder).filter((name) => name.startsWith('@'));
  for (const parent of [folder, ...scopes.map((name) => join(folder, name))]) {
    for (const name of readdirSync(parent).filter((each) => each.startsWith('tree-sitter-'))) {
      const files = readdirSync(join(parent, name), { recursive: true });
      for (const file of files.filter((each) => /(?:^|[\\/])(?:prebuilds|parser\.c|grammar\.json)$/.test(each)))
        rmSync(join(parent, name, file), { recursive: true, force: true });
    }
  }
}

export async function setup() {
  checkBuildTools();
  if (!packagesAreCurrent()) await installPackages();
  console.log('building the engine');
  await run(process.execPath, ['scripts/build-native.mjs', '--addon']);
  await run(process.execPath, ['esbuild.mjs']);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(setup);
