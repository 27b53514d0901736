// Lists the third-party packages that ship, as a CycloneDX file, and checks their licences. `node scripts/sbom.mjs`
// writes dist/sbom.cdx.json; with `-- audit`, it asks the registry for vulnerabilities of exactly these packages.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { grammarFiles } from './grammars.mjs';
import { targetOf } from './targets/targets.mjs';
import { main, root, runNpm, ToolError } from './tools.mjs';

// Licences that only require their text to be included, which dist/NOTICES.txt does.
const permitted = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'Python-2.0',
  'Unlicense',
]);
const auditMs = 20_000;
/** The version in wgpu-requirements.txt. */
const wgpuVersion = '29.0.1.1';
const starter = 'models/starter.gguf';
/** The adapters, each for two sizes of a model, and the type of their tensors. */
const adapterTypes = { 'next-edit': 'q8_0', completion: 'q4_0' };
const adapters = Object.entries(adapterTypes).flatMap(([task, type]) =>
  ['0.5b', '1.5b'].map((size) => ({
    file: `models/${task}-${size}.gguf`,
    name: `${task}-qwen2.5-coder-${size}-instruct-${type}`,
  })),
);
/** The files of the models that ship. */
export const modelFiles = [starter, ...adapters.map(({ file }) => file)];

/** The packages that have a file in a bundle. The build lists them in the notices, as "name version (licence)". */
export function shippedPackages(notices = readFileSync(join(root, 'dist/NOTICES.txt'), 'utf8')) {
  const heads = notices.matchAll(/^-{80}\n(\S+) (\S+) \((.*)\)$/gm);
  return [...heads].map(([, name, version, licence]) => ({ name, version, licence }));
}

export function licenceProblems(packages) {
  const wrong = packages.filter(({ licence }) => !permitted.has(licence));
  return wrong.map(
    ({ name, version, licence }) => `${name} ${version}: ${licence} is not among the licences that may ship`,
  );
}

const digestOf = (file) => [{ alg: 'SHA-256', content: createHash('sha256').update(readFileSync(file)).digest('hex') }];

/**
 * The list of components: npm's SBOM of the lock file, reduced to the packages that ship, with the grammars and the
 * models. addon: the file of an addon built for the target, to list with the libraries linked into it. webgpu: the file
 * of wgpu-native, to list.
 */
export async function sbom({ target, addon, webgpu } = {}) {
  const packages = shippedPackages();
  const whole = await runNpm(['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], { quiet: true });
  const list = JSON.parse(whole.slice(whole.indexOf('{')));
  const ships = (part) => packages.some(({ name, version }) => part.name === name && part.version === version);
  const components = list.components.filter(ships).map((part) => ({ ...part, scope: 'required' }));
  const unlisted = packages.filter(
    ({ name, version }) => !components.some((part) => part.name === name && part.version === version),
  );
  if (unlisted.length > 0) throw new ToolError(`npm does not list ${unlisted.map(({ name }) => name).join(', ')}`);
  // These packages ship only their grammars, so each file is listed.
  const grammars = grammarFiles.map((file) => ({ type: 'file', name: file, hashes: digestOf(join(root, file)) }));
  const references = new Set(components.map((part) => part['bom-ref']));
  const dependencies = list.dependencies
    .filter(({ ref }) => references.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((each) => references.has(each)) }));
  return {
    ...list,
    metadata: { ...list.metadata, component: { ...list.metadata.component, name: 'hearth' } },
    components: [
      ...[...components, ...grammars, ...modelComponents()],
      ...(addon ? [addonComponent(target, addon)] : []),
      ...(webgpu ? [webgpuComponent(webgpu)] : []),
    ],
    dependencies,
  };
}

function modelComponents() {
  const [, version] = /Starter Coder v(\d+)/.exec(readFileSync(join(root, starter)).toString('latin1', 0, 4096)) ?? [];
  if (version === undefined) throw new ToolError(`${starter} does not name its version`);
  const component = (file, names) => ({
    type: 'machine-learning-model',
    ...names,
    hashes: digestOf(join(root, file)),
    licenses: [{ license: { id: 'Apache-2.0' } }],
  });
  return [
    component(starter, { name: 'starter-coder-83m-q4_0', version }),
    ...adapters.map(({ file, name }) => component(file, { name })),
  ];
}

const webgpuComponent = (file) => ({
  type: 'library',
  name: 'wgpu-native',
  version: wgpuVersion,
  hashes: digestOf(file),
  licenses: [{ expression: 'MIT OR Apache-2.0' }],
});

/** The notice of wgpu-native for dist/NOTICES.txt. */
export const webgpuNotice = `wgpu-native ${wgpuVersion} (MIT OR Apache-2.0)

Copyright 2018-2026 The gfx-rs developers. Used under the Apache License, version 2.0, whose text is in LICENSE.
`;

/** An addon as a component that contains the compiler's libraries linked into it. */
function addonComponent(target, addon) {
  const { linked = [] } = targetOf(target);
  const libraries = linked.map(([name, version, id]) => {
    const licence = / /.test(id) ? { expression: id } : { license: { id } };
    return { type: 'library', name, version, licenses: [licence] };
  });
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return {
    type: 'library',
    name: `${basename(addon)} for ${target}`,
    version,
    hashes: digestOf(addon),
    licenses: [{ license: { id: 'Apache-2.0' } }],
    components: libraries,
  };
}

/** The licences of the libraries linked into a target's addon, for dist/NOTICES.txt: one text per licence file. */
export function linkedNotices({ linked }) {
  const files = [...new Set(linked.flatMap(([, , , file]) => file ?? []))];
  return files.map((file) => {
    if (!existsSync(file)) throw new ToolError(`a licence that must be in the package is missing: ${file}`);
    const own = linked.filter((each) => each[3] === file);
    const heads = own.map(([name, version, licence]) => `${name} ${version} (${licence})`);
    return `${heads.join('\n')}\n\n${readFileSync(file, 'utf8').trim()}\n`;
  });
}

/** Checks the licences and writes the list of components. build: the arguments of sbom(). */
export async function writeSbom(path = join(root, 'dist/sbom.cdx.json'), build = {}) {
  const problems = licenceProblems(shippedPackages());
  if (problems.length > 0) throw new ToolError(problems.join('\n'));
  const list = await sbom(build);
  writeFileSync(path, JSON.stringify(list, null, 2));
  return list;
}

/**
 * A sentence about the known vulnerabilities of shipped packages, or that no registry answered. Throws if one is
 * serious.
 */
export async function audit(timeout = auditMs) {
  if (!existsSync(join(root, 'dist/NOTICES.txt'))) return 'nothing is built, so nothing ships';
  const names = new Set(shippedPackages().map(({ name }) => name));
  const asked = runNpm(['audit', '--json', '--fetch-retries=0'], { quiet: true, timeout });
  const output = await asked.catch((error) => error.output ?? '');
  const { vulnerabilities } = JSON.parse(/\{[\s\S]*\}/.exec(output)?.[0] ?? '{}');
  if (!vulnerabilities) return 'no registry answered: nothing is known';
  const found = Object.values(vulnerabilities).filter(({ name }) => names.has(name));
  const serious = found.filter(({ severity }) => severity === 'high' || severity === 'critical');
  if (serious.length > 0)
    throw new ToolError(serious.map(({ name, severity, range }) => `${name} ${range}: ${severity}`).join('\n'));
  return `${names.size} packages ship, ${found.length} with a known weakness, none of it serious`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(async () => {
    if (process.argv.includes('audit')) return console.log(`audit: ${await audit()}`);
    const list = await writeSbom();
    console.log(`dist/sbom.cdx.json: ${list.components.length} components`);
  });
}
