// `npm run check`: checks the code without running it. With --fix, formats it first.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { circles, forbiddenImports, forbiddenIncludes } from './layers.mjs';
import { deviceWideWaits } from './lint-hip.mjs';
import { keywordsIn } from './lint-keywords.mjs';
import { systemDifferences } from './lint-system.mjs';
import { audit } from './sbom.mjs';
import { isSettingsTableCurrent, manifest, writeSettingsTable } from './settings-table.mjs';
import { main, NotRun, requireCommands, root, run, ToolError } from './tools.mjs';

const bin = (name) => join(root, 'node_modules', '.bin', name);
const read = (file) => readFileSync(join(root, file), 'utf8');

/** The files with one of these endings that git tracks, or that are new and not ignored by git. */
async function files(...endings) {
  const list = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { quiet: true });
  return list
    .split('\0')
    .filter((file) => endings.some((ending) => file.endsWith(ending)) && existsSync(join(root, file)));
}

const scripts = ['.ts', '.mjs', '.cjs'];
const cpp = ['.cc', '.h', '.inl', '.inc', '.hip'];

const formatted = async () => (await files(...cpp)).filter((file) => !file.endsWith('.inc'));

async function checkCppFormat() {
  await requireCommands('clang-format');
  const sources = await formatted();
  await run('clang-format', ['--dry-run', '-Werror', ...sources], { quiet: true });
  return `${sources.length} files`;
}

/** The project must not contain paths of a particular machine. */
async function checkPaths() {
  const personal = /(?<![\w.@$}~/-])\/(?:home|Users|root|work|farm)\/[\w.-]+|[A-Z]:\\Users\\/;
  const found = [];
  for (const file of await files(...scripts, ...cpp, '.py', '.md', '.json', '.txt', '.cmake', '.sh', '.ci/run')) {
    if (file === 'package-lock.json' || file.startsWith('test/fixtures/')) continue;
    read(file)
      .split('\n')
      .forEach((line, i) => {
        if (personal.test(line)) found.push(`${file}:${i + 1}: ${line.trim()}`);
      });
  }
  if (found.length > 0) throw new ToolError(`paths of a single machine:\n${found.join('\n')}`);
  return 'none of a single machine';
}

/** The GPU's host code must not wait for the whole device (lint-hip.mjs). */
async function checkDeviceWaits() {
  const sources = (await files('.cc', '.h', '.hip')).filter((file) => /^(kernels\/hip|native\/gpu)\//.test(file));
  const found = sources.flatMap((file) =>
    deviceWideWaits(read(file)).map(([line, problem]) => `${file}:${line}: ${problem}`),
  );
  if (found.length > 0) throw new ToolError(`calls that wait for the whole GPU:\n${found.join('\n')}`);
  return `${sources.length} files`;
}

/** Only certain files may depend on the operating system (lint-system.mjs). */
async function checkSystems() {
  const sources = await files(...cpp, '.ts');
  const found = sources.flatMap((file) => systemDifferences(file, read(file)));
  if (found.length > 0) throw new ToolError(found.join('\n'));
  return `${sources.length} files`;
}

/** No regular expression that shapes suggestions knows a keyword (lint-keywords.mjs). */
async function checkKeywords() {
  const sources = (await files('.ts')).filter((file) => file.startsWith('language-server/shape/'));
  const found = sources.flatMap((file) => keywordsIn(file, read(file)));
  if (found.length > 0) throw new ToolError(found.join('\n'));
  return `${sources.length} files`;
}

/** The folders import as scripts/layers.mjs says, and no files import each other in a circle. */
async function checkLayers() {
  const sources = (await files('.ts')).filter((file) => /^(extension|language-server|native)\//.test(file));
  const texts = new Map(sources.map((file) => [file, read(file)]));
  const native = (await files('.cc', '.h')).filter((file) => file.startsWith('native/'));
  const problems = [
    ...forbiddenImports(texts),
    ...circles(texts).map((circle) => `a circle: ${circle.join(' -> ')}`),
    ...forbiddenIncludes(new Map(native.map((file) => [file, read(file)]))),
  ];
  if (problems.length > 0) throw new ToolError(problems.join('\n'));
  return `${sources.length + native.length} files`;
}

/** Checks that links work, that README.md names all commands, and that the table in docs/settings.md is current. */
async function checkDocuments() {
  const wrong = [];
  const documents = (await files('.md')).filter((file) => !file.startsWith('test/fixtures/'));
  for (const file of documents) {
    for (const [, link] of read(file).matchAll(/\]\(([^)#\s]+)[^)]*\)/g)) {
      if (!/^[a-z]+:/.test(link) && !existsSync(join(root, dirname(file), link))) wrong.push(`${file}: no ${link}`);
    }
  }
  for (const { title } of manifest().contributes.commands) {
    if (!read('README.md').includes(title)) wrong.push(`README.md does not mention ${title}`);
  }
  if (!isSettingsTableCurrent()) wrong.push('The table in docs/settings.md is out of date: npm run format updates it.');
  if (wrong.length > 0) throw new ToolError(wrong.join('\n'));
  return `${documents.length} files`;
}

/** Reports the lines of each room. There is no limit: the figures remind us to keep the code short enough to read. */
async function reportSize() {
  const rooms = new Map();
  const long = [];
  for (const file of await files(...scripts, ...cpp)) {
    const lines = read(file).split('\n').length - 1;
    const room = file.includes('/') ? file.slice(0, file.indexOf('/')) : 'top';
    rooms.set(room, (rooms.get(room) ?? 0) + lines);
    if (lines > 400) long.push(`${file} ${lines}`);
  }
  const sums = [...rooms].map(([room, lines]) => `${room} ${lines}`).join(', ');
  return `${sums} lines${long.length > 0 ? `; long: ${long.join(', ')}` : ''}`;
}

const quietly = async (command, args) => {
  await run(command, args, { quiet: true });
  return '';
};

const checks = [
  ['lint and format', () => quietly(bin('biome'), ['check', '--error-on-warnings', '--max-diagnostics=50', '.'])],
  ['layers', checkLayers],
  ['types', () => quietly(bin('tsc'), ['--noEmit'])],
  ['C++ format', checkCppFormat],
  ['paths', checkPaths],
  ['GPU waits', checkDeviceWaits],
  ['systems', checkSystems],
  ['keywords', checkKeywords],
  ['documents', checkDocuments],
  ['known weaknesses of what ships', audit],
  ['size', reportSize],
];

/**
 * Runs the checks and prints one line for each. Resolves to the numbers of checks that passed, failed and were not run.
 */
export async function check() {
  let failed = 0;
  let notRun = 0;
  for (const [name, body] of checks) {
    try {
      console.log(`ok ${[name, await body()].filter(Boolean).join(': ')}`);
    } catch (error) {
      if (error instanceof NotRun) {
        notRun++;
        console.log(`not run ${name}: ${error.message}`);
        continue;
      }
      failed++;
      console.log(`FAIL ${name}\n${[error.output, error.message].filter(Boolean).join('\n')}`);
    }
  }
  return { passed: checks.length - failed - notRun, failed, notRun };
}

async function format() {
  writeSettingsTable();
  await run(bin('biome'), ['check', '--write', '.']);
  await requireCommands('clang-format');
  await run('clang-format', ['-i', ...(await formatted())]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(async () => {
    if (process.argv.includes('--fix')) await format();
    const { failed } = await check();
    if (failed > 0) process.exitCode = 1;
  });
}
