// Real code for the tokenizers and the models: from this repository and from the packages that it is built with.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folders = ['language-server', 'extension', 'native', 'kernels', 'test', 'scripts'];
const packages = ['typescript', 'esbuild', 'vitest', 'markdown-it', 'node-addon-api', 'vscode-jsonrpc'];
const isCode = /\.(?:[cm]?[jt]s|cc|h|inl|md|py|css|json)$/;
// Longer files are usually generated, and are left out.
const maxChars = 60_000;

/** Takes half of the characters from each of the two sources, as whole files except for the last. */
export function sources(root: string, characters: number): string[] {
  const own = folders.flatMap((folder) => textsIn(join(root, folder)));
  const others = packages.flatMap((name) => textsIn(join(root, 'node_modules', name)));
  return [...take(own, characters / 2), ...take(others, characters / 2)];
}

function textsIn(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  const texts = names.filter((name) => isCode.test(name)).map((name) => readFileSync(join(folder, name), 'utf8'));
  return texts.filter((text) => text.length <= maxChars);
}

function take(texts: string[], characters: number): string[] {
  const taken: string[] = [];
  for (const text of texts) {
    if (characters <= 0) break;
    taken.push(text.slice(0, characters));
    characters -= text.length;
  }
  return taken;
}
