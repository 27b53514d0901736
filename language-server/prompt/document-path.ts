// Chooses the path that a prompt gives to a document. The path's extension tells the model the language.

export interface WorkspaceFolder {
  uri: string;
  name: string;
}

/** The names that a prompt gives to a document and its repository. */
export interface PromptPlace {
  path: string;
  /** Empty if the document is in no workspace folder. */
  repository: string;
}

/**
 * If the workspace has several folders, the path begins with the folder's name. If the document is in no folder, the
 * path is the file's name.
 */
export function promptPlace(uri: string, languageId: string, folders: readonly WorkspaceFolder[] = []): PromptPlace {
  const folder = folderOf(uri, folders);
  if (!folder) return { path: looseName(uri, languageId), repository: '' };
  const relative = readable(uri).slice(readable(folder.uri).replace(/\/$/, '').length + 1);
  const path = withLanguageExtension(uri, relative, languageId);
  return { path: folders.length > 1 ? `${folder.name}/${path}` : path, repository: folder.name };
}

/** The innermost workspace folder that contains the document. */
export function folderOf(uri: string, folders: readonly WorkspaceFolder[]): WorkspaceFolder | undefined {
  const path = readable(uri);
  return folders
    .filter((folder) => path.startsWith(`${readable(folder.uri).replace(/\/$/, '')}/`))
    .toSorted((a, b) => b.uri.length - a.uri.length)[0];
}

function looseName(uri: string, languageId: string): string {
  // Evaluation cases use a path in a repository instead of a URI.
  if (!/^[\w+.-]+:/.test(uri)) return uri;
  const name = readable(uri).replace(/^.*[/\\:]/, '');
  if (uri.startsWith('untitled:') && !name.includes('.')) return `untitled${extensions[languageId] ?? ''}`;
  return withLanguageExtension(uri, name, languageId);
}

/** The path of a notebook cell gets the extension of the cell's language. */
function withLanguageExtension(uri: string, path: string, languageId: string): string {
  if (!uri.startsWith('vscode-notebook-cell:')) return path;
  return path.replace(/\.[^./]*$/, '') + (extensions[languageId] ?? '');
}

/** The decoded path without the scheme. Notebook cells and untitled documents also have one. */
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

// File extensions by VS Code's language ids, for documents without a file.
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

// Further extensions. The main one of each language is above.
const otherEndings: Record<string, string> = { '.cc': 'cpp', '.h': 'cpp', '.mjs': 'javascript', '.yml': 'yaml' };
const languageIds = new Map([
  ...Object.entries(extensions).map(([id, ending]) => [ending, id] as const),
  ...Object.entries(otherEndings),
]);

/** VS Code's id of the language of a file, by its extension; '' if the extension is unknown. */
export function languageIdOf(path: string): string {
  return languageIds.get(/\.[^./\\]+$/.exec(path)?.[0] ?? '') ?? '';
}

/** "store" for "user/store.ts"; for an index file, the name of its folder. */
export function stem(path: string): string {
  const parts = path.split('/');
  const name = (parts.pop() ?? '').replace(/\..*$/, '');
  return /^(index|mod|__init__|init|lib)$/.test(name) ? (parts.pop() ?? name) : name;
}
