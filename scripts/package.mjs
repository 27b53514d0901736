// Packs the built extension into hearth-<target>-<version>.vsix:
//   node scripts/package.mjs [--target linux-x64] [--addon FILE] [--out FILE]
// Without --target, packs for this system, with the addon that was built here. Another target needs an addon built for
// it. scripts/package-all.mjs packs for all targets.
import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { linkedNotices, webgpuNotice, writeSbom } from './sbom.mjs';
import { targetOf } from './targets/targets.mjs';
import { main, root, run, ToolError } from './tools.mjs';
import { wgpuLibrary } from './wgpu-native.mjs';

const read = (file) => readFileSync(join(root, file), 'utf8');
/** The list of components, which this script writes. */
const sbomFile = 'dist/sbom.cdx.json';
const notices = 'dist/NOTICES.txt';
const addonFile = 'dist/hearth.node';
/** The path at which native/gpu/webgpu.cc looks for wgpu-native, on every system. */
const webgpuFile = 'dist/gpu/wgpu-native.library';

/** VS Code's name for this system. A Linux without glibc is Alpine, with musl. */
function ownTarget() {
  const isMusl = process.platform === 'linux' && process.report.getReport().header.glibcVersionRuntime === undefined;
  return `${isMusl ? 'alpine' : process.platform}-${process.arch}`;
}

export const packageName = (target) => `hearth-${target}-${JSON.parse(read('package.json')).version}.vsix`;

/** The files of a package that .vscodeignore lists one by one. The GPU kernels are not among them. */
export const listedFiles = () => read('.vscodeignore').match(/(?<=^!)[^*\n]+$/gm);

/** The GPU kernels that were built and that can run on the target. */
export function kernelFiles({ kernels }) {
  const folder = join(root, 'dist/gpu');
  const all = existsSync(folder) ? readdirSync(folder) : [];
  return all.filter((file) => kernels.some((ending) => file.endsWith(ending))).map((file) => `dist/gpu/${file}`);
}

/**
 * Packs a target from a new folder, which has only the files for this target. sbom: the path to which the list of
 * components is copied.
 */
export async function packExtension(
  target,
  { addon = join(root, addonFile), out = join(root, packageName(target)), sbom } = {},
) {
  const kernels = kernelFiles(targetOf(target));
  const sourceOf = (file) => (file === addonFile ? addon : join(root, file));
  // vsce silently omits missing files, so they are checked here. GPU kernels may be missing: Hearth then uses the CPU.
  const missing = listedFiles().filter((file) => file !== sbomFile && !existsSync(sourceOf(file)));
  if (missing.length > 0)
    throw new ToolError(`package: missing ${missing.join(', ')}. Run npm run build:native and npm run build first.`);
  const files = [...listedFiles().filter((file) => file !== sbomFile), ...kernels, 'package.json', '.vscodeignore'];
  const webgpu = wgpuLibrary(target);
  // An addon built for this machine links its own libraries, whose licences are not listed.
  const isOwn = addon === join(root, addonFile);
  await inOwnFolder(target, async (folder) => {
    for (const file of files) if (file !== notices) place(sourceOf(file), join(folder, file));
    if (webgpu) place(webgpu, join(folder, webgpuFile));
    const texts = [read(notices), ...(isOwn ? [] : linkedNotices(targetOf(target))), ...(webgpu ? [webgpuNotice] : [])];
    mkdirSync(join(folder, 'dist'), { recursive: true });
    writeFileSync(join(folder, notices), texts.join(`\n${'-'.repeat(80)}\n`));
    await writeSbom(join(folder, sbomFile), { ...(isOwn ? {} : { target, addon }), webgpu });
    if (sbom) cpSync(join(folder, sbomFile), sbom);
    await pack(target, folder, out);
  });
  const gpus = [...kernels, ...(webgpu ? [webgpuFile] : [])].map((file) => file.replace(/.*\/|\.\w+$/g, '')).join(', ');
  console.log(
    `${out}: ${(statSync(out).size / 2 ** 20).toFixed(1)} MiB, ${gpus ? `GPU kernels for ${gpus}` : 'no GPU kernels'}`,
  );
  return out;
}

/** Calls use(folder) with a new folder, so that two processes that pack at the same time do not disturb each other. */
export async function inOwnFolder(target, use) {
  const all = join(root, 'build/package');
  mkdirSync(all, { recursive: true });
  const folder = mkdtempSync(join(all, `${target}-`));
  await use(folder).finally(() => rmSync(folder, { recursive: true }));
}

async function pack(target, folder, out) {
  writeFileSync(join(folder, 'README.md'), extensionPage(read('README.md')));
  rmSync(out, { force: true });
  const vsce = join(root, 'node_modules/@vscode/vsce/vsce');
  const flags = ['--no-dependencies', '--no-rewrite-relative-links', '--target', target, '--out', out];
  await run(process.execPath, [vsce, 'package', ...flags], { quiet: true, cwd: folder });
}

/** The files of the package for editors in the browser: an extension that says why Hearth does not run there. */
export const webFiles = [
  'dist/web.js',
  'media/icon.png',
  ...listedFiles().filter((file) => !/^(dist|media|models)\//.test(file)),
];

export async function packWeb({ out = join(root, packageName('web')) } = {}) {
  const { main: _, bin, browser = './dist/web.js', ...manifest } = JSON.parse(read('package.json'));
  const { walkthroughs, keybindings, ...contributes } = manifest.contributes;
  await inOwnFolder('web', async (folder) => {
    for (const file of webFiles) place(join(root, file), join(folder, file));
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, browser, contributes }));
    await pack('web', folder, out);
  });
  return out;
}

/** Puts a file in its place: by a hard link if possible, since the model is large. */
function place(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  try {
    linkSync(from, to);
  } catch {
    cpSync(from, to);
  }
}

/**
 * README.md without the part for developers. VS Code's page of an extension loads pictures only over HTTPS, and Hearth
 * has none on the web, so the page has no pictures; the walkthrough shows them. Links to files become plain text.
 */
function extensionPage(readme) {
  const [forUsers, , license] = readme.split(/^(?=## (?:For those who build it|License)$)/m);
  const walkthrough =
    'To see Hearth in pictures, run **Welcome: Open Walkthrough…** and choose *Get Started with Hearth*.';
  return `${forUsers}${license}`
    .replace(/^!\[.*\]\(.*\)$/m, walkthrough)
    .replaceAll(/^!\[.*\]\(.*\)\n\n/gm, '')
    .replaceAll(/\[([^\]]*)\]\((?!https:|#)[^)]*\)/g, '$1');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(async () => {
    const text = { type: 'string' };
    const { values } = parseArgs({ options: { target: text, addon: text, out: text } });
    const own = ownTarget();
    const { target = own, ...files } = values;
    if (target !== own && !files.addon)
      throw new ToolError(`package: ${addonFile} was built for ${own}: --addon names the one for ${target}`);
    const absolute = Object.entries(files).map(([name, file]) => [name, resolve(file)]);
    await packExtension(target, Object.fromEntries(absolute));
  });
}
