// Which folder may import which: the arrows of ARCHITECTURE.md as tables. Imports of types count, too.
import { dirname, join } from 'node:path';

const server = 'language-server';
const engine = 'native/index.ts';
const lsp = 'vscode-languageserver';
const editor = ['vscode', 'vscode-languageclient'];

/**
 * The folders, files and packages that each folder of TypeScript may import, besides itself and unrestricted packages.
 * A subfolder comes before its parent.
 */
export const layers = {
  'extension/settings': [`${server}/protocol`, 'package.json', 'vscode'],
  'extension/workspace': [`${server}/protocol`, 'extension/settings', 'vscode'],
  'extension/connection': [`${server}/protocol`, ...inExtension('settings', 'workspace'), ...editor],
  'extension/ghost-text': [`${server}/protocol`, ...inExtension('settings', 'connection'), ...editor],
  'extension/next-edit': [`${server}/protocol`, ...inExtension('settings', 'connection', 'ghost-text'), 'vscode'],
  'extension/pages': ['vscode'],
  'extension/statistics': [...inExtension('ghost-text', 'pages'), 'vscode'],
  'extension/status': [`${server}/protocol`, ...inExtension('settings', 'connection', 'ghost-text', 'pages'), 'vscode'],
  'extension/explain': [`${server}/protocol`, ...inExtension('connection', 'pages'), 'vscode'],
  'extension/download': [`${server}/protocol`, 'vscode'],
  'extension/models': [`${server}/protocol`, 'extension/download', 'vscode'],
  extension: [`${server}/protocol`, 'vscode'],
  [`${server}/protocol`]: [engine, 'package.json', lsp],
  [`${server}/documents`]: [lsp],
  [`${server}/syntax`]: [`${server}/documents`],
  [`${server}/secrets`]: [`${server}/protocol`, `${server}/documents`],
  [`${server}/prompt`]: ['documents', 'secrets'].map(inServer).concat(engine),
  [`${server}/related-code`]: ['protocol', 'documents', 'syntax', 'secrets', 'prompt'].map(inServer),
  [`${server}/shape`]: ['protocol', 'documents', 'syntax', 'prompt'].map(inServer).concat(engine),
  [`${server}/edits/text`]: [`${server}/documents`],
  [`${server}/edits/history`]: ['edits/text', 'documents', 'secrets', 'protocol'].map(inServer),
  [`${server}/edits/proposals`]: ['edits/text', 'edits/history', 'documents', 'syntax'].map(inServer),
  [`${server}/edits/evidence`]: ['edits/text', 'edits/history', 'edits/proposals'].map(inServer),
  [`${server}/edits/preference`]: ['edits/text', 'edits/proposals', 'edits/evidence', 'prompt']
    .map(inServer)
    .concat(engine),
  [`${server}/edits/generation`]: ['edits/text', 'shape', 'prompt', 'models'].map(inServer).concat(engine),
  [`${server}/edits/decision`]: ['text', 'history', 'proposals', 'evidence', 'preference', 'generation']
    .map((room) => inServer(`edits/${room}`))
    .concat(['documents', 'syntax', 'protocol', 'models'].map(inServer), engine),
  [`${server}/edits`]: ['protocol', 'documents', 'syntax', 'secrets', 'prompt', 'models', 'related-code', 'shape']
    .map(inServer)
    .concat(engine),
  [`${server}/offers`]: ['protocol', 'documents', 'secrets', 'prompt', 'related-code', 'shape']
    .map(inServer)
    .concat(engine, lsp),
  [`${server}/models`]: [`${server}/protocol`, engine],
  [`${server}/remote`]: [`${server}/protocol`, `${server}/models`, engine, 'package.json'],
  [`${server}/engine`]: ['protocol', 'models', 'remote'].map(inServer).concat(engine),
  [`${server}/explain`]: ['protocol', 'documents', 'syntax', 'secrets', 'prompt', 'models', 'engine']
    .map(inServer)
    .concat(engine),
  [`${server}/diagnosis`]: ['protocol', 'prompt', 'models', 'engine', 'remote'].map(inServer).concat(engine),
  [`${server}/server`]: [
    'protocol',
    'documents',
    'syntax',
    'secrets',
    'prompt',
    'related-code',
    'edits',
    'offers',
    'models',
    'engine',
    'explain',
    'remote',
    'diagnosis',
  ]
    .map(inServer)
    .concat(engine, 'package.json', lsp),
  [`${server}/cli`]: [
    'protocol',
    'documents',
    'secrets',
    'prompt',
    'related-code',
    'offers',
    'models',
    'engine',
    'explain',
    'remote',
    'diagnosis',
    'server',
  ]
    .map(inServer)
    .concat(engine, 'package.json'),
  native: [],
};

/** The other folders whose headers each folder of C++ in native/ may include. The lowest folder comes first. */
export const rooms = {
  common: [],
  gguf: ['common'],
  cache: ['common'],
  model: ['common', 'gguf', 'cache'],
  tokenizer: ['common', 'gguf', 'model'],
  gpu: ['common'],
  backend: ['common', 'gguf', 'model', 'gpu'],
  drafts: ['common', 'gguf', 'cache', 'model', 'tokenizer', 'backend'],
  scheduler: ['common', 'cache', 'model', 'tokenizer', 'drafts'],
  engine: ['common', 'gguf', 'cache', 'model', 'tokenizer', 'backend', 'scheduler'],
  addon: ['common', 'engine', 'gpu'],
};

/** A sentence for each #include between rooms of native/ that the table forbids. files: path -> text. */
export function forbiddenIncludes(files) {
  return [...files].flatMap(([path, text]) => {
    const room = path.split('/')[1];
    if (!(room in rooms)) return [`${path} is in none of the rooms that scripts/layers.mjs lists`];
    return [...text.matchAll(/^#include "(\w+)\/.*"/gm)]
      .filter(([, target]) => target in rooms && target !== room && !rooms[room].includes(target))
      .map(
        ([, target]) =>
          `${path} may not include ${target}/: ${room}/ includes only ${rooms[room].join(', ') || 'itself'}`,
      );
  });
}

/** Restricted packages: only the folders that list them above may import them. */
const restricted = ['vscode', 'vscode-languageclient', lsp];

function inExtension(...folders) {
  return folders.map((folder) => `extension/${folder}`);
}

function inServer(folder) {
  return `${server}/${folder}`;
}

/** The imports of a source file, as paths from the root or names of packages. */
export function importsOf(path, text) {
  const specifiers = text.matchAll(
    /^(?:import|export)\b[^;]*?from '([^']+)'|^import '([^']+)'|\bimport\(\s*'([^']+)'/gm,
  );
  return [...specifiers].map(([, from, alone, dynamic]) => {
    const specifier = from ?? alone ?? dynamic;
    return specifier.startsWith('.') ? join(dirname(path), specifier) : specifier;
  });
}

/** A sentence for each import that the table forbids. files: path -> text. */
export function forbiddenImports(files) {
  return [...files].flatMap(([path, text]) => {
    const folder = Object.keys(layers).find((each) => path.startsWith(`${each}/`));
    if (folder === undefined) return [`${path} is in none of the folders that scripts/layers.mjs lists`];
    return importsOf(path, text)
      .filter((target) => !mayImport(folder, target))
      .map(
        (target) =>
          `${path} may not import ${target}: ${folder}/ imports only ${layers[folder].join(', ') || 'itself'}`,
      );
  });
}

function mayImport(folder, target) {
  const isBelow = (each) => target === each || target.startsWith(`${each}/`);
  if ([folder, ...layers[folder]].some(isBelow)) return true;
  const isOurs = /^[\w-]+\/.*\.ts$/.test(target) || target === 'package.json';
  return !isOurs && !restricted.some((each) => target.startsWith(each));
}

/** The circles of files that import each other, each as a list of paths. files: path -> text. */
export function circles(files) {
  const imports = new Map(
    [...files].map(([path, text]) => [path, importsOf(path, text).filter((each) => files.has(each))]),
  );
  const found = [];
  const done = new Set();
  const visit = (path, trail) => {
    const at = trail.indexOf(path);
    if (at !== -1) return void found.push(trail.slice(at));
    if (done.has(path)) return;
    for (const each of imports.get(path)) visit(each, [...trail, path]);
    done.add(path);
  };
  for (const path of imports.keys()) visit(path, []);
  return found;
}
