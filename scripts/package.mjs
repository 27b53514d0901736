// Packs the built extension into hearth-<target>-<version>.vsix, for the system it runs on or the one named:
//   node scripts/package.mjs [--target linux-x64] [--out FILE]
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const { values } = parseArgs({ options: { target: { type: 'string' }, out: { type: 'string' } } });
const target = values.target ?? `${process.platform}-${process.arch}`;
const out = values.out ?? `hearth-${target}-${version}.vsix`;

// vsce silently omits missing files, so they are checked here. GPU kernels may be missing: Hearth then uses the CPU.
const allowed = readFileSync('.vscodeignore', 'utf8').match(/(?<=^!)[^*\n]+$/gm);
const made = 'dist/sbom.cdx.json';
const missing = allowed.filter((file) => file !== made && !existsSync(file));
if (missing.length > 0) {
  console.error(`package: missing ${missing.join(', ')}. Run npm run build:native and npm run build first.`);
  process.exit(1);
}

execFileSync(process.execPath, ['scripts/sbom.mjs'], { stdio: ['ignore', 'ignore', 'inherit'] });
rmSync(out, { force: true });
const vsce = 'node_modules/@vscode/vsce/vsce';
const page = 'dist/extension-page.md';
writeFileSync(page, extensionPage(readFileSync('README.md', 'utf8')));
const flags = ['--no-dependencies', '--no-rewrite-relative-links', '--readme-path', page];
flags.push('--target', target, '--out', out);
execFileSync(process.execPath, [vsce, 'package', ...flags], { stdio: ['ignore', 'ignore', 'inherit'] });
const kernels = existsSync('dist/gpu') ? readdirSync('dist/gpu').filter((file) => /\.(co|fatbin)$/.test(file)) : [];
const gpus = kernels.map((file) => file.replace(/\.\w+$/, '')).join(', ');
console.log(gpus ? `GPU kernels for ${gpus}` : 'no GPU kernels: npm run build:gpu compiles them');
console.log(`${out}: ${(statSync(out).size / 2 ** 20).toFixed(1)} MiB`);

/**
 * README.md for users, without the part for developers. VS Code's page of an extension loads pictures only over HTTPS,
 * and Hearth has none on the web, so they are left out; the walkthrough has them. Links to files become plain text.
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
