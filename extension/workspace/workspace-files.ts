// Sends the workspace's files to the server, which searches them for code that helps at the cursor. They are sent in
// the background, a few at a time, and again when they change. Nothing is sent from an untrusted workspace or while
// Hearth is off, and no file that git ignores or that the user has excluded.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Disposable, FileType, RelativePattern, type Uri, workspace } from 'vscode';
import type { ClosedFilesParams } from '../../language-server/protocol/messages.ts';
import { modeFor, section } from '../settings/config.ts';
import { hiddenGlobs, onExclusionsChange, withoutBraces } from '../settings/exclusions.ts';
import { shareable, textOnDisk } from './shareable.ts';

// The server keeps at most this many.
const maxFiles = 2000;
/** VS Code also finds files that git ignores, such as a folder of Python packages. These are not sent. */
const maxFound = 10 * maxFiles;
/** One scan sends at most this many bytes, and takes at most this long. */
const maxBytes = 4 * 1024 * 1024;
const maxMs = 120_000;
const filesAtOnce = 16;
const extensions =
  'c,cc,cpp,cs,css,dart,ex,go,h,hpp,html,java,jl,js,jsx,kt,lua,mjs,php,pl,proto,ps1,py,r,rb,rs,scala,scss,sh,sql,svelte,swift,ts,tsx,vue,zig';
const names = `**/*.{${extensions}}`;
const hasKnownName = ({ path }: Uri) => extensions.split(',').includes(path.slice(path.lastIndexOf('.') + 1));
/** Installing packages changes thousands of files. None of them is ever sent. */
const isInPackages = (uri: Uri) =>
  /\/node_modules(\/|$)/.test(uri.path.slice(workspace.getWorkspaceFolder(uri)?.uri.path.length));
/** Whether the path may be that of a folder. Most folders have no dot in their names. */
const maybeFolder = ({ path }: Uri) => !path.slice(path.lastIndexOf('/')).includes('.');

export interface FilesPace {
  /** The wait after connecting, while the model and the editor's language features load. */
  beginMs: number;
  /** The pause between two messages. The server needs some 20 ms for a message, and answers no key meanwhile. */
  pauseMs: number;
  /** Changed files are sent when no file has changed for this long. */
  quietMs: number;
}

const defaultPace: FilesPace = { beginMs: 5000, pauseMs: 100, quietMs: 2000 };

export class WorkspaceFiles implements Disposable {
  private readonly watcher = workspace.createFileSystemWatcher('**');
  private readonly subscriptions: Disposable[];
  private readonly changed = new Map<string, Uri>();
  /** The files whose text the server has. */
  private readonly sent = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  /** The number of the newest scan of the workspace. Older scans stop. */
  private scan = 0;
  private isConnected = false;

  constructor(
    private readonly send: (params: ClosedFilesParams) => Promise<void>,
    private readonly pace = defaultPace,
  ) {
    const note = (uri: Uri) => hasKnownName(uri) && this.note(uri);
    // A moved or deleted folder gives one event, and its files give none.
    const noteFolder = (uri: Uri) => (hasKnownName(uri) || maybeFolder(uri)) && this.note(uri);
    this.subscriptions = [
      this.watcher,
      this.watcher.onDidChange(note),
      this.watcher.onDidCreate(noteFolder),
      this.watcher.onDidDelete(noteFolder),
      workspace.onDidGrantWorkspaceTrust(() => this.sendAll()),
      workspace.onDidChangeWorkspaceFolders(() => this.sendAll()),
      ...onExclusionsChange(() => void this.sendAll(), [`${section}.mode`]),
    ];
  }

  /** Call when a new server is connected. It has no files yet. */
  connected(): Promise<void> {
    this.isConnected = true;
    return this.sendAll();
  }

  dispose(): void {
    this.scan++;
    clearTimeout(this.timer);
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  private note(uri: Uri): void {
    if (isInPackages(uri)) return;
    this.changed.set(uri.toString(), uri);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.sendChanged(), this.pace.quietMs);
  }

  /** Sends all files again. If that fails, the server goes on with the files that it has. */
  private async sendAll(): Promise<void> {
    const scan = ++this.scan;
    this.changed.clear();
    this.sent.clear();
    if (!this.isConnected) return;
    await this.send({ isAnew: true, files: [] });
    if (!isAllowed()) return;
    await sleep(this.pace.beginMs);
    if (this.scan !== scan) return;
    const until = performance.now() + maxMs;
    let left = maxBytes;
    for (const folder of workspace.workspaceFolders ?? []) {
      for (const uris of pieces(await filesIn(folder.uri), filesAtOnce)) {
        await sleep(this.pace.pauseMs);
        if (this.scan !== scan || left <= 0 || performance.now() > until) return;
        left -= await this.sendTexts(uris, scan);
      }
    }
  }

  private async sendChanged(): Promise<void> {
    const changed = [...this.changed.values()];
    this.changed.clear();
    if (!this.isConnected || !isAllowed()) return;
    const { scan } = this;
    const uris = (await Promise.all(changed.map(filesAt))).flat();
    const shared = new Set(await shareable(uris));
    // A file that is not shared, such as the output of a build, matters only if the server has it. A path without a
    // known extension can only be a folder that is gone: it matters.
    const relevant = uris.filter((uri) => shared.has(uri) || this.sent.has(uri.toString()) || !hasKnownName(uri));
    // Switching branches, for example, changes this many files.
    if (relevant.length > maxFiles / 10) return this.sendAll();
    for (const piece of pieces(relevant, filesAtOnce)) {
      await this.sendTexts(piece, scan, shared);
      await sleep(this.pace.pauseMs);
    }
  }

  /**
   * Sends the texts of the shared files, and null for the others, unless a newer scan has begun. Resolves to the total
   * length of the texts.
   */
  private async sendTexts(uris: Uri[], scan: number, shared: ReadonlySet<Uri> = new Set(uris)): Promise<number> {
    const textOf = (uri: Uri) => (shared.has(uri) ? textOnDisk(uri) : null);
    const files = await Promise.all(uris.map(async (uri) => ({ uri: uri.toString(), text: await textOf(uri) })));
    if (this.scan !== scan) return 0;
    for (const { uri, text } of files) if (text !== null) this.sent.add(uri);
    await this.send({ isAnew: false, files });
    return files.reduce((sum, { text }) => sum + (text?.length ?? 0), 0);
  }
}

const isAllowed = () => workspace.isTrusted && modeFor() !== 'off';

function pieces(uris: Uri[], length: number): Uri[][] {
  return Array.from({ length: Math.ceil(uris.length / length) }, (_, i) => uris.slice(i * length, (i + 1) * length));
}

/** The source files in a folder. For a source file, or a path that is gone: the path itself. */
async function filesAt(uri: Uri): Promise<Uri[]> {
  try {
    const { type } = await workspace.fs.stat(uri);
    if (type === FileType.Directory) return await filesIn(uri);
    return hasKnownName(uri) ? [uri] : [];
  } catch {
    return [uri];
  }
}

async function filesIn(folder: Uri): Promise<Uri[]> {
  // In an exclude glob, braces cannot be nested and a comma cannot be escaped. So globs with braces or commas are left
  // out here, and shareable() drops the files that they hide.
  const hidden = hiddenGlobs(folder)
    .flatMap(withoutBraces)
    .filter((glob) => !/[{},]/.test(glob));
  const exclude = `{${['**/node_modules/**', ...hidden].join(',')}}`;
  const found = await workspace.findFiles(new RelativePattern(folder, names), exclude, maxFound);
  const files: Uri[] = [];
  for (const piece of pieces(found, maxFiles)) if (files.length < maxFiles) files.push(...(await shareable(piece)));
  return files.slice(0, maxFiles);
}
