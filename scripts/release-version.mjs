// Checks that a tag fits the version, and that the changelog has a section for that version:
//   node scripts/release-version.mjs v0.2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { main, root, ToolError } from './tools.mjs';

/** A sentence for each reason why the version must not be published under this tag. */
export function tagProblems(tag, version, changelog) {
  const problems = tag === `v${version}` ? [] : [`the tag is ${tag}, and package.json says ${version}`];
  if (!changelog.includes(`\n## [${version}]`)) problems.push(`CHANGELOG.md has no section for ${version}`);
  return problems;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(() => {
    const read = (file) => readFileSync(join(root, file), 'utf8');
    const problems = tagProblems(process.argv[2], JSON.parse(read('package.json')).version, read('CHANGELOG.md'));
    if (problems.length > 0) throw new ToolError(problems.join('\n'));
  });
}
