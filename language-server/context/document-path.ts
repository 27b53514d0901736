// How a prompt names a document: its path in the workspace, which also tells the model its language.

export interface WorkspaceFolder {
  uri: string;
  name: string;
}

/** Where a document stands, as the model is told. */
export interface PromptPlace {
  path: string;
  /** Empty where no workspace folder holds the document. */
  repository: string;
}

/** With several folders the path begins with the folder's name. A document outside all of them has only its name. */
export function promptPlace(uri: string, languageId: string, folders: readonly WorkspaceFolder[] = []): PromptPlace {
  const folder = folderOf(uri, folders);
  if (!folder) return { path: looseName(uri, languageId), repository: '' };
  const relative = readable(uri).slice(readable(folder.uri).replace(/\/$/, '').length + 1);
  const path = withLanguageExtension(uri, relative, languageId);
  return { path: folders.length > 1 ? `${folder.name}/${path}` : path, repository: folder.name };
}

/** The innermost folder that holds the document. */
export function folderOf(uri: string, folders: readonly WorkspaceFolder[]): WorkspaceFolder | undefined {
  const path = readable(uri);
  return folders
    .filter((folder) => path.startsWith(`${readable(folder.uri).replace(/\/$/, '')}/`))
    .toSorted((a, b) => b.uri.length - a.uri.length)[0];
}

function looseName(uri: string, languageId: string): string {
  // What is no URI is a path in a repository already: cases of an evaluation are named so.
  if (!/^[\w+.-]+:/.test(uri)) return uri;
  const name = readable(uri).replace(/^.*[/\\:]/, '');
  if (uri.startsWith('untitled:') && !name.includes('.')) return `untitled${extensions[languageId] ?? ''}`;
  return withLanguageExtension(uri, name, languageId);
}

/** A notebook's cell is code of its own language, whatever the notebook is called. */
function withLanguageExtension(uri: string, path: string, languageId: string): string {
  if (!uri.startsWith('vscode-notebook-cell:')) return path;
  return path.replace(/\.[^./]*$/, '') + (extensions[languageId] ?? '');
}

/** Without the scheme: a folder holds the cells of its notebooks and the documents to be saved there, too. */
function readable(uri: string): string {
  const path = uri
    .replace(/[#?].*$/, '')
    .replace(/^[\w+.-]+:/, '')
    .replace(/^\/{3}/, '/');
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

// By VS Code's language ids, for documents that have no file yet.
const extensions: Record<string, string> = {
  bat: '.bat',
  c: '.c',
  clojure: '.clj',
  cpp: '.cpp',
  csharp: '.cs',
  css: '.css',
  dart: '.dart',
  elixir: '.ex',
  fsharp: '.fs',
  go: '.go',
  haskell: '.hs',
  html: '.html',
  java: '.java',
  javascript: '.js',
  javascriptreact: '.jsx',
  json: '.json',
  julia: '.jl',
  kotlin: '.kt',
  lua: '.lua',
  markdown: '.md',
  'objective-c': '.m',
  perl: '.pl',
  php: '.php',
  powershell: '.ps1',
  python: '.py',
  r: '.r',
  ruby: '.rb',
  rust: '.rs',
  scala: '.scala',
  scss: '.scss',
  shellscript: '.sh',
  sql: '.sql',
  svelte: '.svelte',
  swift: '.swift',
  toml: '.toml',
  typescript: '.ts',
  typescriptreact: '.tsx',
  vue: '.vue',
  xml: '.xml',
  yaml: '.yaml',
};
