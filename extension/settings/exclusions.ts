// Tells which files are excluded from Hearth, from the explorer or from the search. A workspace can exclude more files
// than the user, but cannot include a file that the user has excluded.
import {
  type Disposable,
  type GlobPattern,
  languages,
  RelativePattern,
  type TextDocument,
  type Uri,
  workspace,
} from 'vscode';
import { section } from './config.ts';

/**
 * Calls the listener when the set of excluded, hidden or ignored files may have changed, and when one of otherSettings
 * has changed.
 */
export function onExclusionsChange(listener: () => void, otherSettings: string[] = []): Disposable[] {
  const settings = ['files.exclude', 'search.exclude', `${section}.exclude`, ...otherSettings];
  // Notices a .gitignore in the workspace that another program writes, such as git. The last listener below notices a
  // .gitignore that the user saves in the editor, even one above the workspace's folders.
  const watcher = workspace.createFileSystemWatcher('**/.gitignore');
  return [
    workspace.onDidChangeConfiguration((event) => {
      if (settings.some((setting) => event.affectsConfiguration(setting))) listener();
    }),
    watcher,
    ...[watcher.onDidChange, watcher.onDidCreate, watcher.onDidDelete].map((on) => on(listener)),
    workspace.onDidSaveTextDocument(({ fileName }) => {
      if (fileName.endsWith('.gitignore')) listener();
    }),
  ];
}

/** Whether hearth.exclude has a pattern for the file. */
export function isExcluded(uri: Uri): boolean {
  const config = workspace.getConfiguration(section, uri);
  const globs = [config.get('exclude'), config.inspect('exclude')?.globalValue].flat();
  return matches(globs, uri);
}

/** Whether VS Code hides the file in the explorer or the search. */
export function isHidden(uri: Uri): boolean {
  return matches(hiddenGlobs(uri), uri);
}

/** The globs of the files that VS Code hides in the explorer or the search, by the settings that apply to `uri`. */
export function hiddenGlobs(uri: Uri): string[] {
  const config = workspace.getConfiguration(undefined, uri);
  return ['files.exclude', 'search.exclude'].flatMap((key) => {
    const found = config.inspect<object>(key);
    const settings = [config.get<object>(key), { ...found?.defaultValue, ...found?.globalValue }];
    return settings.flatMap((setting = {}) =>
      Object.entries(setting).flatMap(([glob, isOn]) => (isOn === true ? glob : [])),
    );
  });
}

const innermostBraces = /^(?<before>.*?)\{(?<inner>[^{}]*)\}(?<after>.*)$/s;
const maxAlternatives = 100;

/**
 * Splits a glob with braces into one glob per alternative: "*.{a,b}" gives "*.a" and "*.b". A glob with too many
 * alternatives is returned unchanged.
 */
export function withoutBraces(glob: string): string[] {
  let globs = [glob];
  while (globs.length <= maxAlternatives) {
    const opened = globs.map((partial) => innermostBraces.exec(partial)?.groups);
    if (!opened.some(Boolean)) return globs;
    globs = globs.flatMap((partial, i) => {
      const { before = '', inner = '', after = '' } = opened[i] ?? {};
      return opened[i] ? inner.split(',').map((alternative) => before + alternative + after) : partial;
    });
  }
  return [glob];
}

function matches(globs: unknown[], uri: Uri): boolean {
  const patterns = globs.flatMap((glob) => (typeof glob === 'string' ? patternsOf(glob) : []));
  // VS Code matches globs only against documents. The file need not be open: match() reads only the URI.
  const document = { uri, languageId: '' } as TextDocument;
  return (
    languages.match(
      patterns.map((pattern) => ({ pattern })),
      document,
    ) > 0
  );
}

/**
 * The patterns for a user's glob. A glob with a slash matches a path in the workspace or a whole path. A glob without a
 * slash matches a name in any folder. A glob that matches a folder also matches all files in the folder.
 */
function patternsOf(glob: string): GlobPattern[] {
  const path = glob.trim().replace(/\/+$/, '');
  if (path === '') return [];
  const globs = path.includes('/') ? [path, `${path}/**`] : [`**/${path}`, `**/${path}/**`];
  const folders = workspace.workspaceFolders ?? [];
  return globs.flatMap((pattern) => [pattern, ...folders.map((folder) => new RelativePattern(folder, pattern))]);
}
