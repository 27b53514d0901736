// What packages require from a system, as a table for lab/bench/results/systems.md:
//   node test/everywhere/facts.mjs build/release/*.vsix
import { statSync } from 'node:fs';
import { packageFacts } from '../../scripts/targets/check-package.mjs';
import { main } from '../../scripts/tools.mjs';

const heads = ['package', 'MB', 'addon, MB', 'oldest system', 'libraries', 'imports', 'of them Node-API', 'signature'];

/** The newest version of each kind of symbol that the addon requires, or the system that its header names. */
function oldestSystem({ versions = {}, minimum }) {
  const newest = Object.entries(versions).map(([prefix, version]) => `${prefix}_${version.join('.')}`);
  return minimum ? `macOS ${minimum}` : newest.join(', ') || '-';
}

async function rowOf(file) {
  const { identity, binaries, files } = await packageFacts(file);
  const addon = binaries.find(({ path }) => path === 'extension/dist/hearth.node');
  const megabytes = (bytes) => (bytes / 1e6).toFixed(1);
  if (!addon) return [identity.TargetPlatform, megabytes(statSync(file).size), `none; ${files.length} files`];
  const isNodeApi = (name) => /^_?(napi|node_api)_/.test(name);
  return [
    identity.TargetPlatform,
    megabytes(statSync(file).size),
    megabytes(addon.bytes),
    oldestSystem(addon),
    addon.libraries.map((name) => name.replace(/.*\//, '')).join(', '),
    addon.imports.length,
    addon.imports.filter(isNodeApi).length,
    addon.signature ?? '-',
  ];
}

await main(async () => {
  const rows = await Promise.all(process.argv.slice(2).map(rowOf));
  for (const row of [heads, heads.map(() => '---'), ...rows]) console.log(`| ${row.join(' | ')} |`);
});
