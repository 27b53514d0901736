// Says which files the user has excluded from Hearth, from the explorer or from the search. A workspace can exclude
// more files, but cannot bring back any that the user has excluded.
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
 * Calls the listener when the set of excluded, hidden or ignored files might have changed, or one of the other settings
 * has.
 */
export function onExclusionsChange(listener: () => void, others: string[] = []): Disposable[] {
  const settings = ['files.exclude', 'search.exclude', `${section}.exclude`, ...others];
  // Notices when another program, such as git, writes a .gitignore in the workspace. The last listener below notices
  // one that is saved in the editor, even above the workspace's folders.
  const rules = workspace.createFileSystemWatcher('**/.gitignore');
  return [
    workspace.onDidChangeConfiguration((event) => {
      if (settings.some((setting) => event.affectsConfiguration(setting))) listener();
    }),
    rules,
    ...[rules.onDidChange, rules.onDidCreate, rules.onDidDelete].map((on) => on(listener)),
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

/** The globs of the files that VS Code hides in the explorer or the search. uri: where they apply. */
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

const innermost = /^(?<before>.*?)\{(?<inner>[^{}]*)\}(?<after>.*)$/s;
const maxAlternatives = 100;

/**
 * Splits a glob with braces into one glob per alternative: "*.{a,b}" gives "*.a" and "*.b". If there are too many,
 * keeps it.
 */
export function withoutBraces(glob: string): string[] {
  let globs = [glob];
  while (globs.length <= maxAlternatives) {
    const opened = globs.map((each) => innermost.exec(each)?.groups);
    if (!opened.some(Boolean)) return globs;
    globs = globs.flatMap((each, i) => {
      const { before = '', inner = '', after = '' } = opened[i] ?? {};
      return opened[i] ? inner.split(',').map((one) => before + one + after) : each;
    });
  }
  return [glob];
}

function matches(globs: unknown[], uri: Uri): boolean {
  const patterns = globs.flatMap((glob) => (typeof glob === 'string' ? patternsOf(glob) : []));
  // VS Code matches its globs only against documents. The file need not be open, since match() looks only at the URI.
  const document = { uri, languageId: '' } as TextDocument;
  return (
    languages.match(
      patterns.map((pattern) => ({ pattern })),
      document,
    ) > 0
  );
}

/**
 * A glob with a slash matches a path in the workspace or a whole path; one without, a name in any folder. If it matches
 * a folder, it also matches all files in it.
 */
function patternsOf(glob: string): GlobPattern[] {
  const path = glob.trim().replace(/\/+$/, '');
  if (path === '') return [];
  const globs = path.includes('/') ? [path, `${path}/**`] : [`**/${path}`, `**/${path}/**`];
  const folders = workspace.workspaceFolders ?? [];
  return globs.flatMap((each) => [each, ...folders.map((folder) => new RelativePattern(folder, each))]);
}
