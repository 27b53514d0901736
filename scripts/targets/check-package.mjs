// Opens a finished package and checks that it is complete and fits its system:
//   node scripts/targets/check-package.mjs FILE... (each package's manifest names its target)
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { grammarFiles } from '../grammars.mjs';
import { listedFiles, webFiles } from '../package.mjs';
import { modelFiles } from '../sbom.mjs';
import { main, root, run, ToolError } from '../tools.mjs';
import { addonProblems } from './inspect.mjs';
import { pythonTools } from './python-tools.mjs';
import { targetOf } from './targets.mjs';

const maxBytes = 105e6;
const addonPath = 'extension/dist/hearth.node';
const modelPaths = modelFiles.map((file) => `extension/${file}`);
const sbomPath = 'extension/dist/sbom.cdx.json';
const noticesPath = 'extension/dist/NOTICES.txt';
const kernelPath = /^extension\/dist\/gpu\/[\w-]+(\.co|\.fatbin)$/;
const webgpuPath = 'extension/dist/gpu/wgpu-native.library';

/** vsce renames these three files. */
const renamed = { 'README.md': 'readme.md', LICENSE: 'LICENSE.txt', 'CHANGELOG.md': 'changelog.md' };

/** The paths that these files have in a package, together with those that vsce adds. */
const packagePaths = (files) => [
  'extension.vsixmanifest',
  '[Content_Types].xml',
  ...files.map((file) => `extension/${renamed[file] ?? file}`),
];

/** The paths in every package except the one for browsers. */
export const expectedFiles = () => packagePaths([...listedFiles(), 'package.json', 'README.md']);

export async function packageFacts(file) {
  const { python } = await pythonTools();
  return JSON.parse(await run(python, [join(root, 'scripts/targets/vsix_facts.py'), file], { quiet: true }));
}

/**
 * A sentence for each fault in a package's files, target and version. isOptional(path): whether the path is allowed,
 * but not required.
 */
function fileProblems(facts, name, expected, { bytes, version }, isOptional = () => false) {
  const files = new Map(facts.files.map((file) => [file.path, file]));
  const { Version, TargetPlatform } = facts.identity;
  const others = [...files.keys()].filter((path) => !expected.includes(path) && !isOptional(path));
  return [
    ...(TargetPlatform === name ? [] : [`it is for ${TargetPlatform}, not ${name}`]),
    ...(Version === version ? [] : [`its version is ${Version}, not ${version}`]),
    ...(bytes <= maxBytes ? [] : [`it has ${bytes} bytes, more than ${maxBytes}`]),
    ...expected.filter((path) => !files.get(path)?.bytes).map((path) => `${path} is missing or empty`),
    ...others.map((path) => `${path} does not belong in it`),
    ...(files.size === facts.files.length ? [] : ['two of its files have the same path']),
    ...facts.files.filter(({ isLink }) => isLink).map(({ path }) => `${path} is a link`),
  ];
}

const binaryProblem = ({ path, format, architecture }) => `${path} is ${format} for ${architecture}`;

/**
 * A sentence for each reason why the package must not be published. facts: from vsix_facts.py. wanted: the package's
 * size in bytes, its expected version, and the expected digests of its models, by path.
 */
export function packageProblems(facts, name, wanted) {
  const target = targetOf(name);
  const files = new Map(facts.files.map((file) => [file.path, file]));
  const addon = facts.binaries.find(({ path }) => path === addonPath);
  const isKernel = (path) => kernelPath.test(path);
  const isWebgpu = (path) => path === webgpuPath && target.wheel !== undefined;
  const isWrongKernel = (path) => isKernel(path) && !target.kernels.includes(kernelPath.exec(path)[1]);
  return [
    ...fileProblems(facts, name, expectedFiles(), wanted, (path) => isKernel(path) || isWebgpu(path)),
    ...facts.binaries.filter(({ path }) => path !== addonPath && !isKernel(path) && !isWebgpu(path)).map(binaryProblem),
    ...[...files.keys()].filter(isWrongKernel).map((path) => `${path} can't run on ${name}`),
    ...(addon
      ? addonProblems(addon, target).map((problem) => `${addonPath}: ${problem}`)
      : [`${addonPath} is not a library`]),
    ...modelPaths
      .filter((path) => files.get(path)?.sha256 !== wanted.models[path])
      .map((path) => `${path} is not the file in models/`),
    ...(files.has(webgpuPath) ? webgpuProblems(facts.binaries, target) : []),
    ...componentProblems(facts.components, files),
    ...noticeProblems(facts.notices, target, files.has(webgpuPath)),
  ];
}

function webgpuProblems(binaries, { format, architecture }) {
  const library = binaries.find(({ path }) => path === webgpuPath);
  const isRight = library?.format === format && library.architecture === architecture;
  return isRight ? [] : [`${webgpuPath} is not ${format} for ${architecture}`];
}

/** The same for the package for browsers, which has no binaries. */
export const webProblems = (facts, wanted) => [
  ...fileProblems(facts, 'web', packagePaths([...webFiles, 'package.json', 'README.md']), wanted),
  ...facts.binaries.map(binaryProblem),
];

/** The package's list of components must contain the digests of all binary files. */
function componentProblems(components, files) {
  const digests = components.flatMap(({ hashes = [] }) => hashes.map(({ content }) => content));
  const own = [addonPath, ...modelPaths, ...(files.has(webgpuPath) ? [webgpuPath] : [])];
  const binaries = [...own, ...grammarFiles.map((file) => `extension/${file}`)];
  const unlisted = binaries.filter((path) => !digests.includes(files.get(path)?.sha256));
  return unlisted.map((path) => `${sbomPath} does not list ${path}`);
}

/** The package must contain the licences that require to be included. */
function noticeProblems(notices, { linked }, hasWebgpu) {
  const named = linked.filter(([, , , file]) => file).map(([name]) => name);
  if (hasWebgpu) named.push('wgpu-native');
  const missing = named.filter((name) => !notices.includes(`\n${name} `));
  return missing.map((name) => `${noticesPath} lacks the licence of the ${name}`);
}

/** Checks a package. Throws a ToolError that lists every problem. Returns the facts. */
export async function checkPackage(file, name) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const digest = (file) =>
    createHash('sha256')
      .update(readFileSync(join(root, file)))
      .digest('hex');
  const models = Object.fromEntries(modelFiles.map((file) => [`extension/${file}`, digest(file)]));
  const facts = await packageFacts(file);
  const wanted = { bytes: statSync(file).size, version, models };
  const problems = name === 'web' ? webProblems(facts, wanted) : packageProblems(facts, name, wanted);
  if (problems.length > 0) throw new ToolError(`${file} must not be published:\n  ${problems.join('\n  ')}`);
  return facts;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(async () => {
    for (const file of process.argv.slice(2)) {
      const { identity } = await packageFacts(file);
      const { files } = await checkPackage(file, identity.TargetPlatform);
      console.log(`${file}: ${identity.TargetPlatform} ${identity.Version}, ${files.length} files, nothing wrong`);
    }
  });
}
