// Builds, packs and checks Hearth for every system: `node scripts/package-all.mjs [--target NAME]... [--out FOLDER]`.
// The folder (build/release by default) then has one package and one list of components per target, SHA256SUMS, and the
// release notes of the version.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { packageName, packExtension, packWeb } from './package.mjs';
import { addonOf, buildTarget } from './targets/build.mjs';
import { checkPackage } from './targets/check-package.mjs';
import { targetOf, targets } from './targets/targets.mjs';
import { main, root, run, ToolError } from './tools.mjs';
import { wgpuNative } from './wgpu-native.mjs';

/** The section of CHANGELOG.md for a version or, before its release, the section "Unreleased". */
export function releaseNotes(changelog, version) {
  const sections = changelog.split(/^## /m).slice(1);
  const find = (title) => sections.find((section) => section.startsWith(`[${title}]`));
  const section = find(version) ?? find('Unreleased');
  if (!section) throw new ToolError(`CHANGELOG.md has no section for ${version}`);
  return `${section.slice(section.indexOf('\n')).trim()}\n`;
}

/** The digests of files in the format that `sha256sum -c` reads. */
const checksums = (folder, files) =>
  files
    .map(
      (file) =>
        `${createHash('sha256')
          .update(readFileSync(join(folder, file)))
          .digest('hex')}  ${file}\n`,
    )
    .join('');

/** Whether an earlier run has written the file. Any other file in the folder is not ours. */
const isOurs = (file) => /^hearth-.+\.(?:vsix|cdx\.json)$|^SHA256SUMS$|^RELEASE-NOTES\.md$/.test(file);

export async function packageAll(names, folder) {
  for (const name of names) targetOf(name); // before anything is deleted
  mkdirSync(folder, { recursive: true });
  for (const file of readdirSync(folder).filter(isOurs)) rmSync(join(folder, file));
  await run(process.execPath, ['esbuild.mjs']);
  for (const name of names) {
    await buildTarget(name);
    if (targetOf(name).wheel) await wgpuNative(name);
    const out = join(folder, packageName(name));
    await packExtension(name, { addon: addonOf(name), out, sbom: join(folder, `hearth-${name}.cdx.json`) });
    await checkPackage(out, name);
  }
  await checkPackage(await packWeb({ out: join(folder, packageName('web')) }), 'web');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  writeFileSync(
    join(folder, 'RELEASE-NOTES.md'),
    releaseNotes(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version),
  );
  const files = readdirSync(folder).filter(isOurs).sort();
  writeFileSync(join(folder, 'SHA256SUMS'), checksums(folder, files));
  for (const file of files) console.log(`${basename(file)}: ${statSync(join(folder, file)).size} bytes`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(async () => {
    const options = { target: { type: 'string', multiple: true }, out: { type: 'string' } };
    const { target = Object.keys(targets), out = 'build/release' } = parseArgs({ options }).values;
    await packageAll(target, resolve(out));
  });
}
