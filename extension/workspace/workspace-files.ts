// Sends the workspace's files to the server, which searches them for code that helps at the cursor: in the background, in
// small pieces, and again when they change. None is sent of an untrusted workspace or while Hearth is off, and none that
// git ignores or that the user has excluded.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Disposable, FileType, RelativePattern, type Uri, workspace } from 'vscode';
import type { ClosedFilesParams } from '../../language-server/protocol/messages.ts';
import { modeFor, section } from '../settings/config.ts';
import { hiddenGlobs, onExclusionsChange, withoutBraces } from '../settings/exclusions.ts';
import { shareable, textOnDisk } from './shareable.ts';

// The server takes no more either.
const maxFiles = 2000;
/** More than are sent, since VS Code also finds what git ignores, such as a folder with packages of Python. */
const maxFound = 10 * maxFiles;
const maxBytes = 4 * 1024 * 1024;
const maxMs = 120_000;
const filesAtOnce = 16;
const extensions =
  'c,cc,cpp,cs,css,dart,ex,go,h,hpp,html,java,jl,js,jsx,kt,lua,mjs,php,pl,proto,ps1,py,r,rb,rs,scala,scss,sh,sql,svelte,swift,ts,tsx,vue,zig';
const names = `**/*.{${extensions}}`;
const hasKnownName = ({ path }: Uri) => extensions.split(',').includes(path.slice(path.lastIndexOf('.') + 1));
/** Installing packages changes thousands of files, none of which is ever sent. */
const isInPackages = (uri: Uri) =>
  /\/node_modules(\/|$)/.test(uri.path.slice(workspace.getWorkspaceFolder(uri)?.uri.path.length));
/** The name of a folder mostly has no dot. */
const maybeFolder = ({ path }: Uri) => !path.slice(path.lastIndexOf('/')).includes('.');

export interface FilesPace {
  /** After connecting: the model and the editor's language features load first. */
  beginMs: number;
  /** Between two pieces: one takes the server some 20 ms, in which it answers no key. */
  pauseMs: number;
  /** After the last change of a file. */
  quietMs: number;
}

const defaultPace: FilesPace = { beginMs: 5000, pauseMs: 100, quietMs: 2000 };

export class WorkspaceFiles implements Disposable {
  private readonly watcher = workspace.createFileSystemWatcher('**');
  private readonly subscriptions: Disposable[];
  private readonly changed = new Map<string, Uri>();
  /** The files of which the server has been sent a text since it was told to forget all. */
  private readonly sent = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  /** The number of the newest reading; an older one ends. */
  private reading = 0;
  private isConnected = false;

  constructor(
    private readonly send: (params: ClosedFilesParams) => Promise<void>,
    private readonly pace = defaultPace,
  ) {
    const note = (uri: Uri) => hasKnownName(uri) && this.note(uri);
    // There is one event for a folder that is moved or deleted, and none for its files.
    const noteFolder = (uri: Uri) => (hasKnownName(uri) || maybeFolder(uri)) && this.note(uri);
    this.subscriptions = [
      this.watcher,
      this.watcher.onDidChange(note),
      this.watcher.onDidCreate(noteFolder),
      this.watcher.onDidDelete(noteFolder),
      workspace.onDidGrantWorkspaceTrust(() => this.readAll()),
      workspace.onDidChangeWorkspaceFolders(() => this.readAll()),
      ...onExclusionsChange(() => void this.readAll(), [`${section}.mode`]),
    ];
  }

  /** Call when a server has been connected, which knows no files yet. */
  connected(): Promise<void> {
    this.isConnected = true;
    return this.readAll();
  }

  dispose(): void {
    this.reading++;
    clearTimeout(this.timer);
    for (const each of this.subscriptions) each.dispose();
  }

  private note(uri: Uri): void {
    if (isInPackages(uri)) return;
    this.changed.set(uri.toString(), uri);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.readChanged(), this.pace.quietMs);
  }

  /** Reads all files anew. If that fails, the server goes on with those that it has. */
  private async readAll(): Promise<void> {
    const reading = ++this.reading;
    this.changed.clear();
    this.sent.clear();
    if (!this.isConnected) return;
    await this.send({ isAnew: true, files: [] });
    if (!isAllowed()) return;
    await sleep(this.pace.beginMs);
    if (this.reading !== reading) return;
    const until = performance.now() + maxMs;
    let left = maxBytes;
    for (const folder of workspace.workspaceFolders ?? []) {
      for (const uris of pieces(await filesIn(folder.uri), filesAtOnce)) {
        await sleep(this.pace.pauseMs);
        if (this.reading !== reading || left <= 0 || performance.now() > until) return;
        left -= await this.sendTexts(uris, reading);
      }
    }
  }

  private async readChanged(): Promise<void> {
    const changed = [...this.changed.values()];
    this.changed.clear();
    if (!this.isConnected || !isAllowed()) return;
    const { reading } = this;
    const uris = (await Promise.all(changed.map(filesAt))).flat();
    const shared = new Set(await shareable(uris));
    // What is not shared, such as what a build has written, is news only if it was, or if it is a folder that is gone.
    const news = uris.filter((uri) => shared.has(uri) || this.sent.has(uri.toString()) || !hasKnownName(uri));
    // After a switch of branches, say.
    if (news.length > maxFiles / 10) return this.readAll();
    for (const piece of pieces(news, filesAtOnce)) {
      await this.sendTexts(piece, reading, shared);
      await sleep(this.pace.pauseMs);
    }
  }

  /** Sends the texts of what is shared, unless a newer reading has begun. Resolves to their length. */
  private async sendTexts(uris: Uri[], reading: number, shared: ReadonlySet<Uri> = new Set(uris)): Promise<number> {
    const textOf = (uri: Uri) => (shared.has(uri) ? textOnDisk(uri) : null);
    const files = await Promise.all(uris.map(async (uri) => ({ uri: uri.toString(), text: await textOf(uri) })));
    if (this.reading !== reading) return 0;
    for (const { uri, text } of files) if (text !== null) this.sent.add(uri);
    await this.send({ isAnew: false, files });
    return files.reduce((sum, { text }) => sum + (text?.length ?? 0), 0);
  }
}

const isAllowed = () => workspace.isTrusted && modeFor() !== 'off';

function pieces(uris: Uri[], length: number): Uri[][] {
  return Array.from({ length: Math.ceil(uris.length / length) }, (_, i) => uris.slice(i * length, (i + 1) * length));
}

/** The files of a folder; a source file, or a path where nothing is any more, stands for itself. */
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
  // Braces cannot be nested, and a comma cannot be escaped: what such a glob hides is left out afterwards.
  const hidden = hiddenGlobs(folder)
    .flatMap(withoutBraces)
    .filter((glob) => !/[{},]/.test(glob));
  const exclude = `{${['**/node_modules/**', ...hidden].join(',')}}`;
  const found = await workspace.findFiles(new RelativePattern(folder, names), exclude, maxFound);
  const files: Uri[] = [];
  for (const some of pieces(found, maxFiles)) if (files.length < maxFiles) files.push(...(await shareable(some)));
  return files.slice(0, maxFiles);
}
