// A workspace's settings, which may come from anybody, restrict what the user allows and never widen it: in a workspace
// that is trusted and in one that is not.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { launchBrowser } from './browser.ts';
import { type CodeServer, startCodeServer } from './code-server.ts';
import { Workbench } from './workbench.ts';

const user = { 'hearth.exclude': ['*.secret.ts'], '[python]': { 'hearth.mode': 'off' } };
const workspace = {
  'hearth.exclude': ['generated/**'],
  'hearth.mode': 'automatic',
  '[python]': { 'hearth.mode': 'automatic' },
  '[rust]': { 'hearth.mode': 'off' },
};
const texts = {
  'a.ts': /ready/,
  'b.secret.ts': /turned off for this file/,
  'generated/c.ts': /turned off for this file/,
  'd.py': /turned off for "python"/,
  'e.rs': /turned off for "rust"/,
  '.env': /turned off for this file, which may hold secrets/,
};

describe.each([true, false])('in a workspace whose trust is %s', (isTrusted) => {
  const temporary = mkdtempSync(join(tmpdir(), 'hearth-e2e-'));
  const folder = join(temporary, 'sample');
  let server: CodeServer;
  let browser: Browser;
  let bench: Workbench;

  beforeAll(async () => {
    for (const name of ['.vscode', 'generated']) mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, '.vscode/settings.json'), JSON.stringify(workspace));
    for (const name of Object.keys(texts)) writeFileSync(join(folder, name), '');
    server = await startCodeServer({ vsix: [inject('vsix')], settings: user, isTrusted });
    browser = await launchBrowser();
    bench = await Workbench.open(browser, server, folder, join(folder, 'a.ts'));
  }, 150_000);

  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    rmSync(temporary, { recursive: true, force: true });
  });

  test('the window says so', async () => {
    const badge = bench.page.locator('.statusbar-item', { hasText: 'Restricted Mode' });
    await bench.statusSays(/ready/, 60_000);
    if (!isTrusted) await badge.waitFor({ timeout: 20_000 });
    expect(await badge.count()).toBe(isTrusted ? 0 : 1);
  }, 90_000);

  test.each(Object.entries(texts))('%s gets what both allow', async (name, status) => {
    await bench.openFile(name);
    await bench.statusSays(status);
  });
});
