// Answers the server's question which code belongs to a place: where the names at the cursor are defined, and which open
// documents may be read for it. Nothing is told of a workspace that is not trusted, nor of files that the user has
// excluded from the explorer, the search or Hearth, or had git ignore.
import {
  commands,
  type Disposable,
  type Location,
  type LocationLink,
  languages,
  Position,
  Range,
  RelativePattern,
  type TextDocument,
  Uri,
  type WorkspaceFolder,
  workspace,
} from 'vscode';
import type { DefinedIn, RelatedParams, RelatedResult } from '../language-server/protocol.ts';
import { section } from './config.ts';
import { isIgnoredByGit } from './git-ignore.ts';

// The server waits for a moment only, and takes no more than fits a prompt.
const maxFiles = 6;
const maxFileBytes = 64 * 1024;
// Of a definition. A provider that only says where the name stands is taken to mean as many lines below it.
const maxLines = 30;

/** Remembers which files may be shared until a setting or an ignore file changes. */
export class RelatedCode {
  private readonly shareable = new Map<string, Promise<boolean>>();
  private readonly subscriptions: Disposable[] = [
    workspace.onDidChangeConfiguration((event) => {
      const settings = ['files.exclude', 'search.exclude', `${section}.exclude`];
      if (settings.some((setting) => event.affectsConfiguration(setting))) this.shareable.clear();
    }),
    workspace.onDidSaveTextDocument(({ fileName }) => {
      if (fileName.endsWith('.gitignore')) this.shareable.clear();
    }),
  ];

  async answer({ uri, positions, documents }: RelatedParams): Promise<RelatedResult> {
    if (!workspace.isTrusted) return { defined: [], shared: [] };
    const [defined, shared] = await Promise.all([this.definitions(uri, positions), this.only(documents)]);
    return { defined, shared };
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  private async definitions(uri: string, positions: RelatedParams['positions']): Promise<DefinedIn[]> {
    const found = await Promise.all(positions.map((position) => definitionsAt(Uri.parse(uri), position)));
    const byFile = new Map<string, DefinedIn['lines']>();
    for (const { target, lines } of found.flat()) {
      if (target !== uri) byFile.set(target, [...(byFile.get(target) ?? []), lines]);
    }
    const files = await this.only([...byFile.keys()].slice(0, maxFiles));
    const texts = await Promise.all(
      files.map(async (file) => ({ uri: file, text: await textOf(Uri.parse(file)).catch(() => null) })),
    );
    return texts.flatMap((file) =>
      file.text === null ? [] : { uri: file.uri, text: file.text, lines: byFile.get(file.uri) ?? [] },
    );
  }

  /** Those that may be shared. */
  private async only(uris: string[]): Promise<string[]> {
    const flags = await Promise.all(uris.map((uri) => this.mayShare(uri)));
    return uris.filter((_, i) => flags[i]);
  }

  private mayShare(uri: string): Promise<boolean> {
    const known = this.shareable.get(uri);
    if (known !== undefined) return known;
    const answer = isShareable(Uri.parse(uri)).catch(() => false);
    this.shareable.set(uri, answer);
    return answer;
  }
}

interface Definition {
  target: string;
  lines: { start: number; end: number };
}

async function definitionsAt(
  uri: Uri,
  { line, character }: { line: number; character: number },
): Promise<Definition[]> {
  const ask = commands.executeCommand<(Location | LocationLink)[]>(
    'vscode.executeDefinitionProvider',
    uri,
    new Position(line, character),
  );
  // A language extension that fails knows no definition; the others' answers count all the same.
  const found = await ask.then(
    (places) => places,
    () => [],
  );
  return found.map((place) => {
    const [target, { start, end }] =
      'targetUri' in place
        ? [place.targetUri, place.targetRange]
        : [place.uri, new Range(place.range.start, place.range.end.translate(maxLines))];
    return { target: target.toString(), lines: { start: start.line, end: Math.min(end.line, start.line + maxLines) } };
  });
}

/** As the editor has it; a file that is not open is read, not opened: that would load it into every language server. */
async function textOf(uri: Uri): Promise<string | null> {
  const open = workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
  if (open) return open.getText().length <= maxFileBytes ? open.getText() : null;
  const { size } = await workspace.fs.stat(uri);
  return size <= maxFileBytes ? new TextDecoder().decode(await workspace.fs.readFile(uri)) : null;
}

async function isShareable(uri: Uri): Promise<boolean> {
  if (uri.scheme === 'untitled') return true;
  const file = uri.with({ scheme: uri.scheme === 'vscode-notebook-cell' ? 'file' : uri.scheme, fragment: '' });
  const folder = workspace.getWorkspaceFolder(file);
  // Only git knows what it ignores; where it cannot be asked, as for a file on another machine, nothing is shared.
  if (folder?.uri.scheme !== 'file' || isExcluded(folder, file)) return false;
  return !(await isIgnoredByGit(folder.uri.fsPath, file.fsPath));
}

function isExcluded(folder: WorkspaceFolder, uri: Uri): boolean {
  const config = workspace.getConfiguration(undefined, uri);
  const globs = ['files.exclude', 'search.exclude'].flatMap((key) =>
    Object.entries(config.get<Record<string, unknown>>(key, {}))
      .filter(([, isOn]) => isOn === true)
      .map(([glob]) => glob),
  );
  const patterns = globs.flatMap((glob) => [glob, `${glob}/**`]).map((glob) => new RelativePattern(folder, glob));
  const selector = [...patterns, ...config.get<string[]>(`${section}.exclude`, [])].map((pattern) => ({ pattern }));
  // VS Code's own globs, which are matched only with documents: of this one, which need not be open, only the URI counts.
  return languages.match(selector, { uri, languageId: '' } as TextDocument) > 0;
}
