// Reads the cases in test/fixtures/renames.txt, which explains their format.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface MarkedFile {
  path: string;
  before: string;
  after: string;
}

export interface RenameCase {
  title: string;
  languageId: string;
  old: string;
  now: string;
  /** The declaration's place in the first file. */
  line: number;
  column: number;
  files: MarkedFile[];
}

const extensions: Record<string, string> = {
  ...{ typescript: 'ts', typescriptreact: 'tsx', javascript: 'js', python: 'py', go: 'go', rust: 'rs', java: 'java' },
  ...{ csharp: 'cs', cpp: 'cpp', c: 'c', ruby: 'rb', php: 'php', kotlin: 'kt', html: 'html', xml: 'xml', vue: 'vue' },
  svelte: 'svelte',
};

export function renameCases(): RenameCase[] {
  const text = readFileSync(join(__dirname, '..', 'fixtures', 'renames.txt'), 'utf8');
  return text.split(/^=== /m).slice(1).map(caseOf);
}

function caseOf(text: string): RenameCase {
  const [head = '', ...body] = text.split('\n');
  const [, languageId = '', now = '', title = ''] = /^(\S+) -> (\S+): (.*)$/.exec(head) ?? [];
  const [first = '', ...others] = body.join('\n').split(/^--- /m);
  const declaration = /«([^»]*)»/.exec(first);
  const above = first.slice(0, declaration?.index).split('\n');
  const [old = '', line] = [declaration?.[1], above.length - 1];
  const column = (above.at(-1) ?? '').replace(mark, '$1').length;
  const path = `${languageId === 'rust' ? 'src/' : ''}a.${extensions[languageId]}`;
  const files = [`${path}\n${first}`, ...others].map((file) => {
    const [name = '', ...lines] = file.split('\n');
    return { path: name, ...sides(lines.join('\n'), now) };
  });
  return { title: `${languageId}: ${title}`, languageId, old, now, line, column, files };
}

const mark = /[«‹]([^»›⇒]*)(?:⇒([^»›]*))?[»›]/g;

function sides(marked: string, now: string): Omit<MarkedFile, 'path'> {
  return { before: marked.replace(mark, '$1'), after: marked.replace(mark, (_, _old, more) => more ?? now) };
}
