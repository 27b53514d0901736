// What most files of tests drive: VS Code's server with Hearth installed, and one window of it on a folder of files.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Browser } from 'playwright-core';
import { inject } from 'vitest';
import { launchBrowser } from './browser.ts';
import { type CodeServer, type CodeServerOptions, startCodeServer } from './code-server.ts';
import { Workbench } from './workbench.ts';

interface EditorOptions extends Omit<CodeServerOptions, 'vsix'> {
  /** Name -> text. The first one is open. */
  files: Record<string, string>;
  /** Called when Hearth is installed and the files are there, before the window opens. */
  beforeWindow?: (server: CodeServer, folder: string) => void;
  /** Packages of other extensions. */
  extensions?: string[];
}

/** How long the hook may take that opens one. */
export const openingMs = 150_000;

export class Editor {
  private constructor(
    readonly folder: string,
    readonly server: CodeServer,
    readonly browser: Browser,
    readonly bench: Workbench,
  ) {}

  static async open({ files, beforeWindow, extensions = [], ...options }: EditorOptions): Promise<Editor> {
    const folder = join(mkdtempSync(join(tmpdir(), 'hearth-e2e-')), 'sample');
    const paths = Object.keys(files).map((name) => join(folder, name));
    for (const path of paths) mkdirSync(dirname(path), { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const server = await startCodeServer({ vsix: [inject('vsix'), ...extensions], ...options });
    const browser = await launchBrowser();
    try {
      beforeWindow?.(server, folder);
      return new Editor(folder, server, browser, await Workbench.open(browser, server, folder, paths[0] ?? ''));
    } catch (error) {
      await close(folder, server, browser);
      throw error;
    }
  }

  close(): Promise<void> {
    return close(this.folder, this.server, this.browser);
  }
}

async function close(folder: string, server: CodeServer, browser: Browser): Promise<void> {
  await browser.close();
  await server.stop();
  rmSync(dirname(folder), { recursive: true, force: true });
}
