// Drives VS Code's workbench in a headless browser as a person would, with keys and clicks, and reads what it shows.
import { readFileSync } from 'node:fs';
import type { Browser, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { type CodeServer, settingsText } from './code-server.ts';

/** How long to wait for anything, so that tests pass on a busy machine, too; the same as in vitest.config.ts. */
const patienceMs = 60_000;

/** A window on a folder, with one file open. */
export class Workbench {
  private opened: Page | undefined;

  constructor(
    private readonly server: CodeServer,
    private readonly folder: string,
    private readonly file: string,
  ) {}

  async open(browser: Browser): Promise<this> {
    const context = await browser.newContext({ viewport: { width: 1040, height: 520 } });
    context.setDefaultTimeout(patienceMs);
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: this.server.url });
    this.opened = await context.newPage();
    const payload = JSON.stringify([['openFile', this.server.remoteUri(this.file)]]);
    await this.page.goto(`${this.server.url}/?${new URLSearchParams({ folder: this.folder, payload })}`);
    await this.editor.waitFor();
    await this.press('Control+b'); // hides the side bar
    return this;
  }

  get page(): Page {
    if (!this.opened) throw new Error('the window is not open yet');
    return this.opened;
  }

  get editor(): Locator {
    const name = this.file.slice(this.file.lastIndexOf('/') + 1);
    return this.page.locator(`.editor-instance .monaco-editor[data-uri$="${name}"]`).first();
  }

  get statusItem(): Locator {
    return this.page.locator('.statusbar-item[id^="hearth.hearth"]');
  }

  /** The status bar item's label for screen readers; '' if there is no item yet. */
  async statusLabel(): Promise<string> {
    const labels = await this.statusItem.evaluateAll((items) => items.map((item) => item.ariaLabel));
    return labels[0] ?? '';
  }

  /** Waits until the status bar item's label matches. VS Code updates it a moment after the extension has set it. */
  statusSays(words: RegExp): Promise<void> {
    return expect.poll(() => this.statusLabel()).toMatch(words);
  }

  /**
   * The ghost text that is shown now; '' if there is none. VS Code draws the first line in the cursor's line, and the
   * others in a zone below it.
   */
  async shownGhostText(): Promise<string> {
    const first = await this.editor.locator('.ghost-text-decoration').allTextContents();
    const others = await this.editor.locator('.suggest-preview-text .view-line').allTextContents();
    return [first.join(''), ...others].join('\n').replaceAll('\u00a0', ' ');
  }

  press(...keys: string[]): Promise<void> {
    return keys.reduce((before, key) => before.then(() => this.page.keyboard.press(key)), Promise.resolve());
  }

  type(text: string): Promise<void> {
    return this.page.keyboard.type(text, { delay: 20 });
  }

  /**
   * Saves the document and reads its text from disk, since the page contains only the visible lines and mixes ghost
   * text into them. Saving takes a moment, so poll this.
   */
  async savedText(): Promise<string> {
    await this.press('Control+s');
    return readFileSync(this.file, 'utf8');
  }

  async setText(text: string): Promise<void> {
    await this.editor.locator('.view-line').first().click();
    await this.press('Control+a', 'Delete');
    await expect.poll(() => this.savedText()).toBe('');
    // Pastes the text, since the editor would indent typed text and close its brackets.
    await this.page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
    await this.press('Control+v');
    await expect.poll(() => this.savedText()).toBe(text);
  }

  /** Replaces the user's settings in the editor, as a person does. */
  async setSettings(settings: object): Promise<void> {
    const text = settingsText(settings);
    await this.runCommand('Preferences: Open User Settings (JSON)');
    await this.page.locator('.monaco-editor.focused[data-uri$="settings.json"]').waitFor();
    await this.page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
    await this.press('Control+a', 'Control+v', 'Control+s');
    await expect.poll(() => readFileSync(this.server.settingsFile, 'utf8')).toBe(text);
    await this.press('Control+w');
    await this.editor.waitFor();
  }

  /**
   * Saves a picture and prints the log. Then loads the window again with the initial settings, so that the test can be
   * repeated and the next tests find what they expect.
   */
  async afterFailure(test: string): Promise<void> {
    console.error(this.server.hearthLog().slice(-4000));
    await this.page.screenshot({ path: `build/e2e/${test.replaceAll(/\W+/g, '-')}.png` });
    this.server.resetSettings();
    await this.reload();
  }

  /** Does what "Developer: Reload Window" does. Resolves once nothing on the screen belongs to the old window. */
  async reload(): Promise<void> {
    await this.page.reload();
    await this.editor.waitFor();
  }

  /** Selects whole lines, counted from 1, which must be visible. */
  async selectLines(from: number, to: number): Promise<void> {
    await this.press('Control+Home');
    for (let line = 1; line < from; line++) await this.press('ArrowDown');
    for (let line = from; line <= to; line++) await this.press('Shift+ArrowDown');
  }

  async runCommand(title: string): Promise<void> {
    await this.press('F1');
    const input = this.page.locator('.quick-input-widget input.input');
    await input.waitFor();
    await input.fill(`>${title}`);
    await this.page.locator('.quick-input-list .monaco-list-row', { hasText: title }).first().click();
  }

  /** Opens another file in the folder. */
  async openFile(name: string): Promise<void> {
    await this.press('Control+p');
    await this.page.locator('.quick-input-widget input.input').fill(name);
    await this.choose(name.slice(name.lastIndexOf('/') + 1));
    await this.page.locator(`.editor-instance .monaco-editor[data-uri$="${name}"]`).waitFor();
  }

  /** The entry with this label in the list that is open. */
  choosable(label: string): Locator {
    return this.page.locator('.quick-input-list .monaco-list-row', { hasText: label }).first();
  }

  async choose(label: string): Promise<void> {
    await this.choosable(label).click();
  }

  /** The time in ms that the editor measured for loading an extension's code and calling its `activate`. */
  async activationMs(extension: string): Promise<number> {
    await this.runCommand('Developer: Show Running Extensions');
    await this.page.setViewportSize({ width: 1040, height: 4000 }); // only visible rows exist
    const row = this.page.locator('.runtime-extensions-editor .monaco-list-row', { hasText: extension }).first();
    const text = await row.locator('.activation-time').textContent();
    return Number(/(\d+)\s*ms/.exec(text ?? '')?.[1] ?? Number.NaN);
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }

  /** The body of the explanation or the statistics, which is nested three pages deep. */
  webview(): Locator {
    const frame = this.page.frameLocator('iframe.webview.ready').last();
    return frame.frameLocator('iframe#active-frame').locator('body');
  }
}
