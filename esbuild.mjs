// Bundles the programs into dist/, as CommonJS files, with the grammars that they load (scripts/grammars.mjs), and names the
// packages of which all that is made in dist/NOTICES.txt. What the extension imports dynamically is large and not needed
// while a window opens, so each such import is a file of its own. Names on the command line limit the build: `node esbuild.mjs programs`; `--watch` goes on.
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { context } from 'esbuild';
import { programOptions } from './scripts/bundle.mjs';
import { copyGrammars, grammarSources } from './scripts/grammars.mjs';

const entries = {
  extension: 'extension/extension.ts',
  'language-client': 'extension/connection/language-client.ts',
  'explain-markdown': 'extension/explain/explain-markdown.ts',
  web: 'extension/web.ts',
  programs: 'language-server/cli/programs.ts',
  'template-process': 'language-server/explain/template-process.ts',
};

/** The server and the command line have nearly all of their code in common, so they share a bundle. */
const callers = {
  'server.js': "require('./programs.js').serve();\n",
  'hearth.js': "#!/usr/bin/env node\nrequire('./programs.js').hearth();\n",
};

const isWatching = process.argv.includes('--watch');
const wanted = process.argv.slice(2).filter((argument) => argument !== '--watch');
const unknown = wanted.filter((name) => !(name in entries));
if (unknown.length > 0) {
  console.error(`esbuild.mjs: no program named ${unknown.join(', ')}; there are ${Object.keys(entries).join(', ')}`);
  process.exit(2);
}

/** Says when a build begins and ends, as an editor's background task wants it. */
const announce = {
  name: 'announce',
  setup({ onStart, onEnd }) {
    onStart(() => console.log('[watch] build started'));
    onEnd(() => console.log('[watch] build finished'));
  },
};

const apart = {
  name: 'apart',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/.*\.ts$/ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path: path.replace(/\.ts$/, '.js'), external: true } : undefined,
    );
  },
};

const selected = Object.entries(entries).filter(([name]) => wanted.length === 0 || wanted.includes(name));
const contexts = await Promise.all(
  selected.map(([name, entry]) =>
    context({
      entryPoints: [entry],
      outfile: `dist/${name}.js`,
      ...programOptions,
      external: ['vscode'],
      // require() instead: the editor gives its own module "vscode" to those who ask in this way, in every version.
      supported: { 'dynamic-import': false },
      // Names survive, so that a stack trace in a bug report can be read.
      keepNames: true,
      sourcemap: 'linked',
      metafile: true,
      plugins: isWatching ? [apart, announce] : [apart],
    }),
  ),
);
const built = await Promise.all(contexts.map((each) => each.rebuild()));
if (selected.some(([name]) => name === 'programs')) {
  writeCallers();
  copyGrammars();
}
if (wanted.length === 0)
  writeNotices([...built.flatMap(({ metafile }) => Object.keys(metafile.inputs)), ...grammarSources]);
await Promise.all(contexts.map((each) => (isWatching ? each.watch() : each.dispose())));

function writeCallers() {
  for (const [file, text] of Object.entries(callers)) writeFileSync(`dist/${file}`, text);
  chmodSync('dist/hearth.js', 0o755);
}

/** Every package with a file among the inputs: its name, version, licence, and the text of its licence. */
function writeNotices(inputs) {
  const folders = inputs.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? []);
  const notices = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
    const text = file ? readFileSync(`${folder}/${file}`, 'utf8').trim() : '';
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
  const head = 'Hearth contains these packages, each under its own licence:\n';
  if (!existsSync('dist')) mkdirSync('dist');
  writeFileSync('dist/NOTICES.txt', [head, ...notices].join(`\n${'-'.repeat(80)}\n`));
}
