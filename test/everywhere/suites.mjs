// The suites for a system. Each gets the system's name and a way to run programs there, and returns its counts.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { programOptions } from '../../scripts/bundle.mjs';
import { packageName, packExtension } from '../../scripts/package.mjs';
import { addonOf, buildTarget } from '../../scripts/targets/build.mjs';
import { checkPackage } from '../../scripts/targets/check-package.mjs';
import { pythonTools } from '../../scripts/targets/python-tools.mjs';
import { root, run, ToolError } from '../../scripts/tools.mjs';
import { program, vitest } from '../support/results.mjs';

export const folderOf = (name) => join(root, 'build/everywhere', name);
/** The unpacked package, as a user gets it. The other suites run it. */
const distOf = (name) => join(folderOf(name), 'extension/dist');
const known = /knownFingerprint =\s*'([0-9a-f]{64})'/.exec(
  readFileSync(join(root, 'language-server/diagnosis/same-bits.ts'), 'utf8'),
)[1];

/** Builds and packs the addon, and inspects it; every other system's package must refuse it. */
async function packageSuite(name) {
  await buildTarget(name);
  const folder = folderOf(name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const file = join(folder, packageName(name));
  await packExtension(name, { addon: addonOf(name), out: file });
  await checkPackage(file, name);
  const { python } = await pythonTools();
  await run(python, ['-m', 'zipfile', '-e', file, folder], { quiet: true });
  rmSync(file);
  const wrong = name === 'linux-arm64' ? 'linux-x64' : 'linux-arm64';
  const wrongFile = join(folder, packageName(wrong));
  await packExtension(wrong, { addon: addonOf(name), out: wrongFile });
  const isFound = await checkPackage(wrongFile, wrong).then(
    () => false,
    (error) => /hearth\.node: it is /.test(error.message),
  );
  rmSync(wrongFile);
  if (!isFound) console.log(`FAIL the addon for ${name} was not found in a package for ${wrong}`);
  return { passed: isFound ? 2 : 1, failed: isFound ? 0 : 1 };
}

/** Runs the doctor with each CPU variant, and checks that it finds no problem and the known fingerprint. */
async function bits(name, { node }) {
  const [command, ...rest] = await node();
  const doctor = async (...options) => {
    const args = [...rest, join(distOf(name), 'hearth.js'), 'doctor', '--json', ...options];
    const once = () => run(command, args, { quiet: true }).catch((error) => error.output ?? '');
    // While Wine sets itself up, it can end a program that has written nothing.
    const output = (await once()).trim() || (await once()).trim();
    if (output === '') throw new ToolError(`hearth doctor ${options.join(' ')} wrote nothing`);
    return JSON.parse(output.split('\n').at(-1)).checks;
  };
  const find = (checks, wanted) => checks.find((check) => check.name === wanted);
  const variants = find(await doctor(), 'addon')
    .detail.replace(/.*: /, '')
    .split(', ');
  const result = { passed: 0, failed: 0, sums: {} };
  for (const variant of variants) {
    const checks = await doctor('--variant', variant);
    const detail = find(checks, 'same bits')?.detail ?? '';
    const isGood = detail.includes(`sha256 ${known} (cpu ${variant}`) && checks.every(({ isOk }) => isOk);
    result[isGood ? 'passed' : 'failed']++;
    result.sums[variant] = /sha256 ([0-9a-f]{64})/.exec(detail)?.[1] ?? 'none';
    if (!isGood) console.log(checks.filter(({ isOk }) => !isOk));
  }
  return result;
}

/**
 * Runs a program from this folder, bundled into one file, on the system's Node. Its output is kept beside the package
 * as NAME.log.
 */
const bundled =
  (source, argument = () => '') =>
  async (name, { node }) => {
    const { build } = await import('esbuild');
    const outfile = join(folderOf(name), `${source}.js`);
    const entry = join(import.meta.dirname, `${source}.ts`);
    await build({
      entryPoints: [entry],
      outfile,
      ...programOptions,
      alias: { ...programOptions.alias, vscode: join(root, 'test/support/vscode.ts') },
    });
    const [command, ...rest] = await node();
    const { output, ...result } = await program(command, [...rest, outfile, argument(name)]);
    writeFileSync(join(folderOf(name), `${source}.log`), output);
    return result;
  };

/** A suite of vitest's tests that run Hearth as a program. tests: a pattern of their names; by default all. */
const inVitest = (file, tests) => async (name, system) => {
  const env = { HEARTH_NODE: JSON.stringify(await system.node()), HEARTH_DIST: distOf(name) };
  // Under Wine, a process occasionally ends or hangs without being asked to.
  const again = system.slowness > 1 ? ['--retry=1'] : [];
  const args = [`--testTimeout=${180_000 * system.slowness}`, ...again, '--project', 'engine', file];
  return vitest(`${name}-${file.replace(/\W/g, '-')}`, tests ? [...args, '-t', tests] : args, env);
};

/** Runs C++ tests. */
const cpp =
  (target, folder = '') =>
  async (name, system) => {
    await buildTarget(name, [target]);
    const file = join(root, 'build', name, folder, `${target}${system.ending ?? ''}`);
    const [command, ...args] = [...(await system.program()), file];
    return program(command, args, system.isEmulated ? { HEARTH_EMULATED: '1' } : {});
  };

/**
 * The suites in order: the first one makes the package that the others run. isStatic: the suite runs no program on the
 * system.
 */
export const suites = {
  package: { run: packageSuite, isStatic: true },
  bits: { run: bits },
  golden: { run: bundled('golden', () => join(root, 'test/golden')) },
  cli: { run: inVitest('test/engine/cli.test.ts') },
  lsp: { run: inVitest('test/engine/starter.test.ts') },
  server: { run: bundled('shared-server', distOf) },
  downloads: { run: bundled('downloads') },
  replay: { run: inVitest('test/lab/tools/replay.test.ts') },
  kernels: { run: cpp('kernels_tests') },
  native: { run: cpp('native_tests') },
  gpu: { run: cpp('hip_tests', 'hip_tests') },
};
