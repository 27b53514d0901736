// Starts the editor that most test files drive: VS Code's server with Hearth installed, and a window on a folder with
// files.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, inject } from 'vitest';
import { launchBrowser } from './browser.ts';
import { CodeServer, type CodeServerOptions } from './code-server.ts';
import { Workbench } from './workbench.ts';

export interface EditorOptions extends Omit<CodeServerOptions, 'vsix'> {
  /** The texts of the folder's files, by name. The first file is opened. */
  files: Record<string, string>;
  /** Called once Hearth is installed and the files exist, before the window opens. */
  beforeWindow?: () => void | Promise<void>;
  /** The paths of the packages of other extensions to install. */
  extensions?: string[];
}

export interface Editor {
  server: CodeServer;
  /** The path of the workspace. */
  folder: string;
  /** The first window. */
  bench: Workbench;
  /** Opens another window on the folder, with an empty file. */
  openWindow(file: string): Promise<Workbench>;
}

/**
 * Call this at the top of a file or group of tests. The editor runs as long as these tests do. After a failing test,
 * saves a picture, prints the log and loads the window again.
 */
export function useEditor({ files, beforeWindow, extensions = [], ...options }: EditorOptions): Editor {
  const server = new CodeServer({ vsix: [inject('vsix'), ...extensions], ...options });
  const folder = join(server.root, 'sample');
  const bench = new Workbench(server, folder, join(folder, Object.keys(files)[0] ?? ''));
  let browser: Browser;

  beforeAll(async () => {
    await server.start();
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    await beforeWindow?.();
    browser = await launchBrowser();
    await bench.open(browser);
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await bench.afterFailure(task.name);
  });
  afterAll(async () => {
    await browser?.close();
    await server.stop();
  });

  const openWindow = (file: string) => {
    writeFileSync(join(folder, file), '');
    return new Workbench(server, folder, join(folder, file)).open(browser);
  };
  return { server, folder, bench, openWindow };
}
